import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { databases, type Database } from '#test/store/databases.ts'
import { adminOf } from '#test/switchboard/flow-calls.ts'
import { openExchange, type Customer, type Exchange } from '#test/switchboard/scripted-exchange.ts'
import type { ScriptedLeg } from '#test/ports/scripted-leg.ts'
import { talking, talkOf, transferring, withoutVoicemail, type Talk } from '#test/switchboard/transfers.ts'

const mobile = '+4915112345678'
const music = { music: 'hold' }
const sounds = (leg: ScriptedLeg): unknown[] => [...leg.announcing, ...leg.playing].map(({ sound }) => sound)

interface Scene extends Talk {
  exchange: Exchange
  ada: Customer
  /** Whom Ada asks; pays nothing. */
  bob: Customer
  target: ScriptedLeg
}

interface SceneOptions {
  database?: Database
  /** Asked instead of Bob. */
  phoneNumber?: string
  money?: number
}

/** Ada's phone consults a third party, while her caller waits. */
const consulting = async (t: TestContext, { database = 'sqlite', phoneNumber, money = 500_000 }: SceneOptions = {}): Promise<Scene> => {
  const exchange = await openExchange(t, { database })
  await exchange.addTrunk()
  const ada = await exchange.newCustomer({ money })
  const bob = await exchange.newCustomer()
  await withoutVoicemail(exchange, bob)
  const talk = await talking(exchange, ada)
  const asked = transferring(exchange, ada, talk.callId, { phoneNumber: phoneNumber ?? bob.number, attended: true })
  await exchange.rest()
  const target = exchange.phone
  target.answers()
  await exchange.rest()
  assert.equal(asked.state, 'done')
  await exchange.seconds(5)
  return { exchange, ada, bob, target, ...talk }
}

test('the caller is on hold with music while the phone rings there and talks; all three are shown', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const bob = await exchange.newCustomer()
  const { caller, phone, callId, call } = await talking(exchange, ada)
  const asked = transferring(exchange, ada, callId, { phoneNumber: bob.number, attended: true })
  await exchange.rest()
  assert.deepEqual([asked.state, caller.hears], ['pending', [phone]])
  const target = exchange.phone
  assert.equal(target.dial?.caller.number, ada.number, 'it is Ada who calls')
  target.rings()
  await exchange.rest()
  assert.deepEqual([asked.state, sounds(phone), caller.log.at(-1)], ['done', [{ tone: 'ringback' }], 'hold true'])
  await assert.rejects(call.mute(true), { code: 'call_not_in_state' }, 'the target has not answered yet')
  target.answers()
  await exchange.rest()
  assert.deepEqual([phone.hears, target.hears, caller.hears, sounds(phone)], [[target], [phone], [], []])
  const { participants, hold } = call.status()
  assert.deepEqual([participants.map((one) => one.hold), hold], [[true, false, false], false])
  assert.equal(exchange.calls.list(adminOf(bob))[0]?.callId, callId)
  phone.presses('5')
  assert.deepEqual([target.log.at(-1), caller.log.at(-1)], ['dtmf 5', 'hold true'], 'keys go to whom it talks with')
  await call.mute(true)
  assert.deepEqual(target.hears, [])
})

