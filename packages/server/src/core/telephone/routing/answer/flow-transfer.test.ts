import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import { spelled } from '#test/routing/dangerous-numbers.ts'
import { databases, type Database } from '#test/store/databases.ts'
import { addFlow, adminOf, callOut } from '#test/routing/flow-calls.ts'
import { ScriptedAssistant } from '#test/routing/scripted-assistant.ts'
import { aNumber, anonymousCaller, openExchange, outsideNumber, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import type { ScriptedLeg } from '#test/ports/scripted-leg.ts'
import type { IncomingCall } from '#core/kernel/ports/telephony.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'

const mobile = '+4915112345678'

interface Scene {
  exchange: Exchange
  assistant: ScriptedAssistant
  ada: Customer
  caller: ScriptedLeg
}

/** A caller who talks with the customer's assistant. */
const talking = async (
  t: TestContext,
  settings: FlowSettings,
  { database = 'sqlite', money = 500_000, ...more }: { database?: Database; money?: number } & Partial<IncomingCall> = {},
): Promise<Scene> => {
  const assistant = new ScriptedAssistant()
  const exchange = await openExchange(t, { database, flows: assistant })
  await exchange.addTrunk()
  const ada = await exchange.newCustomer({ money })
  await addFlow(exchange, ada, settings)
  const caller = await exchange.callIn(ada.number, more)
  await exchange.seconds(10)
  return { exchange, assistant, ada, caller }
}

/** Outcome of a transfer in progress; undefined until known. */
const watch = (outcome: Promise<string>): { value: string | undefined } => {
  const seen: { value: string | undefined } = { value: undefined }
  void outcome.then((value) => (seen.value = value))
  return seen
}

for (const database of databases)
  test(`${database}: transfers an assistant’s caller to an external number at its account’s cost and continues without the assistant`, async (t) => {
    const { exchange, assistant, ada, caller } = await talking(t, { transferTargets: [mobile] }, { database })
    const outcome = watch(assistant.call.transfer('004915112345678', {}))
    await exchange.rest()
    const { phone } = exchange
    assert.deepEqual(phone.dial?.caller, { number: ada.number, name: '', withheld: false })
    assert.deepEqual(
      caller.playing.map(({ sound, loop }) => [sound, loop]),
      [[{ tone: 'ringback' }, true]],
      'the caller does not wait in silence',
    )
    const held = await exchange.money(ada)
    assert.ok(held.reserved > 0)
    phone.answers()
    await exchange.rest()
    assert.equal(outcome.value, 'taken')
    assert.deepEqual([caller.playing, caller.hears, phone.hears], [[], [phone], [caller]])
    assistant.call.hangUp('assistant_hangup')
    assert.equal(await assistant.call.transfer(mobile, {}), 'not_acceptable', 'who is out has no say')
    assistant.sessions[0]?.leave()
    await exchange.seconds(65)
    assert.deepEqual([caller.over, phone.over], [undefined, undefined])
    assert.equal(exchange.calls.list(adminOf(ada)).length, 1, 'the account pays, so it sees the call')
    phone.hangsUp()
    await exchange.rest()
    assert.equal(exchange.lastEnd?.reason, 'callee_hangup')
    assert.deepEqual(await exchange.money(ada), { spent: held.reserved * 2, reserved: 0 })
    const entry = await exchange.entry(ada)
    assert.deepEqual([entry.status, entry.detail.duration], ['PICKUP', 75])
    assert.deepEqual(
      entry.endpoints.map(({ type, extension }) => [type, extension]),
      [
        ['ROUTED', `flow-${ada.accountId}`],
        ['PICKUP', `flow-${ada.accountId}`],
        ['FORWARDED', mobile],
      ],
    )
  })

test('transfers to an extension, shows the caller’s number there, and lets the colleague transfer on', async (t) => {
  const { exchange, assistant, ada, caller } = await talking(t, { transferTargets: ['p0'] })
  const outcome = watch(assistant.call.transfer('p0', { callerName: 'Reception' }))
  await exchange.rest()
  const { phone } = exchange
  assert.deepEqual(phone.target, { kind: 'device', accountId: ada.accountId, deviceId: ada.deviceId })
  assert.deepEqual(phone.dial?.caller, { number: outsideNumber, name: 'Reception', withheld: false })
  phone.answers()
  await exchange.seconds(5)
  assert.deepEqual([outcome.value, caller.hears], ['taken', [phone]])
  const { told: notified } = phone.asksTransfer({ dialled: mobile })
  await exchange.rest()
  exchange.phone.answers()
  await exchange.seconds(5)
  assert.deepEqual(notified, ['trying', 'done'])
  caller.hangsUp()
  await exchange.rest()
  assert.equal((await exchange.entry(ada)).detail.duration, 20)
})

test('removes the account from the call after a transfer to another account, and records its own duration', async (t) => {
  const { exchange, assistant, ada, caller } = await talking(t, { transferTargets: ['+49*'] })
  const bob = await exchange.newCustomer()
  void assistant.call.transfer(bob.number.slice(1), {})
  await exchange.rest()
  exchange.phone.answers()
  await exchange.seconds(50)
  assert.deepEqual(exchange.calls.list(adminOf(ada)), [])
  assert.equal(exchange.calls.list(adminOf(bob)).length, 1)
  caller.hangsUp()
  await exchange.rest()
  const [hers, his] = [await exchange.entry(ada), await exchange.entry(bob)]
  assert.deepEqual([hers.detail.duration, his.detail.duration, his.status], [10, 50, 'PICKUP'])
  assert.deepEqual(hers.endpoints.at(-1), { type: 'FORWARDED', extension: bob.number, kind: 'NUMBER' })
})

test('returns the caller to the assistant after a failed transfer, at most three times, without a charge', async (t) => {
  const { exchange, assistant, ada, caller } = await talking(t, { transferTargets: [mobile] })
  const ends: [string, (leg: ScriptedLeg) => unknown][] = [
    ['busy', (leg) => leg.refuses('busy', 486)],
    ['no_answer', () => exchange.seconds(29)],
    [
      'rejected',
      async (leg) => {
        leg.sendsEarlyAudio()
        await exchange.rest()
        assert.deepEqual(caller.hears, [leg], 'announcements of the other network are heard')
        leg.refuses('rejected', 603)
      },
    ],
  ]
  for (const [cause, end] of ends) {
    const outcome = watch(assistant.call.transfer(mobile, {}))
    await exchange.seconds(1)
    exchange.phone.rings()
    assert.equal(await assistant.call.transfer(mobile, {}), 'not_acceptable', 'one after the other')
    await end(exchange.phone)
    await exchange.rest()
    assert.equal(outcome.value, cause)
    assert.deepEqual([caller.playing, caller.bridge, caller.over], [[], undefined, undefined])
    assert.deepEqual(await exchange.money(ada), { spent: 0, reserved: 0 })
  }
  assert.equal(await assistant.call.transfer(mobile, {}), 'loop')
  assert.deepEqual(exchange.telephony.alive, [])
  assistant.call.hangUp('silence_timeout')
  await exchange.rest()
  assert.equal(exchange.lastEnd?.reason, 'silence_timeout')
  const entry = await exchange.entry(ada)
  assert.deepEqual([entry.status, entry.endpoints.length], ['PICKUP', 2])
})

test('allows only permitted targets in any spelling, and never emergency or premium numbers', async (t) => {
  const settings = { transferTargets: ['+4930*', '+49900*', outsideNumber], fallback: { transferTo: mobile } }
  const { exchange, assistant, caller } = await talking(t, settings)
  const refused: [string, string][] = [
    ['+442079460000', 'forbidden'],
    ['0044 20 7946 0000', 'forbidden'],
    ['+88213300000', 'forbidden'],
    ['p0', 'forbidden'],
    ['112', 'forbidden'],
    ['+49112', 'forbidden'],
    ['0900 1234567', 'forbidden'],
    ['49900 1234567', 'forbidden'],
    ['+4921163554445', 'forbidden'],
    ['sip:+4930231250@evil.example', 'not_found'],
    ['+4930231250;phone-context=+44', 'not_found'],
    ['49112', 'not_found'],
    ['', 'not_found'],
  ]
  for (const [to, cause] of refused) assert.equal(await assistant.call.transfer(to, {}), cause, to)
  assert.deepEqual([exchange.telephony.called, caller.playing], [[], []])
  void assistant.call.transfer(mobile, {})
  await exchange.rest()
  assert.equal(exchange.ringing.length, 1, 'what was refused does not count')
})

test('reaches the same number from every permitted spelling', async (t) => {
  for (const [to, number] of [
    ['+4921163554444', outsideNumber],
    ['4921163554444', outsideNumber],
    ['0211 63554444', outsideNumber],
    ['+49 30 23125000', '+493023125000'],
    ['015112345678', mobile],
  ] as const) {
    const { exchange, assistant } = await talking(t, { transferTargets: [outsideNumber, '+4930*'], fallback: { transferTo: mobile } })
    const outcome = watch(assistant.call.transfer(to, {}))
    await exchange.rest()
    assert.equal(exchange.phone.target?.kind === 'trunk' && exchange.phone.target.number, number)
    exchange.phone.refuses('busy', 486)
    await exchange.rest()
    assert.equal(outcome.value, 'busy')
  }
})

test('shows only numbers of the account, and keeps the caller with the assistant without funds or in a loop', async (t) => {
  const { exchange, assistant, ada } = await talking(t, { transferTargets: ['+49*'] }, { caller: anonymousCaller })
  const second = '+493023125999'
  await exchange.store.write((tables) => tables.numbers.insert(ada.accountId, aNumber(second)))
  for (const [callerNumber, shown] of [
    [second.slice(1), second],
    [outsideNumber, ada.number],
  ] as const) {
    void assistant.call.transfer(mobile, { callerNumber, callerName: 'Desk' })
    await exchange.rest()
    assert.deepEqual(exchange.phone.dial?.caller, { number: shown, name: 'Desk', withheld: false })
    exchange.phone.refuses('busy', 486)
    await exchange.rest()
  }
  const poor = await talking(t, { transferTargets: ['+49*'] }, { money: 0 })
  assert.equal(await poor.assistant.call.transfer(mobile, {}), 'payment_required')
  const worn = await talking(t, { transferTargets: ['+49*'] }, { hops: 5 })
  assert.equal(await worn.assistant.call.transfer(mobile, {}), 'loop')
  const itself = await talking(t, { transferTargets: ['+49*'] })
  assert.equal(await itself.assistant.call.transfer(itself.ada.number, {}), 'loop')
  assert.equal(itself.caller.over, undefined)
})

test('stops ringing the target when the caller hangs up', async (t) => {
  const { exchange, assistant, ada, caller } = await talking(t, { transferTargets: [mobile] })
  const outcome = watch(assistant.call.transfer(mobile, {}))
  await exchange.seconds(3)
  const { phone } = exchange
  caller.hangsUp()
  await exchange.rest()
  assert.deepEqual([outcome.value, phone.log, exchange.lastEnd?.reason], ['normal', ['hangUp normal'], 'caller_hangup'])
  assert.deepEqual(await exchange.money(ada), { spent: 0, reserved: 0 })
})

test('transfers a callee of the assistant and charges both legs to the end', async (t) => {
  const assistant = new ScriptedAssistant()
  const exchange = await openExchange(t, { flows: assistant })
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  await addFlow(exchange, ada, { transferTargets: [mobile] })
  await callOut(exchange, ada, outsideNumber)
  const { phone: called } = exchange
  called.answers()
  await exchange.seconds(10)
  const outcome = watch(assistant.call.transfer(mobile, {}))
  await exchange.rest()
  const { phone: second } = exchange
  second.answers()
  await exchange.seconds(5)
  assert.deepEqual([outcome.value, called.hears, second.hears], ['taken', [second], [called]])
  const { reserved } = await exchange.money(ada)
  second.hangsUp()
  await exchange.rest()
  assert.equal(exchange.lastEnd?.reason, 'caller_hangup', 'it had the place of the assistant, who called')
  assert.deepEqual(await exchange.money(ada), { spent: reserved, reserved: 0 })
  assert.equal((await exchange.history(ada)).length, 1)
})

test('never dials a dangerous number in any spelling, whatever the customer allowed', async (t) => {
  const scene = await talking(t, { transferTargets: ['+49*', '+8*', '+9*'] })
  const { exchange, assistant, ada } = scene
  const attempt = async (to: string): Promise<string> => {
    const outcome = await assistant.call.transfer(to, {})
    if (outcome !== 'loop') return outcome
    await exchange.callIn(ada.number)
    return assistant.call.transfer(to, {})
  }
  await fc.assert(
    fc.asyncProperty(spelled, async (written) => assert.match(await attempt(written), /^(forbidden|not_found)$/)),
    { numRuns: 300 },
  )
  assert.deepEqual(exchange.telephony.called, [])
  assert.deepEqual(await exchange.money(ada), { spent: 0, reserved: 0 })
})
