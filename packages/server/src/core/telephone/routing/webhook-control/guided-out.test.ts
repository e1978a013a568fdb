import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { openExchange, outsideNumber, type Exchange } from '#test/routing/scripted-exchange.ts'
import { addFlow, callOut } from '#test/routing/flow-calls.ts'
import { ScriptedAssistant } from '#test/routing/scripted-assistant.ts'
import { dial, events, gather, notifications, outcome, saying, ScriptedGuide } from '#test/routing/scripted-guide.ts'
import { digits } from '#core/kernel/phone-numbers/phone-number.ts'

const mobile = '+4915112345678'
const premium = '+499001234567'

const open = async (t: TestContext) => {
  const guide = new ScriptedGuide()
  const flows = new ScriptedAssistant()
  const exchange = await openExchange(t, { guide, flows })
  await exchange.addTrunk()
  return { guide, flows, exchange, ada: await exchange.newCustomer() }
}

const dialled = ({ phone }: Exchange): string | undefined => (phone.target?.kind === 'trunk' ? phone.target.number : phone.target?.deviceId)

test('asks the webhook before a phone calls, and notifies it of the progress', async (t) => {
  const { guide, exchange, ada } = await open(t)
  guide.says(ada, 'later')
  const caller = await exchange.callFrom(ada, outsideNumber)
  assert.deepEqual(exchange.telephony.called, [])
  const [asked] = guide.asked
  assert.deepEqual(asked, {
    callId: asked?.callId,
    origCallId: asked?.callId,
    accountId: ada.accountId,
    direction: 'out',
    from: ada.number,
    to: outsideNumber,
    lines: [ada.line],
    users: [{ id: ada.userId, name: 'Ada Lovelace' }],
    diversion: undefined,
  })
  guide.pending[0]?.answer(saying())
  await exchange.rest()
  exchange.phone.answers()
  await exchange.rest()
  const common = {
    callId: asked?.callId,
    from: digits(ada.number),
    to: digits(outsideNumber),
    direction: 'out',
    answeringNumber: digits(outsideNumber),
  }
  assert.deepEqual(await notifications(exchange), [{ event: 'answer', ...common }])
  caller.hangsUp()
  await exchange.rest()
  assert.deepEqual(await notifications(exchange), [{ event: 'hangup', cause: 'normalClearing', ...common }])
})

test('sends the device id of a phone without a number, and no caller when it is withheld', async (t) => {
  const { guide, exchange, ada } = await open(t)
  const deviceId = await exchange.store.write(async (tables) => {
    const userId = await exchange.addUser(tables, ada.accountId)
    return exchange.addDevice(tables, ada.accountId, userId)
  })
  guide.says(ada, saying(), saying(), saying(), saying())
  const silent = { ...ada, deviceId }
  for (const caller of [undefined, { number: undefined, name: '', withheld: true }]) {
    const leg = await exchange.callFrom(silent, ada.line, caller && { caller })
    leg.hangsUp()
    await exchange.rest()
  }
  assert.deepEqual(
    guide.asked.map(({ direction, from }) => [direction, from]),
    [
      ['out', deviceId],
      ['in', deviceId],
      ['out', undefined],
      ['in', undefined],
    ],
  )
})

test('maps the cause of an unanswered call to the hangup notification', async (t) => {
  const { guide, exchange, ada } = await open(t)
  const causes = [
    ['busy', 'busy'],
    ['rejected', 'busy'],
    ['no_answer', 'noAnswer'],
    ['not_found', 'notFound'],
    ['forbidden', 'congestion'],
  ] as const
  for (const [cause, notified] of causes) {
    guide.says(ada, saying())
    await exchange.callFrom(ada, outsideNumber)
    exchange.phone.refuses(cause)
    await exchange.rest()
    assert.deepEqual(await events(exchange), [`hangup ${notified}`], cause)
  }
  guide.says(ada, saying())
  const caller = await exchange.callFrom(ada, outsideNumber)
  exchange.phone.rings()
  caller.hangsUp()
  await exchange.rest()
  assert.deepEqual(await events(exchange), ['hangup cancel'])
})

test('does not ask the webhook about emergency calls and blocked numbers', async (t) => {
  const { guide, exchange, ada } = await open(t)
  guide.says(ada, saying())
  const caller = await exchange.callFrom(ada, '112')
  assert.equal(dialled(exchange), '112')
  caller.hangsUp()
  await exchange.rest()
  await exchange.callFrom(ada, premium)
  assert.deepEqual(guide.asked, [])
  assert.deepEqual(await events(exchange), [])
})

