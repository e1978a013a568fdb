import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '#test/store/databases.ts'
import { addFlow, adminOf } from '#test/routing/flow-calls.ts'
import { ScriptedAssistant } from '#test/routing/scripted-assistant.ts'
import { aNumber, openExchange, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import type { ScriptedLeg } from '#test/ports/scripted-leg.ts'
import { talking, transferring, withoutVoicemail, type Asked, type Talk } from '#test/routing/transfers.ts'

const mobile = '+4915112345678'

const sounds = (leg: ScriptedLeg): unknown[] => leg.playing.map(({ sound }) => sound)
const music = { music: 'hold' }
const ringback = { tone: 'ringback' }

const states = (asked: readonly Asked[]): string[] => asked.map(({ state }) => state)

const begin = async (exchange: Exchange): Promise<Talk & { ada: Customer; bob: Customer }> => {
  const ada = await exchange.newCustomer()
  const bob = await exchange.newCustomer()
  await withoutVoicemail(exchange, bob)
  return { ...(await talking(exchange, ada)), ada, bob }
}

for (const database of databases)
  test(`${database}: transfers to an external number, resolves when it rings, connects at the answer, and charges the account to the end`, async (t) => {
    const exchange = await openExchange(t, { database })
    await exchange.addTrunk()
    const ada = await exchange.newCustomer()
    const { caller, phone, callId } = await talking(exchange, ada)
    const asked = transferring(exchange, ada, callId, { phoneNumber: mobile })
    await exchange.rest()
    const target = exchange.phone
    assert.deepEqual(target.dial?.caller, { number: ada.number, name: 'Ada Lovelace', withheld: false })
    assert.deepEqual([asked.state, caller.hears, sounds(phone)], ['pending', [phone], []], 'nothing has changed yet')
    target.rings()
    await exchange.rest()
    assert.equal(asked.state, 'done')
    assert.deepEqual([sounds(caller), sounds(phone), phone.hears, caller.hears], [[ringback], [music], [], []])
    target.answers()
    await exchange.rest()
    assert.deepEqual([caller.hears, target.hears, sounds(caller), phone.log.at(-1)], [[target], [caller], [], 'hangUp normal'])
    await exchange.seconds(65)
    caller.hangsUp()
    await exchange.rest()
    assert.deepEqual(await exchange.money(ada), { spent: 2 * 990, reserved: 0 })
    const { endpoints, detail } = await exchange.entry(ada)
    assert.deepEqual(
      endpoints.map(({ type, extension }) => `${type} ${extension}`),
      [`ROUTED ${ada.line}`, `PICKUP ${ada.deviceId}`, `FORWARDED ${mobile}`],
    )
    assert.equal(detail.duration, 75, 'who pays is in it until the end')
  })

test('treats a repeated request as the same transfer, and rejects another one while it is pending', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  const { callId } = await talking(exchange, ada)
  for (const attended of [false, true]) {
    const ask = (phoneNumber: string) => transferring(exchange, ada, callId, { phoneNumber, attended })
    const vain = [ask(mobile), ask(mobile)]
    await exchange.rest()
    assert.equal(exchange.ringing.length, 1)
    exchange.phone.refuses('busy', 486)
    await exchange.rest()
    assert.deepEqual(states(vain), ['transfer_failed', 'transfer_failed'])
    const asked = [ask(mobile), ask(mobile), ask('+4915112345679')]
    await exchange.rest()
    exchange.phone.rings()
    await exchange.rest()
    const later = ask(mobile)
    await exchange.rest()
    assert.deepEqual(states([...asked, later]), ['done', 'done', 'call_not_in_state', 'done'])
    assert.equal(exchange.ringing.length, 1)
    exchange.phone.refuses('rejected', 603)
    await exchange.rest()
  }
})

