import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { openExchange, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import { dial, events, gather, notifications, saying, ScriptedGuide } from '#test/routing/scripted-guide.ts'
import { addFlow } from '#test/routing/flow-calls.ts'
import { ScriptedAssistant } from '#test/routing/scripted-assistant.ts'
import { digits } from '#core/kernel/phone-numbers/phone-number.ts'

const mobile = '+4915112345678'
const prompt = 'https://c.example/menu.wav'

const open = async (t: TestContext) => {
  const guide = new ScriptedGuide()
  const exchange = await openExchange(t, { guide })
  await exchange.addTrunk()
  return { guide, exchange, ada: await exchange.newCustomer() }
}

const status = async (exchange: Exchange, of: Customer) => {
  const { status: history, detail, direction } = await exchange.entry(of)
  return [direction, history, detail.callStatus, detail.duration]
}

test('menu: plays the prompt, stops it at the first key, follows the reply to the keys, and connects the dialled number', async (t) => {
  const { guide, exchange, ada } = await open(t)
  guide.says(ada, saying(gather({ play: prompt })), saying(gather({ play: prompt, maxDigits: 3 })), saying(dial([mobile])))
  const caller = await exchange.callIn(ada.number)
  assert.deepEqual(caller.log, ['answer', `play wav ${prompt.length}`])
  assert.deepEqual(exchange.calls.list({ accountId: ada.accountId, userId: ada.userId, admin: true } as never), [], 'nobody to talk to yet')
  caller.presses('9')
  await exchange.rest()
  assert.deepEqual(guide.pressed, ['9'])
  assert.deepEqual(caller.playing.length, 1, 'the next prompt')
  caller.presses('1')
  assert.deepEqual(caller.playing, [], 'the first key ends it')
  await exchange.seconds(1.9)
  caller.presses('#')
  await exchange.seconds(1.9)
  assert.deepEqual(guide.pressed, ['9'], 'each key gives time for the next')
  await exchange.seconds(0.1)
  assert.deepEqual(guide.pressed, ['9', '1#'])
  exchange.phone.rings()
  assert.deepEqual(caller.log.slice(-1), ['play ringback'], 'a phone that is answered makes no sound of its own')
  const phone = exchange.phone
  phone.answers()
  await exchange.rest()
  assert.deepEqual(caller.playing, [])
  assert.deepEqual(caller.hears, [phone])
  assert.deepEqual(
    (await notifications(exchange)).map(({ event, answeringNumber }) => [event, answeringNumber]),
    [['answer', digits(mobile)]],
  )
  await exchange.seconds(10)
  caller.hangsUp()
  await exchange.rest()
  assert.deepEqual(await events(exchange), ['hangup normalClearing'])
  assert.deepEqual(await status(exchange, ada), ['INCOMING', 'FORWARD', 'SUCCESS', 10])
})

test('sends an empty field without a key; the timeout starts immediately without a sound', async (t) => {
  const { guide, exchange, ada } = await open(t)
  guide.says(ada, saying(gather({ play: prompt, timeoutMs: 3_000 })), saying(gather({ timeoutMs: 1_000, play: 'https://c.example/none' })))
  guide.says(ada, saying({ kind: 'hangup' }))
  const caller = await exchange.callIn(ada.number)
  await exchange.seconds(4.9)
  assert.deepEqual(guide.pressed, [])
  await exchange.seconds(0.1)
  assert.deepEqual(guide.pressed, [''])
  await exchange.seconds(1)
  assert.deepEqual(guide.pressed, ['', ''])
  assert.equal(caller.over?.cause, 'normal')
  assert.deepEqual(await events(exchange), ['hangup normalClearing'])
  assert.deepEqual((await status(exchange, ada)).slice(0, 3), ['MISSED_INCOMING', 'NOPICKUP', 'MISSED'], 'nobody talked with the caller')
})

test('keeps keys pressed while the webhook is asked for the next Gather and skips its prompt', async (t) => {
  const { guide, exchange, ada } = await open(t)
  guide.says(ada, saying(gather({ play: prompt })), 'later', saying(dial([mobile])))
  const caller = await exchange.callIn(ada.number)
  caller.presses('123')
  await exchange.rest()
  caller.presses('4')
  assert.deepEqual(guide.pressed, ['1'])
  guide.pending[0]?.answer(saying(gather({ play: prompt, maxDigits: 3 })))
  await exchange.rest()
  assert.deepEqual(guide.pressed, ['1', '234'])
  assert.deepEqual(caller.log.filter((what) => what.startsWith('play')).length, 1)
  assert.equal(exchange.phone.target?.kind, 'trunk')
})

test('continues with the line’s phones and its voicemail after a menu', async (t) => {
  const { guide, exchange, ada } = await open(t)
  guide.says(ada, saying(gather()), saying())
  const caller = await exchange.callIn(ada.number)
  caller.presses('5')
  await exchange.seconds(300)
  assert.deepEqual(guide.pressed, ['5'])
  assert.ok(caller.log.includes('play de/voicemail-greeting'))
  caller.hangsUp()
  await exchange.rest()
  assert.deepEqual(await events(exchange), ['answer', 'hangup normalClearing'])
})

test('does not count menu time as ringing time', async (t) => {
  const { guide, exchange, ada } = await open(t)
  guide.says(ada, ...Array.from({ length: 4 }, () => saying(gather({ timeoutMs: 60_000 }))), saying())
  await exchange.callIn(ada.number)
  await exchange.seconds(240)
  assert.equal(guide.pressed.length, 4)
  const phone = exchange.phone
  await exchange.seconds(10)
  assert.equal(exchange.phone, phone)
})

test('leaves a looping menu after 50 rounds', async (t) => {
  const { guide, exchange, ada } = await open(t)
  guide.says(ada, ...Array.from({ length: 60 }, () => saying(gather({ timeoutMs: 0 }))))
  await exchange.callIn(ada.number)
  await exchange.seconds(1)
  assert.equal(guide.pressed.length, 50)
  assert.equal(exchange.phone.target?.kind, 'device')
})

test('cleans up when the caller hangs up in any part of a menu', async (t) => {
  const { guide, exchange, ada } = await open(t)
  const within = [0, 1, 2.5, 3.9]
  for (const seconds of within) {
    guide.says(ada, saying(gather({ play: prompt })))
    const caller = await exchange.callIn(ada.number)
    await exchange.seconds(seconds)
    caller.hangsUp()
    await exchange.rest()
    assert.equal(exchange.callRouter.size, 0)
    assert.equal(exchange.clock.pending(), 0)
    assert.equal(caller.observed, false)
  }
  guide.says(ada, saying(gather()), 'later')
  const caller = await exchange.callIn(ada.number)
  caller.presses('1')
  await exchange.rest()
  caller.hangsUp()
  await exchange.rest()
  assert.ok(guide.pending[0]?.signal.aborted)
  assert.deepEqual(
    await events(exchange),
    Array.from({ length: 5 }, () => 'hangup cancel'),
  )
  assert.deepEqual(exchange.failures, [])
})

test('Reject after the answer hangs up, with a talk for the calling account and a missed call for the line', async (t) => {
  const { guide, exchange, ada } = await open(t)
  const bob = await exchange.newCustomer()
  guide.says(ada, saying(gather()), saying({ kind: 'reject', reason: 'busy' }))
  guide.says(bob, saying())
  const caller = await exchange.callFrom(bob, ada.number)
  assert.ok(caller.answered)
  assert.deepEqual(
    (await notifications(exchange)).map(({ event, direction, answeringNumber }) => [event, direction, answeringNumber]),
    [['answer', 'out', digits(ada.number)]],
  )
  await exchange.seconds(2)
  assert.equal(caller.over?.cause, 'busy')
  assert.deepEqual(await status(exchange, bob), ['OUTGOING', 'PICKUP', 'SUCCESS', 2])
  assert.deepEqual((await status(exchange, ada)).slice(0, 3), ['MISSED_INCOMING', 'BUSY', 'BUSY'])
  assert.deepEqual((await notifications(exchange)).map(({ cause, direction }) => `${direction} ${cause}`).toSorted(), [
    'in busy',
    'out normalClearing',
  ])
})

test('connects to an assistant after a menu', async (t) => {
  const guide = new ScriptedGuide()
  const flows = new ScriptedAssistant()
  const exchange = await openExchange(t, { guide, flows })
  const ada = await exchange.newCustomer()
  const bob = await exchange.newCustomer()
  await addFlow(exchange, bob)
  guide.says(ada, saying(gather()), saying(dial([bob.number])))
  const caller = await exchange.callIn(ada.number)
  caller.presses('1')
  await exchange.rest()
  assert.equal(flows.call.callId, guide.asked[0]?.callId)
  assert.deepEqual(caller.log.filter((what) => what === 'answer').length, 1)
  flows.sessions[0]?.leave()
  await exchange.rest()
  assert.equal(exchange.lastEnd?.reason, 'assistant_hangup')
  assert.deepEqual(await events(exchange), ['answer', 'hangup normalClearing'])
})
