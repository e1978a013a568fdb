import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bothDatabases, databases } from '#test/store/databases.ts'
import { assertNothingLeft, openTalk, price, recoverParts, restart, savedCalls, talkOutside } from '#test/routing/lost-calls.ts'
import { addFlow } from '#test/routing/flow-calls.ts'
import { openExchange, outsideNumber } from '#test/routing/scripted-exchange.ts'
import { events, saying, ScriptedGuide } from '#test/routing/scripted-guide.ts'
import { talking } from '#test/routing/transfers.ts'
import { moneyJobs } from '#core/money/jobs.ts'
import { Worker } from '#core/kernel/work/worker.ts'
import { leaseJobs, recoverAll } from './end-lost-call.ts'

for (const database of databases) {
  test(`${database}: ends a call at its last heartbeat when its process dies: charged, in the history, BYE to both phones`, async (t) => {
    const { exchange, ada, caller, far } = await openTalk(t, database)
    await exchange.seconds(73.5)
    await restart(exchange)
    const { detail, status, direction, modifiedAt, createdAt } = await exchange.entry(ada)
    assert.deepEqual([detail.duration, detail.callStatus, status, direction], [70, 'SUCCESS', 'PICKUP', 'OUTGOING'])
    assert.equal(modifiedAt - createdAt, 70_000)
    assert.deepEqual(await exchange.money(ada), { spent: 2 * price, reserved: 0 })
    assert.deepEqual(new Set(exchange.telephony.byes), new Set([caller.id, far.id]))
    await recoverAll(recoverParts(exchange), 'and the next')
    assert.equal(exchange.telephony.byes.length, 2)
    assert.equal((await exchange.history(ada)).length, 1)
    await assertNothingLeft(exchange)
  })
}

for (const database of bothDatabases) {
  test(`${database}: ends each abandoned call once when several nodes find it`, async (t) => {
    const exchange = await openExchange(t, { database })
    await exchange.addTrunk()
    const ada = await exchange.newCustomer()
    for (let nth = 0; nth < 8; nth++) await talkOutside(exchange, ada)
    await exchange.seconds(20)
    exchange.crash()
    const deps = recoverParts(exchange)
    await Promise.all([recoverAll(deps, 'one'), recoverAll(deps, 'another'), recoverAll(deps, 'a third')])
    assert.equal((await exchange.history(ada)).length, 8)
    assert.deepEqual(await exchange.money(ada), { spent: 8 * price, reserved: 0 })
    assert.equal(exchange.telephony.byes.length, 16)
    assert.equal(new Set(exchange.telephony.byes).size, 16)
    await assertNothingLeft(exchange)
  })
}

for (const database of databases) {
  test(`${database}: takes over in a cluster when a node's lease has been silent for 15 seconds`, async (t) => {
    const { exchange, ada, far } = await openTalk(t, database)
    const survivor = { owner: 'another', renew: () => Promise.resolve() }
    const { store, clock } = exchange
    const tasks = { ...leaseJobs({ ...recoverParts(exchange), survivor }), ...moneyJobs(store, clock) }
    const worker = new Worker({
      store,
      clock,
      tasks,
      queue: ({ jobs }) => jobs,
      retryAfterMs: [1_000],
      pollIntervalMs: 1_000,
      onError: (_kind, error) => exchange.failures.push(error),
    })
    t.after(() => worker.close())
    worker.start()
    await exchange.seconds(42)
    assert.deepEqual(exchange.telephony.byes, [])
    exchange.crash()
    await exchange.seconds(9)
    await worker.idle()
    assert.deepEqual(exchange.telephony.byes, [], 'not before its lease is over')
    await exchange.seconds(10)
    await worker.idle()
    assert.equal(exchange.telephony.byes.filter((id) => id === far.id).length, 1)
    assert.equal((await exchange.entry(ada)).detail.duration, 40)
    assert.deepEqual(await exchange.money(ada), { spent: price, reserved: 0 })
    await assertNothingLeft(exchange)
  })
}