for (const database of databases)
  for (const how of ['hangs up', 'says so'])
    test(`${database}: the two others are connected when the asking party ${how}`, async (t) => {
      const { exchange, ada, caller, phone, target, callId, call } = await consulting(t, { database, phoneNumber: mobile })
      await call.record(true, { announcement: false })
      const same = transferring(exchange, ada, callId, { phoneNumber: mobile, attended: true })
      const other = transferring(exchange, ada, callId, { phoneNumber: ada.number, attended: false })
      await exchange.rest()
      assert.deepEqual([same.state, other.state, phone.hears], ['done', 'call_not_in_state', [target]], 'the same again changes nothing')
      if (how === 'hangs up') phone.hangsUp()
      else transferring(exchange, ada, callId, { phoneNumber: mobile, attended: false })
      await exchange.rest()
      assert.deepEqual([caller.hears, target.hears, caller.log.at(-1)], [[target], [caller], 'hold false'])
      assert.ok(phone.ended)
      assert.deepEqual([call.status().recording, call.status().participants.map(({ hold }) => hold)], [true, [false, false]])
      await exchange.seconds(60)
      caller.hangsUp()
      await exchange.rest()
      assert.equal(exchange.lastEnd?.reason, 'caller_hangup')
      assert.deepEqual(await exchange.money(ada), { spent: 2 * 990, reserved: 0 })
      const { detail, endpoints } = await exchange.entry(ada)
      assert.deepEqual([detail.duration, detail.recordings?.length], [75, 1])
      assert.deepEqual(
        endpoints.map(({ type }) => type),
        ['ROUTED', 'PICKUP', 'FORWARDED'],
      )
    })

for (const database of databases)
  test(`${database}: called off: the two talk again, and what was asked is paid for`, async (t) => {
    const { exchange, ada, caller, phone, target, call } = await consulting(t, { database, phoneNumber: mobile })
    await call.hold(false)
    assert.deepEqual([caller.hears, phone.hears, target.log.at(-1)], [[phone], [caller], 'hangUp normal'])
    assert.deepEqual(
      call.status().participants.map(({ hold }) => hold),
      [false, false],
    )
    await exchange.rest()
    assert.deepEqual(await exchange.money(ada), { spent: 990, reserved: 0 })
    phone.hangsUp()
    await exchange.rest()
    assert.equal(exchange.lastEnd?.reason, 'callee_hangup')
    assert.equal((await exchange.entry(ada)).detail.duration, 15)
  })

test('the third one hangs up: the two talk again; each account has its own times', async (t) => {
  const { exchange, ada, bob, caller, phone, target, callId } = await consulting(t)
  target.hangsUp()
  await exchange.rest()
  assert.deepEqual([caller.hears, phone.hears], [[phone], [caller]])
  assert.equal(exchange.calls.list(adminOf(bob)).length, 0)
  await exchange.seconds(20)
  const again = transferring(exchange, ada, callId, { phoneNumber: bob.number, attended: true })
  await exchange.rest()
  exchange.phone.answers()
  await exchange.rest()
  assert.equal(again.state, 'done')
  exchange.telephony.alive.at(-1)?.hangsUp()
  await exchange.rest()
  caller.hangsUp()
  await exchange.rest()
  const { detail, userId } = await exchange.entry(ada)
  assert.deepEqual([detail.duration, userId], [35, ada.userId])
})

test('inside one account: a user who picked up and gave the call back does not own the entry', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const colleague = await exchange.store.write((tables) => exchange.addUser(tables, ada.accountId))
  const deviceId = await exchange.store.write((tables) => exchange.addDevice(tables, ada.accountId, colleague))
  const { caller, phone, callId } = await talking(exchange, ada)
  transferring(exchange, ada, callId, { phoneNumber: deviceId, attended: true })
  await exchange.rest()
  exchange.phone.answers()
  await exchange.rest()
  exchange.telephony.alive.at(-1)?.hangsUp()
  await exchange.rest()
  assert.deepEqual(caller.hears, [phone])
  caller.hangsUp()
  await exchange.rest()
  assert.equal((await exchange.entry(ada)).userId, ada.userId)
})

test('the waiting party hangs up: the two others go on', async (t) => {
  const { exchange, caller, phone, target, call } = await consulting(t)
  caller.hangsUp()
  await exchange.rest()
  assert.deepEqual([phone.hears, target.hears, call.status().participants.length], [[target], [phone], 2])
  await call.hold(true)
  await call.hold(false)
  target.hangsUp()
  await exchange.rest()
  assert.equal(exchange.lastEnd?.reason, 'caller_hangup', 'it had taken that place')
})

