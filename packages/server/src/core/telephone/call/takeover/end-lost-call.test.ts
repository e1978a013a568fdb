import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bothDatabases, databases } from '#test/store/databases.ts'
import { assertNothingLeft, openTalk, price, recoverParts, restart, savedCalls, talkOutside } from '#test/routing/lost-calls.ts'
import { openExchange, outsideNumber, type Exchange } from '#test/routing/scripted-exchange.ts'
import { talking, transferring } from '#test/routing/transfers.ts'
import type { CallSnapshot } from '#core/kernel/ports/store/call.ts'
import { endLostCall, recoverAll } from './end-lost-call.ts'

/** Simulates a snapshot of another version, or a damaged one. */
const rewrite = async (exchange: Exchange, change: (snapshot: CallSnapshot) => object): Promise<void> => {
  const [{ snapshot, savedAt, ...hold } = assert.fail()] = await savedCalls(exchange)
  await exchange.store.write(({ runningCalls }) => runningCalls.update(hold, change(snapshot) as CallSnapshot, savedAt))
}

const sideOf = ({ sides }: CallSnapshot): Record<string, unknown> => ({ ...(sides[0] as object) })

test('writes an ordinary call once when it is answered and once when it ends', async (t) => {
  for (const kind of ['in', 'out', 'between phones']) {
    const exchange = await openExchange(t)
    await exchange.addTrunk()
    const [ada, bob] = [await exchange.newCustomer(), await exchange.newCustomer()]
    const writes = (): number => exchange.outside.asked.filter((what) => what === 'write').length
    const caller = await (kind === 'in' ? exchange.callIn(ada.number) : exchange.callFrom(ada, kind === 'out' ? outsideNumber : bob.number))
    const before = writes()
    assert.equal(before, kind === 'out' ? 1 : 0, 'money is reserved, nothing else')
    exchange.phone.answers()
    await exchange.seconds(4)
    assert.equal(writes() - before, 1, kind)
    caller.hangsUp()
    await exchange.rest()
    assert.equal(writes() - before, 2, kind)
  }
})

test('reads snapshots of earlier and later versions', async (t) => {
  const { exchange, ada, caller, far } = await openTalk(t, 'sqlite')
  await exchange.seconds(8)
  await rewrite(exchange, (snapshot) => {
    const { endpoints: _endpoints, connections: _connections, recordings: _recordings, followed: _followed, ...side } = sideOf(snapshot)
    return { ...snapshot, sides: [{ ...side, mood: 'good' }], weather: 'fine' }
  })
  await restart(exchange)
  const { detail, direction } = await exchange.entry(ada)
  assert.deepEqual([detail.duration, detail.callStatus, direction], [5, 'SUCCESS', 'OUTGOING'])
  assert.deepEqual(await exchange.money(ada), { spent: price, reserved: 0 })
  assert.deepEqual(new Set(exchange.telephony.byes), new Set([caller.id, far.id]))
  await assertNothingLeft(exchange)
})

test('reports unreadable fields, and ends the rest of the call and all other calls', async (t) => {
  const { exchange, ada, caller, far } = await openTalk(t, 'sqlite')
  await exchange.seconds(8)
  await rewrite(exchange, (snapshot) => ({
    ...snapshot,
    sides: [...snapshot.sides, { direction: 'INCOMING' }, null],
    meters: [7, ...snapshot.meters],
    recordings: 'none',
    dialogs: [...snapshot.dialogs, 'x'],
  }))
  const broken = { callId: 'x', owner: exchange.leases.owner, epoch: 1, startedAt: 0, savedAt: 0, snapshot: { sides: 7 } as never }
  await exchange.store.write(({ runningCalls }) => runningCalls.open(broken))
  await restart(exchange)
  assert.deepEqual(
    exchange.failures.splice(0).map((error) => (error as Error).message.replace('of a lost call these parts cannot be read: ', '')),
    ['startedAt, sides, meters, recordings, dialogs', 'sides, sides, meters, recordings, dialogs'],
  )
  assert.equal((await exchange.entry(ada)).detail.duration, 5)
  assert.deepEqual(await exchange.money(ada), { spent: price, reserved: 0 })
  assert.deepEqual(new Set(exchange.telephony.byes), new Set([caller.id, far.id]))
  await assertNothingLeft(exchange)
})