test('reports a failure before ringing with its reason, without a charge or a change', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const { caller, phone, callId, ada, bob } = await begin(exchange)
  const attempts: [string, () => void, RegExp][] = [
    [mobile, () => exchange.phone.refuses('busy', 486), /somebody else/],
    [mobile, () => exchange.phone.refuses('not_found', 404), /Nobody has/],
    [bob.number, () => exchange.phone.refuses('rejected', 603), /declined/],
    [mobile, () => {}, /Nobody answered/],
  ]
  for (const [phoneNumber, happens, words] of attempts) {
    const asked = transferring(exchange, ada, callId, { phoneNumber })
    await exchange.rest()
    happens()
    await exchange.seconds(30)
    assert.equal(asked.state, 'transfer_failed')
    assert.match(asked.words, words)
    assert.deepEqual([caller.hears, phone.hears, sounds(caller), sounds(phone)], [[phone], [caller], [], []])
  }
  assert.deepEqual(exchange.ringing, [])
  assert.deepEqual(await exchange.money(ada), { spent: 0, reserved: 0 })
  const again = transferring(exchange, ada, callId, { phoneNumber: bob.number })
  await exchange.rest()
  exchange.phone.answers()
  await exchange.rest()
  assert.equal(again.state, 'done', 'failures do not count')
})

test('rejects transfers without funds, to premium or emergency numbers, or with a foreign caller ID before ringing', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const poor = await exchange.newCustomer({ money: 0 })
  const bob = await exchange.newCustomer()
  const { caller, phone, callId } = await talking(exchange, poor)
  const codes: string[] = []
  const inputs = [
    { phoneNumber: mobile },
    { phoneNumber: mobile, attended: true },
    { phoneNumber: '0900 1234567' },
    { phoneNumber: '112' },
    { phoneNumber: '+49110' },
    { phoneNumber: bob.number, callerId: bob.number },
    { phoneNumber: 'nobody' },
    { phoneNumber: 'p99' },
  ]
  for (const input of inputs) {
    const asked = transferring(exchange, poor, callId, input)
    await exchange.rest()
    codes.push(asked.state)
  }
  const expected = ['insufficient_funds', 'insufficient_funds', ...Array.from({ length: 3 }, () => 'destination_blocked')]
  assert.deepEqual(codes, [...expected, 'caller_id_not_owned', 'number_invalid', 'number_invalid'])
  assert.deepEqual([exchange.telephony.called.length, caller.hears, caller.log], [1, [phone], ['ring', 'answer'].slice(-caller.log.length)])
  assert.equal(transferring(exchange, bob, callId, { phoneNumber: bob.number }).state, 'pending')
})

test('reconnects the two, muted and recorded as before, when the target rings but does not answer', async (t) => {
  const exchange = await openExchange(t)
  const { caller, phone, callId, call, ada, bob } = await begin(exchange)
  await call.mute(true)
  await call.record(true, { announcement: false })
  transferring(exchange, ada, callId, { phoneNumber: bob.number })
  await exchange.rest()
  exchange.phone.rings()
  await exchange.rest()
  assert.deepEqual([sounds(caller), sounds(phone)], [[ringback], [music]])
  for (const refused of [call.hold(true), call.mute(false), call.sendDtmf('1')])
    await assert.rejects(refused, { code: 'call_not_in_state' })
  const second = transferring(exchange, ada, callId, { phoneNumber: mobile })
  await exchange.rest()
  assert.equal(second.state, 'call_not_in_state', 'one at a time')
  await exchange.seconds(30)
  assert.deepEqual([exchange.ringing, sounds(caller), sounds(phone)], [[], [], []])
  assert.deepEqual([phone.hears, caller.hears, phone.muted], [[caller], [], true])
  const { muted, recording, hold, participants } = call.status()
  assert.deepEqual([muted, recording, hold, participants.length], [true, true, false, 2])
  await call.mute(false)
  assert.deepEqual(caller.hears, [phone])
})

test('resumes a held call when the target rings, also when the transfer fails', async (t) => {
  const exchange = await openExchange(t)
  const { caller, phone, callId, call, ada, bob } = await begin(exchange)
  await call.hold(true)
  transferring(exchange, ada, callId, { phoneNumber: bob.number })
  await exchange.rest()
  exchange.phone.rings()
  await exchange.rest()
  assert.equal(caller.log.includes('hold false'), true)
  exchange.phone.refuses('busy', 486)
  await exchange.rest()
  assert.deepEqual([phone.log.at(-1), call.status().hold], ['hold false', false])
  assert.deepEqual([caller.hears, phone.hears], [[phone], [caller]])
})

