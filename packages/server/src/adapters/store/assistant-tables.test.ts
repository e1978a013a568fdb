import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { aDelivery } from '#test/store/a-delivery.ts'
import { bothDatabases, openTestDatabase, type Database } from '#test/store/databases.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { createAccount } from '#core/account/accounts/create-account.ts'
import { openTariff } from '#core/money/open-tariff.ts'
import { UniqueViolation, type Store } from '#core/kernel/ports/store/index.ts'
import type { OpenSession } from '#core/kernel/ports/store/session.ts'

const openAccount = (store: Store): Promise<string> =>
  store.write(async (tables) => {
    const clock = new VirtualClock()
    const tariffId = await openTariff(tables, clock, { currency: 'EUR' })
    return createAccount(tables, clock, { company: 'Example', country: 'DE', locale: 'en_US', currency: 'EUR', tariffId })
  })

const withAccount = async (t: TestContext, database: Database) => {
  const { store, query } = await openTestDatabase(t, database)
  return { store, query, accountId: await openAccount(store) }
}

const aSession = (id: string, accountId: string, more: Partial<OpenSession> = {}): OpenSession => ({
  id,
  accountId,
  flowId: 'flow',
  session: { id, account_id: accountId, phone_number: '4921100000', direction: 'inbound' },
  startedAt: 100,
  owner: 'run 1',
  ...more,
})

