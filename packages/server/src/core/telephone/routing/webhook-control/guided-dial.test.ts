import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { openExchange, outsideNumber } from '#test/routing/scripted-exchange.ts'
import { dial, events, notifications, outcome, saying, ScriptedGuide } from '#test/routing/scripted-guide.ts'
import { withoutVoicemail } from '#test/routing/transfers.ts'
import { digits } from '#core/kernel/phone-numbers/phone-number.ts'

const mobile = '+4915112345678'
const premium = '+499001234567'

const open = async (t: TestContext) => {
  const guide = new ScriptedGuide()
  const exchange = await openExchange(t, { guide })
  await exchange.addTrunk()
  return { guide, exchange, ada: await exchange.newCustomer() }
}

test('Dial: rings all numbers at the account’s cost and connects the first to answer', async (t) => {
  const { guide, exchange, ada } = await open(t)
  const bob = await exchange.newCustomer()
  guide.says(ada, saying(dial([mobile, bob.number, premium, '4930901820', digits(mobile)])))
  const caller = await exchange.callIn(ada.number)
  const targets = exchange.ringing.map(({ target }) => (target?.kind === 'trunk' ? target.number : target?.deviceId))
  assert.deepEqual(new Set(targets), new Set(['+4930901820', mobile, bob.deviceId]))
  assert.equal(targets.length, 3)
  const [first] = exchange.ringing.filter(({ target }) => target?.kind === 'trunk' && target.number === mobile)
  assert.equal(first?.dial?.caller.number, outsideNumber)
  assert.deepEqual(first?.dial?.diversions, [ada.number])
  for (const leg of exchange.ringing) leg.rings()
  await exchange.rest()
  assert.ok((await exchange.money(ada)).reserved > 0)
  first?.answers()
  await exchange.rest()
  assert.deepEqual(exchange.ringing, [])
  assert.deepEqual(caller.hears, [first])
  assert.deepEqual(
    (await notifications(exchange)).map(({ event, answeringNumber, userId }) => [event, answeringNumber, userId]),
    [['answer', digits(mobile), undefined]],
  )
  await exchange.seconds(30)
  first?.hangsUp()
  await exchange.rest()
  assert.deepEqual(await events(exchange), ['hangup normalClearing'])
  const { spent, reserved } = await exchange.money(ada)
  assert.ok(spent > 0)
  assert.equal(reserved, 0)
  assert.deepEqual(await outcome(exchange, ada), ['INCOMING', 'FORWARD', 'SUCCESS'])
})

test('Dial: returns no answer when the number does not answer, without the line’s own forwardings', async (t) => {
  const { guide, exchange, ada } = await open(t)
  guide.says(ada, saying(dial([mobile])), saying(dial([premium])))
  const caller = await exchange.callIn(ada.number)
  exchange.phone.rings()
  await exchange.seconds(61)
  assert.equal(caller.over?.cause, 'no_answer')
  assert.deepEqual(await events(exchange), ['hangup noAnswer'])
  assert.deepEqual(await outcome(exchange, ada), ['MISSED_INCOMING', 'NOPICKUP', 'MISSED'])
  assert.deepEqual((await exchange.callIn(ada.number)).log, ['hangUp unavailable'])
  assert.deepEqual(await events(exchange), ['hangup notFound'])
})

test('Dial: rejects as unavailable without funds, hiding the reason from the caller', async (t) => {
  const { guide, exchange } = await open(t)
  const poor = await exchange.newCustomer({ money: 0 })
  guide.says(poor, saying(dial([mobile])), saying(dial([mobile, '+4930901820'])))
  for (const number of [poor.number, poor.number]) assert.deepEqual((await exchange.callIn(number)).log, ['hangUp unavailable'])
  assert.deepEqual(exchange.telephony.called, [])
  assert.deepEqual(await events(exchange), ['hangup notFound', 'hangup notFound'])
})

test('Dial: shows only a number of the account, or withholds the caller ID', async (t) => {
  const { guide, exchange, ada } = await open(t)
  const bob = await exchange.newCustomer()
  guide.says(ada, saying(dial([mobile], { callerId: digits(ada.number) })), saying(dial([mobile], { callerId: bob.number })))
  guide.says(ada, saying(dial([mobile], { anonymous: true })), saying(dial([bob.number], { anonymous: true })))
  const shown: unknown[] = []
  for (let call = 0; call < 4; call++) {
    const caller = await exchange.callIn(ada.number)
    const { number, withheld } = exchange.phone.dial?.caller ?? {}
    shown.push([number, withheld])
    caller.hangsUp()
    await exchange.rest()
  }
  assert.deepEqual(shown, [
    [ada.number, false],
    [outsideNumber, false],
    [outsideNumber, true],
    [undefined, true],
  ])
})

test("Dial: follows the line's own plan for its own number, and its voicemail even if inactive", async (t) => {
  const { guide, exchange, ada } = await open(t)
  await withoutVoicemail(exchange, ada)
  guide.says(ada, saying(dial([ada.number])), saying(dial([], { voicemail: true })))
  const first = await exchange.callIn(ada.number)
  assert.equal(exchange.phone.target?.kind, 'device')
  first.hangsUp()
  await exchange.rest()
  const second = await exchange.callIn(ada.number)
  assert.deepEqual(second.log, ['answer', 'play de/voicemail-greeting'])
  second.hangsUp()
  await exchange.rest()
  assert.deepEqual(await events(exchange), ['answer', 'hangup cancel', 'hangup normalClearing'])
})

test('Dial: stops loops between numbers', async (t) => {
  const { guide, exchange, ada } = await open(t)
  const bob = await exchange.newCustomer()
  guide.says(ada, saying(dial([bob.number])))
  guide.says(bob, saying(dial([ada.number])))
  assert.deepEqual((await exchange.callIn(ada.number)).log, ['hangUp loop'])
  assert.deepEqual(await events(exchange), ['hangup congestion', 'hangup congestion'])
  guide.says(ada, saying(dial([mobile, outsideNumber])))
  assert.deepEqual((await exchange.callIn(ada.number, { hops: 5 })).log, ['hangUp loop'])
})
