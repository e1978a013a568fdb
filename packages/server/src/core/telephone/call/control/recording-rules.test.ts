import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import type { RecordingRule } from '@offhook/contract/v1/settings/recording-rule.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { databases } from '#test/store/databases.ts'
import { openExchange, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'

const as = ({ accountId, userId }: Customer): UserCaller => ({ accountId, userId, admin: true }) as UserCaller

const setRule = (exchange: Exchange, { accountId }: Customer, rule: RecordingRule, number?: string): Promise<void> =>
  exchange.store.write(async ({ recordingRules, numbers }) => {
    const owned = number === undefined ? undefined : (await numbers.list(accountId)).find(({ e164 }) => e164 === number)
    await recordingRules.set(accountId, rule, owned?.id)
  })

const talking = async (exchange: Exchange, ada: Customer) => {
  const caller = await exchange.callIn(ada.number)
  const { phone } = exchange
  phone.answers()
  await exchange.rest()
  const [call] = exchange.calls.list(as(ada))
  return { caller, phone, call: call ?? assert.fail('no call') }
}

/** Recording states in the timeline. */
const notedOf = async ({ store, timelines, changes }: Exchange, { accountId }: Customer): Promise<string[]> => {
  await timelines.flush()
  const pieces = await store.read.timelines.listPieces(accountId, changes[0]?.[1].callId ?? '', 0, 1_000)
  const entries = pieces.flatMap(({ entries: text }) => JSON.parse(text) as TimelineEntry[])
  return entries.flatMap((entry) => (entry.kind === 'call' && entry.state.startsWith('recording') ? [entry.state] : []))
}

/** Starts a recording and returns its result; `code` is undefined while pending. */
const record = (call: { record(value: boolean, options: { announcement: boolean }): Promise<void> }) => {
  const answer: { code?: string } = {}
  call.record(true, { announcement: false }).then(
    () => (answer.code = 'done'),
    (error: { code: string }) => (answer.code = error.code),
  )
  return answer
}

for (const database of databases) {
  test(`${database}: announces a recording to all parties before it starts, when the rule requires it`, async (t) => {
    const exchange = await openExchange(t, { database, keepsTimelines: true })
    const ada = await exchange.newCustomer()
    await setRule(exchange, ada, 'announce')
    const { caller, phone, call } = await talking(exchange, ada)
    const answer = record(call)
    await exchange.rest()
    for (const leg of [caller, phone]) assert.equal(leg.log.at(-1), 'announce de/recording-notice')
    assert.deepEqual([phone.bridge?.log, answer.code], [[], undefined], 'not before it was heard')
    await exchange.seconds(3)
    assert.deepEqual([phone.bridge?.log, answer.code], [['record'], 'done'])
    await call.record(false, { announcement: false })
    record(call)
    await exchange.seconds(3)
    assert.equal(caller.log.filter((one) => one.includes('recording-notice')).length, 2, 'each time')
    caller.hangsUp()
    await exchange.rest()
    const noted = await notedOf(exchange, ada)
    const once = ['recording_announced', 'recording', 'recording_stopped']
    assert.deepEqual(noted, [...once, ...once.slice(0, 2)])
  })

  test(`${database}: records after the caller pressed 1, and reports a declined consent`, async (t) => {
    const exchange = await openExchange(t, { database, keepsTimelines: true })
    const ada = await exchange.newCustomer()
    await setRule(exchange, ada, 'consent')
    const { caller, phone, call } = await talking(exchange, ada)
    for (const refuses of [async () => caller.presses('2'), () => exchange.seconds(13)]) {
      const refused = record(call)
      await exchange.rest()
      for (const leg of [caller, phone]) assert.equal(leg.log.at(-1), 'announce de/recording-consent')
      phone.presses('1')
      await exchange.rest()
      assert.equal(refused.code, undefined, 'the one who asks cannot agree')
      await refuses()
      await exchange.rest()
      assert.deepEqual([refused.code, call.status().recording, phone.bridge?.log], ['recording_declined', false, []])
    }
    const agreed = record(call)
    await exchange.rest()
    caller.presses('1')
    await exchange.rest()
    assert.deepEqual([agreed.code, phone.bridge?.log, caller.announcing.length], ['done', ['record'], 0])
    await call.record(false, { announcement: false })
    await call.record(true, { announcement: false })
    assert.equal(call.status().recording, true, 'a yes counts for the whole call')
    caller.hangsUp()
    await exchange.rest()
    const noted = await notedOf(exchange, ada)
    assert.deepEqual(noted.slice(0, 4), ['recording_declined', 'recording_declined', 'recording_consented', 'recording'])
    assert.equal((await exchange.entry(ada)).detail.recordings?.length, 2)
  })
}

test('applies the rule of the number before that of the account, inbound and outbound', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  await setRule(exchange, ada, 'consent')
  await setRule(exchange, ada, 'none', ada.number)
  const { caller, call } = await talking(exchange, ada)
  await call.record(true, { announcement: false })
  assert.equal(call.status().recording, true)
  caller.hangsUp()
  await exchange.rest()
  await setRule(exchange, ada, 'none')
  await setRule(exchange, ada, 'announce', ada.number)
  const leg = await exchange.callFrom(ada, '+4921163554444')
  const { phone } = exchange
  phone.answers()
  await exchange.rest()
  const [outbound] = exchange.calls.list(as(ada))
  record(outbound ?? assert.fail())
  await exchange.rest()
  for (const one of [leg, phone]) assert.equal(one.log.at(-1), 'announce de/recording-notice')
  leg.hangsUp()
  await exchange.rest()
})

test('tells or asks a party that comes into a recorded call, and records silence until then', async (t) => {
  for (const rule of ['announce', 'consent', 'declined'] as const) {
    const exchange = await openExchange(t)
    await exchange.addTrunk()
    const ada = await exchange.newCustomer()
    await setRule(exchange, ada, rule === 'announce' ? 'announce' : 'consent')
    const { caller, phone, call } = await talking(exchange, ada)
    const { bridge } = phone
    const begun = record(call)
    await exchange.rest()
    caller.presses('1')
    await exchange.seconds(3)
    assert.equal(begun.code, 'done')
    const transferred = call.transfer({ userId: ada.userId, to: '+4921163559999', attended: false, callerId: undefined })
    await exchange.rest()
    const newcomer = exchange.phone
    newcomer.rings()
    await transferred
    newcomer.answers()
    await exchange.rest()
    assert.match(newcomer.log.at(-1) ?? '', rule === 'announce' ? /recording-notice/ : /recording-consent/)
    assert.deepEqual(bridge?.log, ['record', 'pause'], rule)
    if (rule === 'consent') newcomer.presses('1')
    if (rule === 'declined') newcomer.presses('2')
    await exchange.seconds(3)
    assert.deepEqual(bridge?.log, rule === 'declined' ? ['record', 'pause'] : ['record', 'pause', 'resume'], rule)
    assert.equal(call.status().recording, rule !== 'declined', rule)
    caller.hangsUp()
    await exchange.rest()
  }
})

test('runs other commands while consent is pending, and ends the question with the call', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  await setRule(exchange, ada, 'consent')
  const { caller, call } = await talking(exchange, ada)
  const asked = record(call)
  const again = record(call)
  await exchange.rest()
  assert.equal(caller.log.filter((one) => one.includes('recording-consent')).length, 1, 'asked once')
  await call.mute(true)
  caller.hangsUp()
  await exchange.rest()
  assert.deepEqual([asked.code, again.code], ['call_not_in_state', 'call_not_in_state'])
})