for (const database of bothDatabases) {
  test(`${database}: a session ends once, whichever process ends it`, async (t) => {
    const { store, accountId } = await withAccount(t, database)
    await store.write(({ sessions }) => sessions.open(aSession('s1', accountId)))
    await assert.rejects(
      store.write(({ sessions }) => sessions.open(aSession('s1', accountId))),
      UniqueViolation,
    )
    const end = { reason: 'caller_hangup', at: 200, sequence: 7, turn: 3 } as const
    const notified = await Promise.all(Array.from({ length: 5 }, () => store.write(({ sessions }) => sessions.close('s1', 'run 1', end))))
    assert.equal(notified.filter(Boolean).length, 1)
    assert.equal(await store.write(({ sessions }) => sessions.close('nowhere', 'run 1', end)), false)
    const { session } = aSession('s1', accountId)
    assert.deepEqual(await store.read.sessions.findEnded(accountId, 's1'), {
      id: 's1',
      accountId,
      flowId: 'flow',
      session,
      reason: 'caller_hangup',
      sequence: 7,
      turn: 3,
    })
    assert.equal(await store.read.sessions.findEnded('another', 's1'), undefined)
    assert.equal(await store.write(({ sessions }) => sessions.removeClosedBefore(200)), 0)
    assert.equal(await store.write(({ sessions }) => sessions.removeClosedBefore(201)), 1)
  })

  test(`${database}: finds open sessions by owner and by id`, async (t) => {
    const { store, accountId } = await withAccount(t, database)
    await store.write(async ({ sessions }) => {
      await sessions.open(aSession('kept', accountId))
      await sessions.open(aSession('left', accountId, { owner: 'run 0' }))
      await sessions.open(aSession('later', accountId, { owner: 'run 0', startedAt: 200 }))
      await sessions.open(aSession('over', accountId, { owner: 'run 0' }))
      await sessions.close('over', 'run 0', { reason: 'callee_hangup', at: 300, sequence: 1, turn: 0 })
    })
    const ids = async (owner: string, limit = 9) => (await store.read.sessions.listOpenOf(owner, limit)).map(({ id }) => id)
    assert.deepEqual(
      [await ids('run 1'), await ids('run 0'), await ids('run 0', 1), await ids('run 2')],
      [['kept'], ['left', 'later'], ['left'], []],
    )
    assert.deepEqual(await store.read.sessions.findOpen('left'), aSession('left', accountId, { owner: 'run 0' }))
    assert.equal(await store.read.sessions.findOpen('over'), undefined)
    assert.equal(await store.read.sessions.findEnded(accountId, 'left'), undefined)
    assert.equal(await store.write(({ sessions }) => sessions.removeClosedBefore(1_000_000)), 1, 'what is open stays')
  })

  test(`${database}: stores a running call once, and one process takes it over`, async (t) => {
    const { store } = await withAccount(t, database)
    const snapshot = { startedAt: 1, sides: [{ a: 'ü' }], meters: [], recordings: [], dialogs: [{ id: 'x' }] }
    const hold = { callId: 'c1', owner: 'run 1', epoch: 1 }
    const call = { ...hold, startedAt: 1, savedAt: 5, snapshot }
    const open = () => store.write(({ runningCalls }) => runningCalls.open(call))
    assert.deepEqual([await open(), await open()], [true, false])
    assert.deepEqual(await store.read.runningCalls.listOf('run 1', 9), [call])
    const update = (more: object) =>
      store.write(({ runningCalls }) => runningCalls.update({ ...hold, ...more }, { ...snapshot, startedAt: 2 }, 6))
    assert.deepEqual(
      [await update({}), await update({ callId: 'c2' }), await update({ owner: 'run 2' }), await update({ epoch: 2 })],
      [true, false, false, false],
    )
    assert.deepEqual(await store.read.runningCalls.listOf('run 1', 9), [{ ...call, savedAt: 6, snapshot: { ...snapshot, startedAt: 2 } }])
    assert.deepEqual([await store.read.runningCalls.has('c1'), await store.read.runningCalls.has('c2')], [true, false])
    const taken = await Promise.all(Array.from({ length: 5 }, () => store.write(({ runningCalls }) => runningCalls.remove(hold))))
    assert.equal(taken.filter(Boolean).length, 1)
    assert.deepEqual(await store.read.runningCalls.listOf('run 1', 9), [])
  })

  test(`${database}: keeps a lease that was renewed in the meantime`, async (t) => {
    const { store } = await withAccount(t, database)
    await store.write(async ({ leases }) => {
      await leases.renew({ owner: 'a', until: 10 })
      await leases.renew({ owner: 'b', until: 20 })
      await leases.renew({ owner: 'a', until: 30 })
      await leases.remove({ owner: 'a', until: 10 })
    })
    const { leases } = store.read
    assert.deepEqual(await leases.listOthers('c'), [
      { owner: 'b', until: 20 },
      { owner: 'a', until: 30 },
    ])
    assert.deepEqual(await leases.listOthers('b'), [{ owner: 'a', until: 30 }])
    await store.write((tables) => tables.leases.remove({ owner: 'a', until: 30 }))
    assert.deepEqual([await leases.find('a'), await leases.find('b')], [undefined, { owner: 'b', until: 20 }])
  })

  test(`${database}: lists deliveries by flow, session and state, the latest first`, async (t) => {
    const { store } = await openTestDatabase(t, database)
    const failed = aDelivery('2', { state: 'failed', status: undefined, error: 'no connection', problems: [{ index: 0, message: 'x' }] })
    const all = [
      aDelivery('1'),
      failed,
      aDelivery('3', { sessionId: 'other' }),
      aDelivery('4', { flowId: 'other' }),
      aDelivery('5', { accountId: 'other' }),
    ]
    await store.write(({ deliveries }) => deliveries.insert(all))
    await store.write(({ deliveries }) => deliveries.insert([]))
    const { deliveries } = store.read
    const ids = async (filter: Partial<Parameters<typeof deliveries.list>[2]>) =>
      (await deliveries.list('a', 'flow', { limit: 9, ...filter })).map(({ id }) => id)
    assert.deepEqual(await ids({}), ['3', '2', '1'])
    assert.deepEqual(await ids({ limit: 1 }), ['3'])
    assert.deepEqual(await ids({ before: '3' }), ['2', '1'])
    assert.deepEqual(await ids({ sessionId: 's' }), ['2', '1'])
    assert.deepEqual(await ids({ state: 'failed' }), ['2'])
    assert.deepEqual(await ids({ state: 'delivered' }), ['3', '1'])
    assert.deepEqual(await ids({ state: 'dead' }), [])
    assert.deepEqual(await deliveries.find('a', 'flow', '2'), failed)
    for (const [account, flow] of [
      ['other', 'flow'],
      ['a', 'other'],
    ] as const)
      assert.equal(await deliveries.find(account, flow, '2'), undefined)
  })

  test(`${database}: adds later problems to the latest attempt, and deletes old deliveries`, async (t) => {
    const { store } = await openTestDatabase(t, database)
    const event = { eventId: 'e' }
    await store.write(async ({ deliveries }) => {
      await deliveries.insert([
        aDelivery('1', { ...event, at: 500 }),
        aDelivery('2', { ...event, at: 600, problems: [{ index: 0, message: 'first' }] }),
      ])
      await deliveries.amend('e', { actions: ['hangup'], problems: [{ index: 1, type: 'speak', message: 'second' }] })
      await deliveries.amend('nowhere', { actions: [], problems: [{ index: 1, message: 'third' }] })
    })
    assert.deepEqual((await store.read.deliveries.find('a', 'flow', '2'))?.actions, ['hangup'])
    const problemsOf = async (id: string) => (await store.read.deliveries.find('a', 'flow', id))?.problems
    assert.deepEqual(await problemsOf('1'), [])
    assert.deepEqual(await problemsOf('2'), [
      { index: 0, message: 'first' },
      { index: 1, type: 'speak', message: 'second' },
    ])
    const flood = { actions: [], problems: Array.from({ length: 70 }, (_, index) => ({ index, message: 'again' })) }
    for (let i = 0; i < 3; i++) await store.write(({ deliveries }) => deliveries.amend('e', flood))
    assert.equal((await problemsOf('2'))?.length, 100)
    assert.equal(await store.write(({ deliveries }) => deliveries.removeBefore(600, 0)), 0)
    assert.equal(await store.write(({ deliveries }) => deliveries.removeBefore(600, 9)), 1)
    assert.equal(await problemsOf('1'), undefined)
    assert.notEqual(await problemsOf('2'), undefined)
  })
}

test('sqlite: every list of deliveries and sessions uses an index', async (t) => {
  const { query } = await openTestDatabase(t, 'sqlite')
  const plan = async (statement: string): Promise<string> =>
    (await query(`explain query plan ${statement}`)).map(({ detail }) => String(detail)).join('; ')
  const flow = `select * from delivery where flow_id = 'f' and account_id = 'a'`
  assert.match(await plan(`${flow} and id < 'x' order by id desc limit 9`), /^SEARCH delivery USING INDEX delivery_flow[^;]*$/)
  assert.match(
    await plan(`${flow} and state = 'dead' and (state <> 'delivered') order by id desc limit 9`),
    /^SEARCH delivery USING INDEX delivery_trouble[^;]*$/,
  )
  assert.match(
    await plan(`delete from delivery where id in (select id from delivery where at < 5 limit 9)`),
    /USING INDEX delivery_age|COVERING INDEX delivery_age/,
  )
  assert.match(await plan(`select * from session where owner = 'o' and ended_at is null`), /session_open_owner/)
  assert.match(await plan(`select * from running_call where owner = 'o'`), /running_call_owner/)
  assert.match(await plan(`delete from session where ended_at < 5`), /session_ended/)
})