for (const database of databases) {
  test(`${database}: writes the rest of a call when one part cannot be written`, async (t) => {
    const { exchange, ada } = await openTalk(t, database)
    await exchange.seconds(8)
    await rewrite(exchange, (snapshot) => ({ ...snapshot, sides: [{ ...sideOf(snapshot), accountId: 'nobody' }, ...snapshot.sides] }))
    await restart(exchange)
    assert.equal(exchange.failures.splice(0).length, 2, 'altogether, and then alone')
    assert.equal((await exchange.entry(ada)).detail.duration, 5)
    assert.deepEqual(await exchange.money(ada), { spent: price, reserved: 0 })
    assert.equal(exchange.telephony.byes.length, 2)
    await assertNothingLeft(exchange)
  })

  test(`${database}: leaves the calls to a node that has renewed its lease`, async (t) => {
    const { exchange, ada, far } = await openTalk(t, database)
    const { store, leases } = exchange
    const lease = (await store.read.leases.find(leases.owner)) ?? assert.fail()
    const [saved = assert.fail()] = await savedCalls(exchange)
    await exchange.seconds(6)
    assert.equal(await endLostCall(recoverParts(exchange), lease, saved), false)
    await store.write((tables) => tables.leases.remove({ owner: leases.owner, until: lease.until + 5_000 }))
    assert.ok(await store.read.leases.find(leases.owner), 'a process that has calls keeps its lease')
    assert.deepEqual([exchange.telephony.byes, await exchange.history(ada)], [[], []])
    far.hangsUp()
    await exchange.rest()
    assert.equal((await exchange.entry(ada)).detail.duration, 6)
  })
}

for (const database of bothDatabases) {
  test(`${database}: a suspended node ends the calls another node has ended, without writing them again`, async (t) => {
    const { exchange, ada, caller, far } = await openTalk(t, database)
    await exchange.seconds(20)
    await recoverAll(recoverParts(exchange), 'another')
    const found = { entries: await exchange.history(ada), money: await exchange.money(ada) }
    assert.deepEqual([found.entries.map(({ detail }) => detail.duration), found.money], [[20], { spent: price, reserved: 0 }])
    await exchange.clock.jump(30_000)
    await exchange.rest()
    assert.ok(caller.over && far.over && exchange.callRouter.size === 0)
    assert.deepEqual({ entries: await exchange.history(ada), money: await exchange.money(ada) }, found)
    assert.deepEqual([exchange.telephony.byes.length, exchange.failures], [2, []])
  })
}

test('a suspended node keeps the calls that no other node has ended', async (t) => {
  const { exchange, ada, caller, far } = await openTalk(t, 'sqlite')
  await exchange.seconds(20)
  await exchange.clock.jump(30_000)
  await exchange.seconds(3)
  assert.ok(!caller.over && !far.over)
  far.hangsUp()
  await exchange.rest()
  assert.equal((await exchange.entry(ada)).detail.duration, 53)
})

test('writes the history entry when a recording cannot be read', async (t) => {
  const { exchange, ada } = await openTalk(t, 'sqlite')
  await exchange.seconds(8)
  const recording = { accountId: ada.accountId, id: 'r', kind: 'CALL', at: exchange.clock.now() }
  await rewrite(exchange, (snapshot) => ({ ...snapshot, recordings: [recording] }))
  exchange.crash()
  const leftBy = () => Promise.reject(new Error('no right to read it'))
  await recoverAll({ ...recoverParts(exchange), files: { leftBy } }, 'the next run')
  assert.match(String(exchange.failures.splice(0)), /no right/)
  assert.equal((await exchange.entry(ada)).detail.duration, 5)
  await assertNothingLeft(exchange)
})

test('joins two calls: the moving party is hung up and settled whenever the node dies', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  const { caller: guestDesk, far: guest } = await talkOutside(exchange, ada)
  const { caller, phone } = await talking(exchange, ada)
  await exchange.seconds(5)
  // The first write afterwards fails, and the process dies before the retry.
  let writes = 0
  exchange.outside.misfortune = () => exchange.outside.asked.at(-1) === 'write' && ++writes === 1
  phone.asksTransfer({ leg: guestDesk })
  await exchange.seconds(2)
  assert.equal(exchange.failures.splice(0).length, 1)
  await restart(exchange)
  for (const leg of [guest, caller]) assert.ok(exchange.telephony.byes.includes(leg.id))
  assert.deepEqual(await exchange.money(ada), { spent: price, reserved: 0 })
  await assertNothingLeft(exchange)
})

test('charges a party that has left when the node dies before settlement', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  const { callId } = await talking(exchange, ada)
  transferring(exchange, ada, callId, { phoneNumber: outsideNumber, attended: true })
  await exchange.rest()
  const third = exchange.phone
  third.answers()
  await exchange.seconds(10)
  // The parties are written; then the process dies before settlement.
  let writes = 0
  exchange.outside.misfortune = () => {
    if (exchange.outside.asked.at(-1) !== 'write' || ++writes < 2) return false
    exchange.crash()
    return true
  }
  third.hangsUp()
  await exchange.rest()
  assert.deepEqual([writes, exchange.failures.splice(0).length], [2, 1])
  assert.equal((await savedCalls(exchange))[0]?.snapshot.dialogs.length, 2)
  await restart(exchange)
  assert.deepEqual(await exchange.money(ada), { spent: price, reserved: 0 })
  await assertNothingLeft(exchange)
})