test('Dial: calls another number, and shows another number of the account or none', async (t) => {
  const { guide, exchange, ada } = await open(t)
  const second = '+4921155599002'
  await exchange.store.write(async (tables) => {
    const number = { id: second, e164: second, type: 'LANDLINE', state: 'ACTIVE', createdAt: 0 } as const
    await tables.numbers.insert(ada.accountId, number)
  })
  const inputs = [
    dial([mobile], { callerId: second }),
    dial([digits(outsideNumber)], { anonymous: true }),
    dial([], { callerId: '+4930111111' }),
  ]
  guide.says(ada, ...inputs.map((verb) => saying(verb)))
  const shown: unknown[] = []
  for (let call = 0; call < inputs.length; call++) {
    const caller = await exchange.callFrom(ada, outsideNumber)
    const { number, withheld } = exchange.phone.dial?.caller ?? {}
    shown.push([dialled(exchange), number, withheld])
    caller.hangsUp()
    await exchange.rest()
  }
  assert.deepEqual(shown, [
    [mobile, second, false],
    [outsideNumber, ada.number, true],
    [outsideNumber, ada.number, false],
  ])
  const entries = (await exchange.history(ada)).flatMap(({ target, endpoints }) => endpoints.map(({ extension }) => [target, extension]))
  assert.deepEqual(entries, [[outsideNumber, mobile]], 'whom one dialled, and who was called instead')
})

test('rejects a premium number in Dial, and follows Reject and Hangup', async (t) => {
  const { guide, exchange, ada } = await open(t)
  const inputs = [dial([premium]), { kind: 'reject', reason: 'busy' }, { kind: 'reject', reason: 'rejected' }, { kind: 'hangup' }] as const
  guide.says(ada, ...inputs.map((verb) => saying(verb)))
  const notified: string[][] = []
  for (let call = 0; call < inputs.length; call++) notified.push((await exchange.callFrom(ada, outsideNumber)).log)
  assert.deepEqual(notified.flat(), ['hangUp forbidden', 'hangUp busy', 'hangUp rejected', 'hangUp normal'])
  assert.deepEqual(exchange.telephony.called, [])
  assert.deepEqual(await events(exchange), ['hangup busy', 'hangup busy', 'hangup congestion', 'hangup normalClearing'])
})

test('menu before a call: answers the phone but reports no answer of the callee', async (t) => {
  const { guide, exchange, ada } = await open(t)
  guide.says(ada, saying(gather({ maxDigits: 4 })), saying(dial([mobile])))
  const caller = await exchange.callFrom(ada, outsideNumber)
  caller.presses('1234')
  await exchange.rest()
  assert.deepEqual(guide.pressed, ['1234'])
  assert.deepEqual(await events(exchange), [])
  exchange.phone.refuses('busy')
  await exchange.rest()
  assert.deepEqual(await events(exchange), ['hangup busy'])
  assert.deepEqual(await outcome(exchange, ada), ['MISSED_OUTGOING', 'BUSY', 'BUSY'])
})

test('notifies both ends of a call inside an account, each with its own call id', async (t) => {
  const { guide, exchange, ada } = await open(t)
  const [device, line] = await exchange.store.write(async (tables) => {
    const userId = await exchange.addUser(tables, ada.accountId)
    const [own] = await tables.phonelines.list(ada.accountId, userId)
    return [await exchange.addDevice(tables, ada.accountId, userId), own?.id ?? ''] as const
  })
  guide.says(ada, saying(), saying())
  const caller = await exchange.callFrom(ada, line)
  assert.equal(dialled(exchange), device)
  const [out, inside] = guide.asked
  assert.deepEqual([out?.direction, inside?.direction, inside?.to], ['out', 'in', line])
  assert.notEqual(out?.callId, inside?.callId)
  assert.equal(inside?.origCallId, out?.callId)
  exchange.phone.answers()
  await exchange.rest()
  caller.hangsUp()
  await exchange.rest()
  assert.deepEqual(await events(exchange), ['answer', 'answer', 'hangup normalClearing', 'hangup normalClearing'])
  assert.equal((await exchange.history(ada)).length, 1)
})

test('asks the webhook about an assistant’s call, notifies it of the end, and charges a changed number at its own price', async (t) => {
  const { guide, flows, exchange, ada } = await open(t)
  await addFlow(exchange, ada)
  guide.says(ada, saying(), saying(dial([mobile])), saying(gather()), saying({ kind: 'reject', reason: 'busy' }))
  const first = await callOut(exchange, ada, outsideNumber)
  assert.deepEqual([guide.asked[0]?.callId, guide.asked[0]?.from, guide.asked[0]?.to], [first, ada.number, outsideNumber])
  exchange.phone.refuses('no_answer')
  await exchange.rest()
  assert.deepEqual(await events(exchange), ['hangup noAnswer'])
  await exchange.seconds(1)
  await callOut(exchange, ada, outsideNumber)
  assert.equal(dialled(exchange), mobile)
  exchange.phone.answers()
  await exchange.rest()
  assert.equal(flows.sessions.length, 1)
  await exchange.seconds(60)
  flows.sessions[0]?.leave()
  await exchange.rest()
  assert.deepEqual(await events(exchange), ['answer', 'hangup normalClearing'])
  const { spent, reserved } = await exchange.money(ada)
  assert.ok(spent > 0)
  assert.equal(reserved, 0)
  await exchange.seconds(1)
  await callOut(exchange, ada, outsideNumber)
  assert.equal(dialled(exchange), outsideNumber, 'an assistant has no keys')
  exchange.phone.refuses('busy')
  await exchange.rest()
  await exchange.seconds(1)
  await callOut(exchange, ada, outsideNumber)
  assert.deepEqual(exchange.ringing, [])
  assert.equal(exchange.lastEnd?.reason, 'busy')
})