test('the end of everything: by command, by the service', async (t) => {
  const { exchange, caller, phone, target, call } = await consulting(t)
  await call.hangUp()
  for (const leg of [caller, phone, target]) assert.equal(leg.log.at(-1), 'hangUp normal')
  assert.equal(exchange.lastEnd?.reason, 'api_hangup')
  const second = await consulting(t)
  await second.exchange.callRouter.hangUpAll()
  assert.equal(second.exchange.lastEnd?.reason, 'service_shutdown')
})

test('the money for the third party is at its end: the asking party hears why and is back with the other', async (t) => {
  const { exchange, caller, phone, target, ada } = await consulting(t, { phoneNumber: mobile, money: 990 })
  await exchange.seconds(50)
  assert.deepEqual(sounds(phone), [{ prompt: 'insufficient-funds', language: 'de' }])
  await exchange.seconds(3)
  assert.deepEqual([target.log.at(-1), caller.hears, phone.hears], ['hangUp normal', [phone], [caller]])
  await exchange.seconds(600)
  assert.equal(caller.ended, undefined)
  assert.equal((await exchange.store.read.balances.find(ada.accountId))?.amount, 0)
})

test('joined before the money is at its end, it is the end of the call', async (t) => {
  const { exchange, caller, phone, target } = await consulting(t, { phoneNumber: mobile, money: 990 })
  phone.hangsUp()
  await exchange.seconds(60)
  assert.ok(caller.ended && target.ended)
  assert.equal(exchange.lastEnd?.reason, 'insufficient_funds')
})

test('no answer, or a rejection: told if it was before it rang, otherwise the two talk again', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const bob = await exchange.newCustomer()
  const { caller, phone, callId } = await talking(exchange, ada)
  const busy = transferring(exchange, ada, callId, { phoneNumber: bob.number, attended: true })
  await exchange.rest()
  exchange.phone.refuses('busy', 486)
  await exchange.rest()
  assert.equal(busy.state, 'transfer_failed')
  assert.ok(!caller.log.includes('hold true'))
  transferring(exchange, ada, callId, { phoneNumber: bob.number, attended: true })
  await exchange.rest()
  exchange.phone.sendsEarlyAudio()
  await exchange.rest()
  assert.equal(phone.hears.length, 1, 'what is heard before the answer')
  await exchange.seconds(30)
  assert.deepEqual([caller.hears, phone.hears, caller.log.at(-1), exchange.ringing], [[phone], [caller], 'hold false', []])
  exchange.telephony.register(bob.accountId, bob.deviceId, 0)
  const nobody = transferring(exchange, ada, callId, { phoneNumber: bob.number, attended: true })
  await exchange.rest()
  assert.equal(nobody.state, 'transfer_failed', 'a voicemail cannot be asked')
})

test('the asking party hangs up while it rings: the caller waits for the answer instead', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const bob = await exchange.newCustomer()
  await withoutVoicemail(exchange, bob)
  for (const answered of [true, false]) {
    const { caller, phone, callId } = await talking(exchange, ada)
    transferring(exchange, ada, callId, { phoneNumber: bob.number, attended: true })
    await exchange.rest()
    const target = exchange.phone
    target.rings()
    await exchange.rest()
    phone.hangsUp()
    await exchange.rest()
    assert.deepEqual([caller.ended, caller.log.at(-1), sounds(caller)], [undefined, 'hold false', [{ tone: 'ringback' }]])
    if (answered) {
      target.answers()
      await exchange.rest()
      assert.deepEqual([caller.hears, target.hears, sounds(caller)], [[target], [caller], []])
      target.hangsUp()
    }
    await exchange.seconds(30)
    assert.equal(exchange.lastEnd?.reason, answered ? 'callee_hangup' : 'no_answer')
  }
})

