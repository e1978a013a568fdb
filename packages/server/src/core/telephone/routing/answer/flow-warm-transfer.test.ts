import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Cause, Leg } from '#core/kernel/ports/telephony.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import { databases, type Database } from '#test/store/databases.ts'
import { addFlow, adminOf } from '#test/routing/flow-calls.ts'
import { restart, savedCalls } from '#test/routing/lost-calls.ts'
import { ScriptedAssistant } from '#test/routing/scripted-assistant.ts'
import { openExchange, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import type { ScriptedLeg } from '#test/ports/scripted-leg.ts'

const mobile = '+4915112345678'
const music = [{ music: 'hold' }]

type Decision = 'accepted' | Cause

/** A caller offered by an account's assistant to a target that has to accept. */
interface Offer {
  exchange: Exchange
  ada: Customer
  caller: ScriptedLeg
  outcome: string | undefined
  /** Briefed legs, in order. */
  briefed: Leg[]
  decide: (decision: Decision) => Promise<void>
}

const offered = async (
  t: TestContext,
  to: string | ((exchange: Exchange, ada: Customer) => Promise<string>),
  { database = 'sqlite', money = 500_000, ...settings }: { database?: Database; money?: number } & FlowSettings = {},
): Promise<Offer> => {
  const assistant = new ScriptedAssistant()
  const exchange = await openExchange(t, { database, flows: assistant })
  await exchange.addTrunk()
  const ada = await exchange.newCustomer({ money })
  await addFlow(exchange, ada, { transferTargets: ['+49*', 'p0', 'g0'], ...settings })
  const caller = await exchange.callIn(ada.number)
  await exchange.seconds(10)
  const briefed: Leg[] = []
  let resolve: (decision: Decision) => void = () => {}
  const brief = (leg: Leg): Promise<Decision> => {
    briefed.push(leg)
    return new Promise((decided) => (resolve = decided))
  }
  const decide = (decision: Decision): Promise<void> => {
    resolve(decision)
    return exchange.rest()
  }
  const offer: Offer = { exchange, ada, caller, outcome: undefined, briefed, decide }
  const target = typeof to === 'string' ? to : await to(exchange, ada)
  void assistant.call.transfer(target, { brief }).then((outcome) => (offer.outcome = outcome))
  await exchange.rest()
  return offer
}

const sounds = ({ playing }: ScriptedLeg): unknown[] => playing.map(({ sound }) => sound)

for (const database of databases)
  test(`${database}: plays music until the target has accepted, then connects both, charged from the answer`, async (t) => {
    const offer = await offered(t, mobile, { database })
    const { exchange, ada, caller, briefed } = offer
    const { phone } = exchange
    assert.deepEqual(sounds(caller), music, 'at once')
    phone.rings()
    phone.sendsEarlyAudio()
    await exchange.rest()
    assert.deepEqual([sounds(caller), caller.hears], [music, []], 'neither ringing nor what the network plays')
    const { reserved } = await exchange.money(ada)
    phone.answers()
    await exchange.seconds(65)
    assert.deepEqual([briefed, sounds(caller), caller.hears, phone.hears], [[phone], music, [], []])
    const { participants } = exchange.calls.list(adminOf(ada))[0]?.status() ?? assert.fail()
    assert.deepEqual(
      participants.map(({ hold }) => hold),
      [true, false, false],
      'the caller, the target, the assistant',
    )
    await offer.decide('accepted')
    assert.deepEqual([offer.outcome, sounds(caller), caller.hears, phone.hears], ['taken', [], [phone], [caller]])
    phone.presses('5')
    assert.equal(caller.log.at(-1), 'dtmf 5')
    await exchange.seconds(50)
    phone.hangsUp()
    await exchange.rest()
    assert.equal(exchange.lastEnd?.reason, 'callee_hangup')
    assert.deepEqual(await exchange.money(ada), { spent: reserved * 2, reserved: 0 })
    const { endpoints, detail } = await exchange.entry(ada)
    assert.deepEqual([endpoints.at(-1)?.extension, detail.duration], [mobile, 125])
  })

test('returns the caller to the assistant when the target declines, does not decide or hangs up, and charges the leg', async (t) => {
  const ends: [string, (offer: Offer, phone: ScriptedLeg) => unknown][] = [
    ['rejected', (offer) => offer.decide('rejected')],
    ['no_answer', (offer) => offer.decide('no_answer')],
    [
      'rejected',
      (offer, phone) => {
        phone.hangsUp()
        return offer.decide('accepted') // crosses with the hang-up
      },
    ],
    ['failed', (offer) => offer.decide('failed')],
  ]
  for (const [cause, end] of ends) {
    const offer = await offered(t, mobile)
    const { exchange, caller, ada } = offer
    const { phone } = exchange
    phone.answers()
    await exchange.seconds(5)
    phone.presses('9')
    assert.equal(caller.log.includes('dtmf 9'), false, 'keys are for the one who asks')
    await end(offer, phone)
    await exchange.rest()
    assert.deepEqual([offer.outcome, sounds(caller), caller.bridge, caller.over], [cause, [], undefined, undefined])
    assert.ok(phone.over)
    assert.equal((await exchange.money(ada)).reserved, 0)
    assert.ok((await exchange.money(ada)).spent > 0)
    caller.hangsUp()
    await exchange.rest()
    assert.equal(exchange.lastEnd?.reason, 'caller_hangup')
  }
})

test('hangs up the target when the caller hangs up or is hung up during the briefing', async (t) => {
  for (const end of ['caller_hangup', 'api_hangup']) {
    const offer = await offered(t, mobile)
    const { exchange, caller, ada } = offer
    const { phone } = exchange
    phone.answers()
    await exchange.seconds(5)
    if (end === 'caller_hangup') caller.hangsUp()
    else void exchange.calls.list(adminOf(ada))[0]?.hangUp()
    await exchange.rest()
    assert.deepEqual([exchange.lastEnd?.reason, phone.over?.by, offer.outcome], [end, 'us', 'normal'])
    await offer.decide('accepted')
    assert.deepEqual(exchange.telephony.alive, [])
    assert.equal((await exchange.money(ada)).reserved, 0)
  }
})

test('does not brief a voicemail or a busy target, and connects another assistant without a briefing', async (t) => {
  const voicemail = await offered(t, async (exchange) => {
    const bob = await exchange.newCustomer()
    exchange.telephony.register(bob.accountId, bob.deviceId, 0)
    return bob.number
  })
  assert.equal(voicemail.outcome, 'unavailable')
  const flow = await offered(t, async (exchange) => {
    const bob = await exchange.newCustomer()
    await addFlow(exchange, bob)
    return bob.number
  })
  assert.equal(flow.outcome, 'taken')
  const busy = await offered(t, mobile)
  busy.exchange.phone.refuses('busy', 486)
  await busy.exchange.rest()
  assert.equal(busy.outcome, 'busy')
  for (const { caller, briefed } of [voicemail, flow, busy]) assert.deepEqual([sounds(caller), briefed, caller.over], [[], [], undefined])
})

test('briefs the first phone that answers and stops the others ringing', async (t) => {
  const offer = await offered(t, async (exchange, { accountId, userId }) => {
    await exchange.store.write((tables) => exchange.addDevice(tables, accountId, userId))
    return 'p0'
  })
  const { exchange, briefed } = offer
  const [first, second] = exchange.ringing
  assert.ok(first && second)
  second.answers()
  await exchange.rest()
  assert.deepEqual([briefed, first.log.at(-1)], [[second], 'hangUp answered_elsewhere'])
  await offer.decide('accepted')
  assert.equal(offer.outcome, 'taken')
})

test('rejects commands during the briefing, ignores hold, and lets the target’s account end only its own leg', async (t) => {
  let bob: Customer | undefined
  const offer = await offered(t, async (exchange) => {
    bob = await exchange.newCustomer()
    return bob.number
  })
  assert.ok(bob)
  const { exchange, ada, caller } = offer
  const { phone } = exchange
  phone.answers()
  await exchange.rest()
  const view = exchange.calls.list(adminOf(ada))[0] ?? assert.fail()
  for (const refused of [view.hold(true), view.mute(true), view.sendDtmf('1')]) await assert.rejects(refused, { code: 'call_not_in_state' })
  caller.holds(true)
  phone.holds(true)
  await exchange.rest()
  assert.deepEqual([sounds(phone), sounds(caller)], [[], music])
  phone.holds(false)
  caller.holds(false)
  await exchange.calls.list(adminOf(bob))[0]?.hangUp()
  await exchange.rest()
  assert.deepEqual([phone.over?.by, caller.over, exchange.calls.list(adminOf(bob))], ['us', undefined, []])
  await offer.decide('rejected')
  assert.deepEqual([offer.outcome, sounds(caller)], ['rejected', []])
  caller.hangsUp()
  await exchange.rest()
  assert.deepEqual([(await exchange.entry(bob)).status, (await exchange.entry(bob)).detail.duration], ['NOPICKUP', 0])
})

test('returns the caller to the assistant when funds run out during a transfer', async (t) => {
  const offer = await offered(t, mobile, { money: 990 })
  const { exchange, caller, ada } = offer
  exchange.phone.answers()
  await exchange.seconds(120)
  assert.deepEqual([offer.outcome, sounds(caller), caller.over], ['payment_required', [], undefined])
  assert.equal((await exchange.money(ada)).reserved, 0)
})

test('keeps the briefing out of the recording and records both parties on separate channels', async (t) => {
  const offer = await offered(t, 'p0')
  const { exchange, caller, ada } = offer
  const { phone } = exchange
  phone.answers()
  await exchange.rest()
  const [call] = exchange.callRouter.calls
  await call?.recordings.start(ada.accountId, { announcement: false })
  assert.deepEqual([caller.bridge?.legs, phone.bridge], [[caller], undefined])
  await offer.decide('accepted')
  assert.deepEqual(caller.bridge?.legs, [caller, phone])
  assert.deepEqual([...(caller.bridge?.left.values() ?? [])], [[phone]])
})

test('does not hand over a call in a warm transfer, and sends BYE to both phones when the node dies', async (t) => {
  const { exchange, caller, ada } = await offered(t, mobile)
  const { phone } = exchange
  phone.answers()
  await exchange.rest()
  const [call] = exchange.callRouter.calls
  assert.ok(call)
  assert.deepEqual([await exchange.callRouter.offer(caller), await call.beginHandOver()], [undefined, undefined])
  assert.deepEqual((await savedCalls(exchange))[0]?.snapshot.dialogs, [{ id: caller.id }, { id: phone.id }])
  await restart(exchange)
  assert.deepEqual(exchange.telephony.byes, [caller.id, phone.id])
  assert.equal((await exchange.money(ada)).reserved, 0)
})
