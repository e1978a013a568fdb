import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { databases } from '#test/store/databases.ts'
import { aNumber, openExchange, outsideNumber, type Customer } from '#test/routing/scripted-exchange.ts'
import { dial, events, notifications, outcome, saying, ScriptedGuide } from '#test/routing/scripted-guide.ts'
import { withoutVoicemail } from '#test/routing/transfers.ts'
import { digits } from '#core/kernel/phone-numbers/phone-number.ts'

const mobile = '+4915112345678'

const open = async (t: TestContext, database?: (typeof databases)[number]) => {
  const guide = new ScriptedGuide()
  const exchange = await openExchange(t, { guide, ...(database && { database }) })
  await exchange.addTrunk()
  return { guide, exchange, ada: await exchange.newCustomer() }
}

for (const database of databases)
  test(`${database}: asks the webhook before any phone rings, and notifies it of answer and end`, async (t) => {
    const { guide, exchange, ada } = await open(t, database)
    guide.says(ada, 'later')
    const caller = await exchange.callIn(ada.number, { diversions: ['+4930111'] })
    assert.deepEqual(exchange.ringing, [])
    assert.deepEqual(caller.log, [], 'nothing is heard yet')
    const [asked] = guide.asked
    assert.ok(asked)
    assert.equal(asked.origCallId, asked.callId)
    assert.deepEqual(asked, {
      callId: asked.callId,
      origCallId: asked.callId,
      accountId: ada.accountId,
      direction: 'in',
      from: outsideNumber,
      to: ada.number,
      lines: [ada.line],
      users: [{ id: ada.userId, name: 'Ada Lovelace' }],
      diversion: '+4930111',
    })
    await exchange.seconds(9)
    guide.pending[0]?.answer(saying())
    await exchange.rest()
    exchange.phone.rings()
    exchange.phone.answers()
    await exchange.rest()
    const common = { callId: asked.callId, from: digits(outsideNumber), to: digits(ada.number), direction: 'in', diversion: '4930111' }
    const user = { user: 'Ada Lovelace', userId: ada.userId, fullUserId: `${ada.accountId}${ada.userId}` }
    assert.deepEqual(await notifications(exchange), [{ event: 'answer', ...common, ...user, answeringNumber: digits(ada.number) }])
    await exchange.seconds(60)
    caller.hangsUp()
    await exchange.rest()
    assert.deepEqual(await notifications(exchange), [
      { event: 'hangup', cause: 'normalClearing', ...common, answeringNumber: digits(ada.number) },
    ])
    assert.deepEqual(await outcome(exchange, ada), ['INCOMING', 'PICKUP', 'SUCCESS'])
  })

test('reads no users for an account without a webhook', async (t) => {
  const { guide, exchange, ada } = await open(t)
  const bob = await exchange.newCustomer()
  guide.says(ada, saying())
  const readsOf = async ({ number }: Customer): Promise<string[]> => {
    const before = exchange.outside.asked.length
    const caller = await exchange.callIn(number)
    const reads = exchange.outside.asked.slice(before).filter((what) => what.startsWith('read.'))
    caller.hangsUp()
    await exchange.rest()
    return reads
  }
  const [heard, unheard] = [await readsOf(ada), await readsOf(bob)]
  assert.ok(heard.includes('read.users.list'), 'whose phones would ring')
  assert.ok(!unheard.includes('read.users.list'))
  assert.equal(heard.length - unheard.length, 1)
})

test('sends only the notifications the webhook subscribed to', async (t) => {
  const { guide, exchange, ada } = await open(t)
  guide.says(ada, saying(undefined, {}), saying(undefined, { onAnswer: 'https://c.example/a' }))
  for (const expected of [[], ['answer']]) {
    const caller = await exchange.callIn(ada.number)
    exchange.phone.answers()
    await exchange.rest()
    caller.hangsUp()
    await exchange.rest()
    assert.deepEqual(await events(exchange), expected)
  }
})

test('continues the call after a webhook failure or an unusable verb', async (t) => {
  const { guide, exchange, ada } = await open(t)
  const useless = [dial(['nonsense']), dial(['112', '+49110']), dial([]), { kind: 'play', url: 'https://c.example/none' } as const]
  guide.says(ada, new Error('broken'), ...useless.map((verb) => saying(verb)))
  for (let number = 0; number <= useless.length; number++) {
    const caller = await exchange.callIn(ada.number)
    assert.equal(exchange.phone.target?.kind, 'device')
    caller.hangsUp()
    await exchange.rest()
  }
  assert.equal(exchange.failures.length, 1)
  assert.deepEqual(
    await events(exchange),
    useless.map(() => 'hangup cancel'),
  )
})

test('cleans up when the caller hangs up while the webhook is asked', async (t) => {
  const { guide, exchange, ada } = await open(t)
  guide.says(ada, 'later')
  const caller = await exchange.callIn(ada.number)
  caller.hangsUp()
  await exchange.rest()
  assert.ok(guide.pending[0]?.signal.aborted)
  assert.deepEqual(exchange.telephony.called, [])
  assert.equal(exchange.clock.pending(), 0)
  guide.pending[0]?.answer(saying(dial([mobile])))
  await exchange.rest()
  assert.deepEqual(exchange.telephony.called, [])
  assert.deepEqual(await events(exchange), [])
  assert.deepEqual(await outcome(exchange, ada), ['MISSED_INCOMING', 'NOPICKUP', 'MISSED'])
})

