import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openExchange, outsideNumber, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'

const voicemailOf = async ({ store }: Exchange, { accountId, line }: Customer): Promise<string> =>
  (await store.read.voicemails.listByOwner(accountId, line))[0]?.id ?? assert.fail()

test('answers after the timeout, plays greeting and beep, and stores the message', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const caller = await exchange.callIn(ada.number)
  const { phone } = exchange
  await exchange.seconds(20)
  assert.deepEqual(phone.log, ['hangUp normal'])
  assert.deepEqual(caller.log, ['answer', 'play de/voicemail-greeting'])
  const admin = { accountId: ada.accountId, userId: ada.userId, admin: true } as UserCaller
  assert.deepEqual(exchange.calls.list(admin), [], 'a message is no call')
  await exchange.seconds(4)
  assert.deepEqual(caller.log.slice(2), ['play beep', 'record'])
  await exchange.seconds(12)
  caller.hangsUp()
  await exchange.rest()
  const entry = await exchange.entry(ada)
  const [id] = caller.recordings
  assert.deepEqual([entry.type, entry.direction, entry.status, entry.userId], ['VOICEMAIL', 'INCOMING', 'NOPICKUP', ada.userId])
  assert.deepEqual(entry.detail, { duration: 12, recordings: [{ id }], messageText: { state: 'PENDING' } })
  assert.deepEqual([entry.source, entry.target], [outsideNumber, ada.number])
  assert.ok(entry.connectionIds.includes(await voicemailOf(exchange, ada)))
})

test('ends a message on # or after three minutes', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  exchange.telephony.register(ada.accountId, ada.deviceId, 0)
  const hasty = await exchange.callIn(ada.number)
  await exchange.seconds(14)
  hasty.presses('5')
  await exchange.rest()
  assert.equal(hasty.over, undefined)
  hasty.presses('#')
  const talker = await exchange.callIn(ada.number)
  assert.equal(hasty.log.at(-1), 'hangUp normal')
  await exchange.seconds(4 + 179.9)
  assert.equal(talker.over, undefined)
  await exchange.seconds(0.1)
  assert.equal(talker.log.at(-1), 'hangUp normal')
  assert.equal(exchange.lastEnd?.reason, 'callee_hangup')
  assert.deepEqual(
    (await exchange.history(ada)).map(({ detail }) => detail.duration).toSorted((a = 0, b = 0) => a - b),
    [10, 180],
  )
})

test('stores no message of a caller who hangs up at the tone', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  exchange.telephony.register(ada.accountId, ada.deviceId, 0)
  for (const seconds of [1, 4.5]) {
    const caller = await exchange.callIn(ada.number)
    await exchange.seconds(seconds)
    caller.hangsUp()
    await exchange.rest()
  }
  for (const { type, direction, status, detail } of await exchange.history(ada)) {
    assert.deepEqual([type, direction, status], ['CALL', 'MISSED_INCOMING', 'NOPICKUP'])
    assert.deepEqual(detail, { duration: 0, callStatus: 'VOICEMAIL_NO_MESSAGE' })
  }
})

test("plays the user's own greeting, and answers immediately when a number is routed to the voicemail", async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const voicemail = await voicemailOf(exchange, ada)
  await exchange.store.write(async (tables) => {
    const audio = Buffer.alloc(100).toString('base64')
    await tables.voicemails.insertGreeting(ada.accountId, voicemail, { alias: 'Hi', audio, durationMs: 1, active: true, at: 0 })
    const number = await tables.numbers.findByE164(ada.accountId, ada.number)
    await tables.numbers.setRouting(ada.accountId, number?.id ?? '', { endpointId: voicemail })
    await tables.voicemails.update(ada.accountId, voicemail, { active: false })
  })
  const caller = await exchange.callIn(ada.number)
  assert.deepEqual(caller.log, ['answer', 'play wav 100'])
  await exchange.seconds(10)
  caller.hangsUp()
  await exchange.rest()
  assert.equal((await exchange.entry(ada)).userId, ada.userId)
})

test('records a call for the caller and a message for the voicemail owner', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const bob = await exchange.newCustomer()
  exchange.telephony.register(bob.accountId, bob.deviceId, 0)
  const caller = await exchange.callFrom(ada, bob.number)
  await exchange.seconds(24)
  caller.hangsUp()
  await exchange.rest()
  const [hers, his] = [await exchange.entry(ada), await exchange.entry(bob)]
  assert.deepEqual([hers.type, hers.direction, hers.status, hers.detail.duration], ['CALL', 'OUTGOING', 'PICKUP', 24])
  assert.deepEqual([his.type, his.direction, his.detail.duration, his.source], ['VOICEMAIL', 'INCOMING', 20, ada.number])
})
