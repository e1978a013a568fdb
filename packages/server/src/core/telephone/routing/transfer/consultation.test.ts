import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { databases, type Database } from '#test/store/databases.ts'
import { adminOf } from '#test/routing/flow-calls.ts'
import { openExchange, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import type { ScriptedLeg } from '#test/ports/scripted-leg.ts'
import { talking, talkOf, transferring, withoutVoicemail, type Talk } from '#test/routing/transfers.ts'

const mobile = '+4915112345678'
const music = { music: 'hold' }
const sounds = (leg: ScriptedLeg): unknown[] => [...leg.announcing, ...leg.playing].map(({ sound }) => sound)

interface Scene extends Talk {
  exchange: Exchange
  ada: Customer
  /** Consulted by Ada; pays no charge. */
  bob: Customer
  target: ScriptedLeg
}

interface SceneOptions {
  database?: Database
  /** Consulted instead of Bob. */
  phoneNumber?: string
  money?: number
}

/** Ada's phone consults a third party while her caller waits. */
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

test('holds the caller with music while the phone consults, and lists all three participants', async (t) => {
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
    test(`${database}: connects the two others when the requesting party ${how}`, async (t) => {
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
      assert.ok(phone.over)
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
  test(`${database}: reconnects the original two and charges the consultation when it is cancelled`, async (t) => {
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

test('reconnects the original two when the third party hangs up, with separate times per account', async (t) => {
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

test('keeps the history entry with the original user after a consultation inside one account', async (t) => {
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

test('keeps the two others connected when the waiting party hangs up', async (t) => {
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

test('ends all three legs by command and at shutdown', async (t) => {
  const { exchange, caller, phone, target, call } = await consulting(t)
  await call.hangUp()
  for (const leg of [caller, phone, target]) assert.equal(leg.log.at(-1), 'hangUp normal')
  assert.equal(exchange.lastEnd?.reason, 'api_hangup')
  const second = await consulting(t)
  await second.exchange.callRouter.hangUpAll()
  assert.equal(second.exchange.lastEnd?.reason, 'service_shutdown')
})

test('plays the reason and reconnects the original two when funds for the third party run out', async (t) => {
  const { exchange, caller, phone, target, ada } = await consulting(t, { phoneNumber: mobile, money: 990 })
  await exchange.seconds(50)
  assert.deepEqual(sounds(phone), [{ prompt: 'insufficient-funds', language: 'de' }])
  await exchange.seconds(3)
  assert.deepEqual([target.log.at(-1), caller.hears, phone.hears], ['hangUp normal', [phone], [caller]])
  await exchange.seconds(600)
  assert.equal(caller.over, undefined)
  assert.equal((await exchange.store.read.balances.find(ada.accountId))?.amount, 0)
})

test('ends the call when funds run out after the two others were joined', async (t) => {
  const { exchange, caller, phone, target } = await consulting(t, { phoneNumber: mobile, money: 990 })
  phone.hangsUp()
  await exchange.seconds(60)
  assert.ok(caller.over && target.over)
  assert.equal(exchange.lastEnd?.reason, 'insufficient_funds')
})

test('rejects the request when the target fails before ringing, else reconnects the original two', async (t) => {
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

test('lets the caller wait for the answer when the requesting party hangs up during ringing', async (t) => {
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
    assert.deepEqual([caller.over, caller.log.at(-1), sounds(caller)], [undefined, 'hold false', [{ tone: 'ringback' }]])
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

test('ends the call when two parties hang up concurrently, in any order', async (t) => {
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
    assert.ok(caller.over && phone.over && target.over, order.join())
    assert.equal(exchange.callRouter.size, 0)
  }
  assert.deepEqual(exchange.failures, [])
})

test('rejects control by the waiting account and keeps the consultation out of its recording', async (t) => {
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

test('DELETE by another account acts like a hang-up of its phone', async (t) => {
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

test('plays music to a waiting phone that rejects hold', async (t) => {
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
