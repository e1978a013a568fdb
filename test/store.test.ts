import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { postgresStore } from '#adapters/store/postgres-store.ts'
import { sqliteStore } from '#adapters/store/sqlite-store.ts'
import { brokenAuditEntry } from '#core/kernel/audit/audit-hash.ts'
import { bothDatabases, emptyPostgres, openTestStore, temporaryFolder } from '#test/store/databases.ts'
import { startWorld } from '#test/world/world.ts'

for (const database of bothDatabases) {
  test(`${database}: counts extensions up per letter and never issues one twice`, async (t) => {
    const world = await startWorld(t, { database })
    const { accountId } = await world.newAccount()
    const other = await world.newAccount()
    const create = (kind: 'g' | 'e') => world.write(({ extensions }) => extensions.create(accountId, { kind, alias: '', at: 1 }))
    assert.equal(await create('g'), 'g0')
    assert.equal(await create('g'), 'g1')
    assert.equal(await create('e'), 'e0')
    await world.write(({ extensions }) => extensions.remove(accountId, 'g1', 2))
    assert.equal(await create('g'), 'g2')
    const found = await world.running.deps.store.read.extensions.find(accountId, 'g1')
    assert.equal(found, undefined)
    assert.equal(await world.write(({ extensions }) => extensions.create(other.accountId, { kind: 'g', alias: '', at: 1 })), 'g0')
    const many = await Promise.all(Array.from({ length: 50 }, () => create('e')))
    assert.equal(new Set(many).size, 50)
  })

  test(`${database}: rolls back a failed transaction without affecting others`, async (t) => {
    const world = await startWorld(t, { database })
    const { accountId } = await world.newAccount()
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) =>
        world.write(async ({ appEvents }) => {
          await appEvents.insert(accountId, { type: 'T', name: `event ${i}`, payload: {} }, i)
          if (i % 2 === 1) throw new Error('on purpose')
          return i
        }),
      ),
    )
    assert.equal(outcomes.filter((outcome) => outcome.status === 'fulfilled').length, 10)
    const events = await world.running.deps.store.read.appEvents.list(accountId)
    assert.deepEqual(events.map((event) => event.name).toSorted(), Array.from({ length: 10 }, (_, i) => `event ${i * 2}`).toSorted())
  })

  test(`${database}: hides uncommitted data from readers`, async (t) => {
    const world = await startWorld(t, { database })
    const { accountId } = await world.newAccount()
    const { store } = world.running.deps
    await store.write(async ({ appEvents }) => {
      await appEvents.insert(accountId, { type: 'T', name: 'draft', payload: {} }, 1)
      assert.equal((await appEvents.list(accountId)).length, 1)
      assert.equal((await store.read.appEvents.list(accountId)).length, 0)
    })
    assert.equal((await store.read.appEvents.list(accountId)).length, 1)
  })

  test(`${database}: leases work to one worker, and again after the lease`, async (t) => {
    const store = await openTestStore(t, database)
    await store.write(async ({ outbox }) => {
      for (let i = 0; i < 20; i++) await outbox.put({ id: `m${i}`, kind: 'mail', payload: { i }, at: 1_000 })
    })
    assert.equal(await store.read.outbox.nextDue(['mail']), 1_000)
    const early = await store.write(({ outbox }) => outbox.lease(['mail'], 999, 100, 60_000))
    assert.equal(early.length, 0)
    const takers = await Promise.all(
      Array.from({ length: 10 }, () => store.write(({ outbox }) => outbox.lease(['mail'], 1_000, 5, 60_000))),
    )
    const taken = takers.flat().map((entry) => entry.id)
    assert.equal(taken.length, 20)
    assert.equal(new Set(taken).size, 20)
    assert.equal(await store.read.outbox.nextDue(['mail']), 61_000)
    await store.write(({ outbox }) => outbox.done('m0'))
    await store.write(({ outbox }) => outbox.giveUp('m1', 'broken'))
    const again = await store.write(({ outbox }) => outbox.lease(['mail'], 61_000, 100, 60_000))
    assert.equal(again.length, 18)
    assert.ok(again.every((entry) => entry.attempts === 2))
    assert.deepEqual(
      (await store.read.outbox.listDead(10)).map((dead) => [dead.id, dead.lastError]),
      [['m1', 'broken']],
    )
  })

  test(`${database}: keeps a job that reschedules itself while it runs`, async (t) => {
    const store = await openTestStore(t, database)
    const schedule = (dueAt: number) => store.write(({ jobs }) => jobs.schedule({ id: 'j', kind: 'k', payload: {}, dueAt }))
    await schedule(10)
    await store.write(({ jobs }) => jobs.lease(['k'], 10, 1, 60_000))
    await schedule(500)
    await store.write(({ jobs }) => jobs.done('j'))
    assert.equal(await store.read.jobs.nextDue(['k']), 500)
    await store.write(({ jobs }) => jobs.lease(['k'], 500, 1, 60_000))
    await store.write(({ jobs }) => jobs.done('j'))
    assert.equal(await store.read.jobs.nextDue(['k']), undefined)
  })

  test(`${database}: lets no two writers build on the same audit entry`, async (t) => {
    const store = await openTestStore(t, database)
    await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        store.write(({ audit }) => audit.append('operator', { at: i, actor: 'test', action: 'did', target: `thing ${i}`, detail: { i } })),
      ),
    )
    const entries = await store.read.audit.list('operator', { afterSeq: 0, limit: 100 })
    assert.equal(entries.length, 30)
    assert.equal(brokenAuditEntry('operator', entries), undefined)
    const forged = entries.map((entry) => (entry.seq === 7 ? { ...entry, target: 'another' } : entry))
    assert.equal(brokenAuditEntry('operator', forged)?.seq, 7)
    assert.equal(
      brokenAuditEntry(
        'operator',
        entries.filter((entry) => entry.seq !== 12),
      )?.seq,
      13,
    )
  })
}

test('sqlite: rejects a write inside a write instead of a deadlock', async (t) => {
  const store = await openTestStore(t, 'sqlite')
  await assert.rejects(
    store.write(async () => {
      await store.write(async () => undefined)
    }),
    /inside store.write/,
  )
})

test('sqlite: keeps data when the store is closed and opened', async (t) => {
  const file = join(await temporaryFolder(t), 'again.db')
  const first = await sqliteStore(file)
  await first.write(({ settings }) => settings.setOnce('kept', 'yes'))
  await first.close()
  const second = await sqliteStore(file)
  assert.equal(await second.read.settings.get('kept'), 'yes')
  assert.equal(await second.write(({ settings }) => settings.setOnce('kept', 'no')), false)
  await second.close()
})

test('postgres: lets several processes start on an empty database concurrently', async () => {
  const url = await emptyPostgres()
  const stores = await Promise.all(Array.from({ length: 4 }, () => postgresStore(url, { connections: 2 })))
  const won = await Promise.all(stores.map((store, i) => store.write(({ settings }) => settings.setOnce('first', String(i)))))
  assert.equal(won.filter(Boolean).length, 1)
  await Promise.all(stores.map((store) => store.close()))
})
