import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countRecords } from '#test/cluster/audit.ts'
import { Cluster, parts, type ClusterPhone } from '#test/cluster/cluster.ts'
import { beginBridge, type LiveCall } from '#test/cluster/live-calls.ts'
import { PatroniDatabase } from '#test/cluster/patroni.ts'
import { until } from '#test/machine/peer-process.ts'
import { needs } from '#test/peers/debian.ts'

const skip = process.env.OFFHOOK_TEST_CLUSTER === 'short' && 'part of the full form'
const pairs = 6

/** Milliseconds until a write succeeds after it failed once. */
const writesFailFor = async (cluster: Cluster, name: string): Promise<number> => {
  const write = (): Promise<boolean> =>
    cluster.office.admin.createGroup({}, { alias: name }).then(
      () => true,
      () => false,
    )
  await until('a write fails', async () => !(await write()) || undefined)
  const at = performance.now()
  await until('a write succeeds', async () => (await write()) || undefined, 60_000)
  return Math.round(performance.now() - at)
}

test('keeps calls up and writes them all when the machine of the primary PostgreSQL dies', { skip, timeout: 400_000 }, async (t) => {
  if (!(await needs(t, ...parts, 'patroni', 'etcd', 'pg_dump'))) return
  const database = await PatroniDatabase.start(t)
  const cluster = await Cluster.start(t, { databaseUrl: database.url, withoutHttp: true })
  const phones: [ClusterPhone, ClusterPhone][] = []
  for (let pair = 0; pair < pairs; pair++) phones.push([await cluster.phone(), await cluster.phone()])
  const calls: LiveCall[] = []
  for (const [index, [caller, callee]] of phones.entries())
    calls.push(await beginBridge(caller, callee, [500 + 50 * index, 1_700 + 50 * index]))
  const ears = calls.flatMap((call) => call.ears)
  for (const ear of ears) ear.forget()

  const failing = writesFailFor(cluster, 'During the failover')
  const killed = await database.killPrimary()
  const failedMs = await failing
  assert.notEqual(await database.primary(), killed)
  await Promise.all(ears.map((ear) => ear.hearsNow()))
  t.diagnostic(`writes failed for ${failedMs} ms; longest silence ${Math.round(Math.max(...ears.map(({ gapMs }) => gapMs)))} ms`)
  assert.deepEqual(
    calls.map(({ isAlive }) => isAlive),
    calls.map(() => true),
  )
  for (const [index, call] of calls.entries()) await call.hangUp(index % 2 === 0)
  await until('all calls are in the history', async () => (await countRecords(database)).calls === pairs || undefined, 60_000)

  await t.test('lets the old primary follow the new one', async () => {
    await database.startAgain(killed)
    const [[caller, callee] = assert.fail()] = phones
    const call = await beginBridge(caller, callee, [500, 900])
    await call.hangUp(true)
    await until('it is in the history', async () => (await countRecords(database)).calls === pairs + 1 || undefined)
  })
})