test('all parties hang up at the same moment, in any order', async (t) => {
  const orders = [
    [0, 1],
    [1, 0],
    [1, 2],
    [2, 1],
    [0, 2],
    [2, 0],
  ]
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const bob = await exchange.newCustomer()
  for (const order of orders) {
    const { caller, phone, callId } = await talking(exchange, ada)
    transferring(exchange, ada, callId, { phoneNumber: bob.number, attended: true })
    await exchange.rest()
    const target = exchange.phone
    target.answers()
    await exchange.rest()
    for (const who of order) [caller, phone, target][who]?.hangsUp()
    await exchange.rest()
    assert.ok(caller.ended && phone.ended && target.ended, order.join())
    assert.equal(exchange.callRouter.size, 0)
  }
  assert.deepEqual(exchange.failures, [])
})

test('what another account may do: end its part, but neither end nor hear the talk that it is not in', async (t) => {
  const exchange = await openExchange(t)
  const [ada, bob, eve] = [await exchange.newCustomer(), await exchange.newCustomer(), await exchange.newCustomer()]
  const waiting = await exchange.callFrom(eve, ada.number)
  const { phone } = exchange
  phone.answers()
  await exchange.rest()
  const { callId, call } = talkOf(exchange, eve, waiting, phone)
  const { bridge } = waiting
  await call.record(true, { announcement: false })
  transferring(exchange, ada, callId, { phoneNumber: bob.number, attended: true })
  await exchange.rest()
  const target = exchange.phone
  target.answers()
  await exchange.rest()
  for (const phoneNumber of [bob.number, ada.number]) {
    const asked = transferring(exchange, eve, callId, { phoneNumber })
    await exchange.rest()
    assert.equal(asked.state, 'call_not_in_state')
  }
  await assert.rejects(call.hold(false), { code: 'call_not_in_state' })
  assert.deepEqual(phone.hears, [target])
  assert.notEqual(target.bridge, bridge, 'nothing of it is in the recording of the one who waits')
  phone.hangsUp()
  await exchange.rest()
  assert.equal(target.bridge, bridge)
})

test('DELETE by an account that did not want the consultation: as if its phone hung up', async (t) => {
  const exchange = await openExchange(t)
  const [ada, bob, eve] = [await exchange.newCustomer(), await exchange.newCustomer(), await exchange.newCustomer()]
  for (const [whose, left] of [
    [bob, 'caller and phone'],
    [eve, 'phone and target'],
    [ada, 'nobody'],
  ] as const) {
    const caller = await exchange.callFrom(eve, ada.number)
    const { phone } = exchange
    phone.answers()
    await exchange.rest()
    const { callId } = talkOf(exchange, eve, caller, phone)
    transferring(exchange, ada, callId, { phoneNumber: bob.number, attended: true })
    await exchange.rest()
    const target = exchange.phone
    target.answers()
    await exchange.rest()
    const notified = exchange.calls.get(adminOf(whose), callId).hangUp()
    await exchange.rest()
    await notified
    const legs = Object.entries({ caller, phone, target }).filter(([, { over }]) => !over)
    assert.equal(legs.map(([name]) => name).join(' and ') || 'nobody', left)
    for (const [, leg] of legs) assert.equal(leg.hears.length, 1)
    for (const [, leg] of legs) leg.hangsUp()
    await exchange.rest()
  }
})

test('a phone that cannot be put on hold hears the music all the same', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const bob = await exchange.newCustomer()
  const { caller, phone, callId, call } = await talking(exchange, ada)
  caller.hold = (value) => (value ? Promise.reject(new Error('488')) : Promise.resolve())
  transferring(exchange, ada, callId, { phoneNumber: bob.number, attended: true })
  await exchange.rest()
  exchange.phone.answers()
  await exchange.rest()
  assert.deepEqual([sounds(caller), call.status().participants[0]?.hold], [[music], true])
  await call.hold(false)
  assert.deepEqual([sounds(caller), caller.hears], [[], [phone]])
})