test('lets the leaving phone hang up during a transfer, and ends the call with the other party or by command', async (t) => {
  const exchange = await openExchange(t)
  const { bob, ...first } = await begin(exchange)
  transferring(exchange, first.ada, first.callId, { phoneNumber: bob.number })
  await exchange.rest()
  exchange.phone.rings()
  first.phone.hangsUp()
  await exchange.rest()
  assert.equal(first.caller.over, undefined)
  const target = exchange.phone
  target.answers()
  await exchange.rest()
  assert.deepEqual(first.caller.hears, [target])
  target.hangsUp()
  await exchange.rest()

  const ends: [string, (talk: Talk, ringing: ScriptedLeg) => void, string][] = [
    ['no answer after that', ({ phone }) => phone.hangsUp(), 'no_answer'],
    ['the other one', ({ caller }) => caller.hangsUp(), 'caller_hangup'],
    ['by command', ({ call }) => void call.hangUp(), 'api_hangup'],
    ['crossing with the answer', ({ caller }, ringing) => (ringing.answers(), caller.hangsUp()), 'caller_hangup'],
  ]
  for (const [what, happens, reason] of ends) {
    const talk = await talking(exchange, first.ada)
    transferring(exchange, first.ada, talk.callId, { phoneNumber: bob.number })
    await exchange.rest()
    const ringing = exchange.phone
    ringing.rings()
    happens(talk, ringing)
    await exchange.seconds(30)
    assert.equal(exchange.lastEnd?.reason, reason, what)
    for (const leg of [talk.caller, talk.phone, ringing]) assert.ok(leg.over, what)
  }
})

test('rejects the request when the call ends before the target rings or as it answers', async (t) => {
  const exchange = await openExchange(t)
  const { caller, callId, ada, bob } = await begin(exchange)
  for (const attended of [false, true]) {
    const talk = attended ? await talking(exchange, ada) : { caller, callId }
    const asked = transferring(exchange, ada, talk.callId, { phoneNumber: bob.number, attended })
    await exchange.rest()
    talk.caller.hangsUp()
    await exchange.rest()
    assert.equal(asked.state, 'call_not_in_state')
  }
  for (const attended of [false, true]) {
    const crossing = await talking(exchange, ada)
    const asked = transferring(exchange, ada, crossing.callId, { phoneNumber: bob.number, attended })
    await exchange.rest()
    const { phone: target } = exchange
    target.answers()
    crossing.caller.hangsUp()
    await exchange.rest()
    assert.deepEqual([asked.state, target.over !== undefined], ['call_not_in_state', true], 'at the moment of the answer')
  }
})

test('replaces the requesting user’s phone if both belong to the account, else the called one', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const bob = await exchange.newCustomer()
  const colleague = await exchange.store.write((tables) => exchange.addUser(tables, ada.accountId))
  const deviceId = await exchange.store.write((tables) => exchange.addDevice(tables, ada.accountId, colleague))
  const phones = async (): Promise<[ScriptedLeg, ScriptedLeg, string]> => {
    const caller = await exchange.callFrom(ada, deviceId)
    const called = exchange.phone
    called.answers()
    await exchange.rest()
    return [caller, called, exchange.changes.at(-1)?.[1].callId ?? '']
  }
  const leaves = async (asking: Customer): Promise<string> => {
    const [caller, called, callId] = await phones()
    transferring(exchange, asking, callId, { phoneNumber: bob.number })
    await exchange.rest()
    exchange.phone.answers()
    await exchange.rest()
    const gone = caller.over ? 'caller' : 'called'
    for (const leg of [caller, called]) leg.hangsUp()
    await exchange.rest()
    return gone
  }
  assert.equal(await leaves(ada), 'caller')
  assert.equal(await leaves({ ...ada, userId: colleague }), 'called')
  assert.equal(await leaves({ ...ada, userId: 'w99' }), 'called')
})

test('limits a call to three transfers and five hops', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const { callId } = await talking(exchange, ada)
  const deviceId = await exchange.store.write((tables) => exchange.addDevice(tables, ada.accountId, ada.userId))
  const states: string[] = []
  for (const phoneNumber of [deviceId, ada.deviceId, deviceId, ada.deviceId]) {
    const asked = transferring(exchange, ada, callId, { phoneNumber })
    await exchange.rest()
    exchange.ringing[0]?.answers()
    await exchange.rest()
    states.push(asked.state)
  }
  assert.deepEqual(states, ['done', 'done', 'done', 'transfer_failed'])
  const bob = await exchange.newCustomer()
  const worn = await talking(exchange, bob, { hops: 5 })
  const asked = transferring(exchange, bob, worn.callId, { phoneNumber: ada.number })
  await exchange.rest()
  assert.equal(asked.state, 'transfer_failed')
})

