import assert from 'node:assert/strict'
import { test } from 'node:test'
import { audit } from '#test/cluster/audit.ts'
import { parts } from '#test/cluster/cluster.ts'
import { FaultScene } from '#test/cluster/fault-scene.ts'
import { faults, type Fault, type Seen } from '#test/cluster/faults.ts'
import { needs } from '#test/peers/debian.ts'

/** `OFFHOOK_TEST_CLUSTER=short`: fewer calls and the faults that have to do most with each other. */
const short = process.env.OFFHOOK_TEST_CLUSTER === 'short'
const size = short ? { bridges: 4, sessions: 2 } : { bridges: 14, sessions: 6 }

interface Row extends Seen {
  fault: string
  alive: string
  p50Ms: number
  maxMs: number
  books: string
}

const run = async (scene: FaultScene, fault: Fault): Promise<{ row: Row; lost: number; wrong: readonly string[] }> => {
  const calls = await scene.beginCalls()
  const ears = calls.flatMap((call) => call.ears)
  for (const ear of ears) ear.forget()
  const seen = await fault.strike(scene)
  await scene.healed()
  const alive = calls.filter(({ isAlive }) => isAlive)
  // Only what was heard after the fault counts.
  await Promise.all(alive.flatMap((call) => call.ears).map((ear) => ear.hearsNow()))
  const gaps = ears.map(({ gapMs }) => Math.round(gapMs)).toSorted((a, b) => a - b)
  await Promise.all(alive.map((call, index) => call.hangUp(index % 2 === 1)))
  const wrong = await audit(scene.cluster, scene.database, scene.placed)
  const [p50Ms, maxMs] = [gaps[Math.floor(gaps.length / 2)] ?? 0, gaps.at(-1) ?? 0]
  const row = { fault: fault.name, alive: `${alive.length} of ${calls.length}`, p50Ms, maxMs, ...seen, books: wrong.join('; ') || 'right' }
  return { row, lost: calls.length - alive.length, wrong }
}

const onlyOnce = ({ endpoint }: FaultScene): void => {
  const told = endpoint.events.filter(({ body }) => body.type === 'session_end')
  const ends = Map.groupBy(told, ({ body }) => body.session.id)
  const starts = new Set(endpoint.ofType('session_start').map(({ session }) => session.id))
  // A repetition has the same id.
  for (const [id, times] of ends)
    assert.equal(new Set(times.map(({ headers }) => headers['x-event-id'])).size, 1, `the end of ${id} was told twice`)
  assert.deepEqual(new Set(ends.keys()), starts, 'each session has an end')
}

test('calls outlive what breaks around them', { timeout: 1_800_000 }, async (t) => {
  if (!(await needs(t, ...parts))) return
  const scene = await FaultScene.open(t, size)
  const rows: Row[] = []
  t.after(() => console.table(rows))
  for (const fault of faults) {
    if (short && !fault.short) continue
    await t.test(fault.name, { timeout: 240_000 }, async () => {
      const { row, lost, wrong } = await run(scene, fault)
      rows.push(row)
      assert.equal(lost, 0, `${row.alive} calls are alive`)
      assert.deepEqual(wrong, [])
      assert.ok(row.maxMs <= fault.mostSilenceMs, `silence of ${row.maxMs} ms`)
    })
  }
  onlyOnce(scene)
})