test('loses and duplicates no record when the process dies at any write of a call', async (t) => {
  // Crashes after `place` writes.
  for (let place = 1, last = false; !last; place++) {
    const exchange = await openExchange(t)
    await exchange.addTrunk()
    const ada = await exchange.newCustomer()
    let writes = 0
    exchange.outside.misfortune = () => {
      if (exchange.outside.asked.at(-1) === 'write' && ++writes > place) exchange.crash()
      return false
    }
    const caller = await exchange.callFrom(ada, outsideNumber)
    exchange.telephony.alive.forEach((leg) => leg.answers())
    await exchange.seconds(12)
    caller.hangsUp()
    await exchange.rest()
    last = writes <= place
    await restart(exchange)
    const history = await exchange.history(ada)
    const { spent } = await exchange.money(ada)
    assert.ok(history.length <= 1, `${place}`)
    assert.equal(spent, history.length * price, `${place}: ${JSON.stringify(history)}`)
    if (place > 1) assert.equal(history.length, 1, `${place}`)
    await assertNothingLeft(exchange)
  }
})

test('keeps the partial recording of a lost call in the history', async (t) => {
  const { exchange, ada } = await openTalk(t, 'sqlite')
  const user = { kind: 'user', accountId: ada.accountId, userId: ada.userId, admin: true, scopes: ['all'], tokenId: 'x' } as const
  const [view] = exchange.calls.list(user)
  await view?.record(true, { announcement: false })
  await exchange.seconds(3)
  const [saved] = (await savedCalls(exchange)).flatMap(({ snapshot }) => snapshot.recordings)
  exchange.recordings.put(saved ?? assert.fail(), new Uint8Array(44 + 2_500 * 16))
  await restart(exchange)
  const [recording] = await exchange.store.read.recordings.list(ada.accountId, 9)
  assert.deepEqual([recording?.id, recording?.durationMs, recording?.truncated, recording?.kind], [saved?.id, 2_500, true, 'CALL'])
  assert.deepEqual(
    (await exchange.entry(ada)).detail.recordings?.map(({ id }) => id),
    [saved?.id],
  )
  await assertNothingLeft(exchange)
})

test('keeps the partial voicemail message of a lost call', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  await exchange.callIn(ada.number)
  await exchange.seconds(200)
  const [saved] = (await savedCalls(exchange)).flatMap(({ snapshot }) => snapshot.recordings)
  assert.equal(saved?.kind, 'VOICEMAIL')
  exchange.recordings.put(saved, new Uint8Array(44 + 4_000 * 16))
  await restart(exchange)
  const { type, detail } = await exchange.entry(ada)
  assert.deepEqual([type, detail.duration, detail.recordings?.[0]?.id], ['VOICEMAIL', 4, saved.id])
  await assertNothingLeft(exchange)
})

test('hangs up both parties but not the ringing target when the process dies during a transfer', async (t) => {
  const exchange = await openExchange(t)
  const [ada, bob] = [await exchange.newCustomer(), await exchange.newCustomer()]
  const { caller, phone: desk } = await talking(exchange, ada)
  desk.asksTransfer({ dialled: bob.number })
  await exchange.seconds(6)
  assert.equal(exchange.ringing.length, 1)
  await restart(exchange)
  assert.deepEqual(new Set(exchange.telephony.byes), new Set([caller.id, desk.id]))
  assert.equal((await exchange.entry(ada)).detail.duration, 15)
  await assertNothingLeft(exchange)
})

test('hangs up the new party after a transfer', async (t) => {
  const exchange = await openExchange(t)
  const [ada, bob] = [await exchange.newCustomer(), await exchange.newCustomer()]
  const { caller, phone: desk } = await talking(exchange, ada)
  desk.asksTransfer({ dialled: bob.number })
  await exchange.rest()
  const other = exchange.phone
  other.answers()
  await exchange.seconds(7)
  await restart(exchange)
  assert.deepEqual(new Set(exchange.telephony.byes), new Set([caller.id, other.id]))
  assert.equal((await exchange.entry(ada)).detail.duration, 10, 'she had left')
  assert.equal((await exchange.entry(bob)).detail.duration, 5)
  await assertNothingLeft(exchange)
})