test('Reject and Hangup: end the call with the matching cause, history entry and single notification', async (t) => {
  const { guide, exchange, ada } = await open(t)
  const bob = await exchange.newCustomer()
  const eve = await exchange.newCustomer()
  guide.says(ada, saying({ kind: 'reject', reason: 'busy' }))
  guide.says(bob, saying({ kind: 'reject', reason: 'rejected' }))
  guide.says(eve, saying({ kind: 'hangup' }))
  assert.deepEqual((await exchange.callIn(ada.number)).log, ['hangUp busy'])
  assert.deepEqual(await events(exchange), ['hangup busy'])
  assert.deepEqual(await outcome(exchange, ada), ['MISSED_INCOMING', 'BUSY', 'BUSY'])
  assert.deepEqual((await exchange.callIn(bob.number)).log, ['hangUp rejected'])
  assert.deepEqual(await events(exchange), ['hangup busy'])
  assert.deepEqual(await outcome(exchange, bob), ['MISSED_INCOMING', 'NOPICKUP', 'REJECTED'])
  assert.deepEqual((await exchange.callIn(eve.number)).log, ['hangUp normal'])
  assert.deepEqual(await events(exchange), ['hangup normalClearing'])
  assert.equal(exchange.lastEnd?.reason, 'callee_hangup')
  assert.deepEqual(await outcome(exchange, eve), ['MISSED_INCOMING', 'NOPICKUP', 'MISSED'])
  assert.deepEqual(exchange.telephony.called, [])
})

test('Play: plays as early media before any phone rings, then plays ringback', async (t) => {
  const { guide, exchange, ada } = await open(t)
  guide.says(ada, saying({ kind: 'play', url: 'https://c.example/hello.wav' }))
  const caller = await exchange.callIn(ada.number)
  assert.deepEqual(caller.log, ['openEarly', 'play wav 27'])
  assert.deepEqual(exchange.ringing, [])
  await exchange.seconds(2)
  exchange.phone.rings()
  assert.deepEqual(caller.log.slice(2), ['play ringback'])
  exchange.phone.answers()
  await exchange.rest()
  assert.deepEqual(caller.playing, [])
  assert.ok(caller.answered)
  assert.equal(caller.hears.length, 1)
})

test('notifies the forwarding account as forwarded and the next one with its own call id', async (t) => {
  const { guide, exchange, ada } = await open(t)
  const bob = await exchange.newCustomer()
  await withoutVoicemail(exchange, bob)
  await exchange.store.write((tables) =>
    tables.phonelines.replaceForwardings(ada.accountId, ada.line, [{ destination: bob.number, timeout: 10, active: true }]),
  )
  guide.says(ada, saying())
  guide.says(bob, saying())
  const caller = await exchange.callIn(ada.number)
  await exchange.seconds(10)
  const [atAda, atBob] = guide.asked
  assert.ok(atAda && atBob)
  assert.notEqual(atBob.callId, atAda.callId)
  assert.equal(atBob.origCallId, atAda.callId)
  assert.equal(atBob.diversion, ada.number)
  assert.deepEqual(await events(exchange), ['hangup forwarded'])
  exchange.phone.answers()
  await exchange.rest()
  const of = ({ accountId, userId }: Customer) => ({ accountId, userId, admin: true }) as never
  assert.equal(exchange.calls.get(of(bob), atBob.callId).callId, atAda.callId)
  assert.throws(() => exchange.calls.get(of(ada), atBob.callId))
  caller.hangsUp()
  await exchange.rest()
  assert.throws(() => exchange.calls.get(of(bob), atBob.callId))
  const notified = (await notifications(exchange)).map(({ event, callId }) => `${event} ${callId}`)
  assert.deepEqual(notified.toSorted(), [`answer ${atBob.callId}`, `hangup ${atBob.callId}`])
  assert.equal((await exchange.entry(bob)).sessionId, atAda.callId)
})

test('notifies a rejecting extension of the cause immediately, and continues with the previous one', async (t) => {
  const { guide, exchange, ada } = await open(t)
  const bob = await exchange.newCustomer()
  await exchange.store.write((tables) =>
    tables.phonelines.replaceForwardings(ada.accountId, ada.line, [
      { destination: bob.number, timeout: 0, active: true },
      { destination: mobile, timeout: 20, active: true },
    ]),
  )
  guide.says(bob, saying({ kind: 'reject', reason: 'busy' }))
  await exchange.callIn(ada.number)
  assert.equal(exchange.phone.target?.kind === 'trunk' && exchange.phone.target.number, mobile)
  assert.deepEqual(await events(exchange), ['hangup busy'])
})

test('reports a device with its phone lines', async (t) => {
  const { guide, exchange, ada } = await open(t)
  guide.says(ada, saying())
  const number = '+4921155599001'
  await exchange.store.write((tables) => tables.numbers.insert(ada.accountId, { ...aNumber(number), endpointId: ada.deviceId }))
  const caller = await exchange.callIn(number)
  assert.deepEqual(
    guide.asked.map(({ lines, users }) => [lines, users.map(({ id }) => id)]),
    [[[ada.line], [ada.userId]]],
  )
  caller.hangsUp()
})

test('hides forwardings of other accounts from webhooks', async (t) => {
  const { guide, exchange, ada } = await open(t)
  const bob = await exchange.newCustomer()
  await exchange.store.write((tables) =>
    tables.phonelines.replaceForwardings(bob.accountId, bob.line, [{ destination: mobile, timeout: 0, active: true }]),
  )
  guide.says(ada, saying(), saying(dial([bob.number])))
  await exchange.callFrom(ada, bob.number)
  exchange.phone.answers()
  await exchange.callIn(ada.number)
  exchange.phone.answers()
  await exchange.rest()
  assert.deepEqual(
    (await notifications(exchange)).map(({ answeringNumber }) => answeringNumber),
    [digits(bob.number), digits(bob.number)],
  )
})
