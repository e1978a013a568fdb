import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAccount } from '#core/account/accounts/create-account.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { StoredTimeline } from '#core/kernel/ports/store/call.ts'
import { aDelivery } from '#test/store/a-delivery.ts'
import { bothDatabases, openTestDatabase, type Query } from '#test/store/databases.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'

const day = 86_400_000
const now = Date.UTC(2040, 0, 10, 12)

const partsOf = async (query: Query, table: string): Promise<string[]> => {
  const rows = await query(`select inhrelid::regclass::text as name from pg_inherits where inhparent = '${table}'::regclass order by 1`)
  return rows.map(({ name }) => String(name)).filter((name) => /_2040/.test(name))
}

const aTimeline = (accountId: string, callId: string, at: number): StoredTimeline => ({
  accountId,
  callId,
  flowId: undefined,
  userIds: [],
  owner: 'o',
  startedAt: at,
  changedAt: at,
  lastSequence: 1,
  endedAt: at,
  closedAt: at,
})

const writeAt = (store: Store, accountId: string, at: number): Promise<void> =>
  store.write(async ({ deliveries, timelines }) => {
    await deliveries.insert([aDelivery(`d${at}`, { at, eventId: `e${at}` })])
    const pieces = [{ first: 1, last: 1, entries: '[{"sequence":1}]' }]
    await timelines.write([{ row: aTimeline(accountId, `c${at}`, at), isNew: true, rowChanged: true, pieces }])
  })

for (const database of bothDatabases)
  test(`${database}: drops old rows day by day, and keeps newer ones`, async (t) => {
    const { store } = await openTestDatabase(t, database)
    const accountId = await store.write((tables) =>
      createAccount(tables, new VirtualClock(now), { company: 'X', country: 'DE', locale: 'en_US', currency: 'EUR' }),
    )
    await writeAt(store, accountId, now) // before its day is created
    await store.write(({ partitions }) => partitions.keepAhead(now))
    for (const days of [1, 2, 3]) await writeAt(store, accountId, now + days * day)
    const listed = async () => (await store.read.deliveries.list('a', 'flow', { limit: 9 })).map(({ id }) => Number(id.slice(1)))
    assert.deepEqual(await listed(), [now + 3 * day, now + 2 * day, now + day, now])
    await store.write(({ deliveries }) => deliveries.removeBefore(now + 2 * day, 1_000))
    await store.write(({ timelines }) => timelines.removeBefore(now + 2 * day, 1_000))
    assert.deepEqual(await listed(), [now + 3 * day, now + 2 * day])
    const pieces = async (at: number) => (await store.read.timelines.listPieces(accountId, `c${at}`, 0, 9)).length
    assert.deepEqual([await pieces(now), await pieces(now + day), await pieces(now + 2 * day)], [0, 0, 1])
    assert.equal(await store.read.timelines.find(accountId, `c${now + day}`), undefined)
    assert.equal((await store.read.timelines.find(accountId, `c${now + 3 * day}`))?.lastSequence, 1)
  })

test('creates days a week ahead, once, and drops them as a whole', async (t) => {
  const { store, query } = await openTestDatabase(t, 'postgres')
  for (const at of [now, now + day, now + day]) await store.write(({ partitions }) => partitions.keepAhead(at))
  for (const table of ['delivery', 'timeline_piece']) {
    const days = Array.from({ length: 8 }, (_, nth) => `${table}_204001${10 + nth}`)
    assert.deepEqual(await partsOf(query, table), days)
  }
  await store.write(({ deliveries }) => deliveries.removeBefore(now + 2 * day, 1_000))
  assert.deepEqual((await partsOf(query, 'delivery'))[0], 'delivery_20400112')
  // Like a process of the previous version.
  await query(`insert into delivery select * from delivery where false`)
  const piece = `insert into timeline_piece (account_id, call_id, first, last, entries) values ('a', 'c', 1, 1, '[]')`
  await assert.rejects(query(piece), /foreign key/)
})