test('ends the session of an assistant together with its lost call', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  await addFlow(exchange, ada)
  await exchange.callIn(ada.number)
  await exchange.seconds(8)
  const [call] = await savedCalls(exchange)
  const { callId: id } = call ?? assert.fail()
  const session = { id, account_id: ada.accountId, phone_number: '49301' }
  const open = { id, accountId: ada.accountId, flowId: 'f', session, startedAt: exchange.clock.now(), owner: exchange.leases.owner }
  await exchange.store.write(({ sessions }) => sessions.open(open))
  await restart(exchange)
  assert.equal((await exchange.store.read.sessions.findEnded(ada.accountId, id))?.reason, 'service_failure')
  assert.equal((await exchange.entry(ada)).detail.duration, 5)
  await assertNothingLeft(exchange)
})

test('notifies the webhook of the answer when it is written, and of the end by the node that ends the call', async (t) => {
  const guide = new ScriptedGuide()
  const exchange = await openExchange(t, { guide })
  const ada = await exchange.newCustomer()
  guide.says(ada, saying())
  await exchange.callIn(ada.number)
  exchange.phone.answers()
  await exchange.seconds(8)
  assert.deepEqual(await events(exchange), ['answer'])
  await restart(exchange)
  await recoverAll(recoverParts(exchange), 'and the next')
  assert.deepEqual(await events(exchange), ['hangup congestion'])
  await assertNothingLeft(exchange)
})

test('notifies the webhook of the end of a lost call that was not answered', async (t) => {
  const guide = new ScriptedGuide()
  const exchange = await openExchange(t, { guide })
  const [ada, bob] = [await exchange.newCustomer(), await exchange.newCustomer()]
  guide.says(ada, saying())
  guide.says(bob, saying(undefined, {}))
  for (const { number } of [ada, bob]) await exchange.callIn(number)
  await exchange.seconds(8)
  assert.equal((await savedCalls(exchange)).length, 1, 'only calls whose end is awaited are kept')
  await restart(exchange)
  await recoverAll(recoverParts(exchange), 'and the next')
  assert.deepEqual(await events(exchange), ['hangup congestion'])
  const { direction, detail } = await exchange.entry(ada)
  assert.deepEqual([direction, detail.callStatus], ['MISSED_INCOMING', 'FAILURE'])
  await assertNothingLeft(exchange)
})

test('keeps the reservation of a lost call until the call is ended', async (t) => {
  const { exchange, ada } = await openTalk(t, 'sqlite')
  await exchange.seconds(30)
  exchange.crash()
  await exchange.seconds(3_600)
  const [{ callId } = assert.fail()] = await savedCalls(exchange)
  const jobs = moneyJobs(exchange.store, exchange.clock)
  await jobs['reservation.expire']?.({ accountId: ada.accountId, sessionId: callId }, { id: '', kind: '', payload: {}, attempts: 1 })
  assert.deepEqual(await exchange.money(ada), { spent: 0, reserved: price })
  await restart(exchange)
  assert.deepEqual(await exchange.money(ada), { spent: price, reserved: 0 })
  await assertNothingLeft(exchange)
})

test('writes no records for calls that another node has ended unnoticed', async (t) => {
  const { exchange, ada, caller, far } = await openTalk(t, 'sqlite')
  await exchange.seconds(20)
  await recoverAll(recoverParts(exchange), 'another')
  assert.equal((await exchange.entry(ada)).detail.duration, 20)
  await exchange.seconds(10)
  far.hangsUp()
  await exchange.rest()
  assert.ok(caller.over)
  assert.equal((await exchange.entry(ada)).detail.duration, 20)
  assert.deepEqual(await exchange.money(ada), { spent: price, reserved: 0 })
  assert.deepEqual(exchange.failures, [])
})