test('transfers an assistant’s call wherever the account may call, on request of its account only', async (t) => {
  const assistant = new ScriptedAssistant()
  const exchange = await openExchange(t, { flows: assistant })
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  const bob = await exchange.newCustomer()
  await addFlow(exchange, ada, { transferTargets: [] })
  const caller = await exchange.callFrom(bob, ada.number)
  await exchange.seconds(10)
  const { callId } = assistant.call
  const outcomes: string[] = []
  assistant.call.observeTransfers((to, outcome) => {
    outcomes.push(to)
    void outcome.then((what) => outcomes.push(what))
  })
  const states: string[] = []
  for (const [asking, attended] of [[bob, false] as const, [ada, true] as const]) {
    const asked = transferring(exchange, asking, callId, { phoneNumber: mobile, attended })
    await exchange.rest()
    states.push(asked.state)
  }
  assert.deepEqual(states, ['call_not_in_state', 'call_not_in_state'], 'only its account, and nobody asks first')

  const busy = transferring(exchange, ada, callId, { phoneNumber: mobile })
  await exchange.rest()
  exchange.phone.refuses('busy', 486)
  await exchange.rest()
  assert.deepEqual([busy.state, outcomes, sounds(caller)], ['transfer_failed', [], []], 'the assistant has not noticed')

  transferring(exchange, ada, callId, { phoneNumber: mobile })
  await exchange.rest()
  exchange.phone.rings()
  await exchange.rest()
  assert.deepEqual([outcomes, sounds(caller)], [[mobile], [ringback]])
  exchange.phone.refuses('busy', 486)
  await exchange.rest()
  assert.deepEqual([outcomes, sounds(caller)], [[mobile, 'busy'], []])

  const asked = transferring(exchange, ada, callId, { phoneNumber: mobile })
  await exchange.rest()
  const target = exchange.phone
  assert.equal(target.dial?.caller.number, ada.number)
  target.answers()
  await exchange.rest()
  assert.deepEqual([asked.state, outcomes.slice(2), caller.hears], ['done', [mobile, 'taken'], [target]])
  assistant.sessions[0]?.leave()
  await exchange.rest()
  assert.equal(caller.over, undefined)
  assert.equal(exchange.calls.list(adminOf(ada))[0]?.status().participants.length, 2)
})

test('plays hold music to the held party until the target rings', async (t) => {
  const exchange = await openExchange(t)
  const { caller, phone, callId, ada, bob } = await begin(exchange)
  phone.holds(true)
  for (const attended of [false, true]) {
    const asked = transferring(exchange, ada, callId, { phoneNumber: bob.number, attended })
    await exchange.rest()
    assert.deepEqual(sounds(caller), [music])
    exchange.phone.rings()
    await exchange.rest()
    assert.equal(asked.state, 'done')
    assert.deepEqual(sounds(attended ? phone : caller), [ringback])
    exchange.phone.refuses('busy', 486)
    await exchange.rest()
    assert.deepEqual([sounds(caller), sounds(phone)], [[music], []], 'and again')
  }
})

test('transfers to a voicemail immediately, and does not ring the requesting phone on its own line', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const bob = await exchange.newCustomer()
  const { caller, callId } = await talking(exchange, ada)
  exchange.telephony.register(bob.accountId, bob.deviceId, 0)
  const asked = transferring(exchange, ada, callId, { phoneNumber: bob.number })
  await exchange.rest()
  assert.equal(asked.state, 'done')
  assert.equal(caller.log.at(-1), 'play de/voicemail-greeting')
  const own = await talking(exchange, ada)
  const second = aNumber('+4921155588888')
  await exchange.store.write((tables) => tables.numbers.insert(ada.accountId, { ...second, endpointId: ada.line }))
  transferring(exchange, ada, own.callId, { phoneNumber: second.e164 })
  await exchange.rest()
  assert.deepEqual(exchange.ringing, [])
})
