import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { readPage } from '#core/telephone/timeline/read-timeline.ts'
import type { Customer } from '#test/routing/scripted-exchange.ts'
import type { ScriptedEndpoints } from '#test/session/scripted-endpoint.ts'
import { rescuing } from '#test/routing/second-process.ts'
import { openSession, SessionFixture, type SessionFixtureOptions } from '#test/session/session-fixture.ts'

const admin = ({ accountId, userId }: Customer): UserCaller => ({
  kind: 'user',
  accountId,
  userId,
  admin: true,
  scopes: ['all'],
  tokenId: '',
})

const card = '4929000000006'
const spokenCard = 'four nine two nine zero zero zero zero zero zero zero zero six'

const recorded = async (t: TestContext, options: SessionFixtureOptions & { duplex?: boolean; reply?: ScriptedEndpoints['reply'] } = {}) => {
  const settings = { recording: true, extendedEvents: ['dtmf_received', 'user_speak_partial'] as const }
  const opened = await openSession(t, {
    duplex: true,
    keepsTimelines: true,
    ...options,
    settings: { ...settings, extendedEvents: [...settings.extendedEvents] },
  })
  const { fixture, customer, caller } = opened
  await fixture.rest()
  const status = () => fixture.exchange.calls.list(admin(customer))[0]?.status() ?? assert.fail('no call')
  assert.equal(status().recording, true)
  return { ...opened, bridge: caller.bridge ?? assert.fail('not in a bridge'), status, isPaused: () => status().recordingPaused ?? false }
}

const timelineOf = async ({ exchange }: SessionFixture, customer: Customer): Promise<TimelineEntry[]> => {
  await exchange.timelines.flush()
  const callId = exchange.changes[0]?.[1].callId ?? assert.fail('nobody called')
  const { items } = await readPage(exchange.store, { caller: admin(customer), locale: 'en_US' }, callId, { after: 0, limit: 1000 })
  return items
}

/** Ids may have any digits. */
const textOf = (items: readonly unknown[]): string => JSON.stringify(items).replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, 'id')

test('stores neither keys nor words while an endpoint pauses the recording, and the endpoint receives them', async (t) => {
  const { fixture, customer, caller, bridge, isPaused } = await recorded(t)
  const { channel, conversation } = fixture
  caller.presses('7')
  channel.acts({ type: 'recording', paused: true }, { type: 'speak', text: 'Your card number?', expects: 'digits' })
  await fixture.seconds(3)
  assert.ok(isPaused())
  caller.presses(card)
  conversation.callerSays(`it is ${spokenCard}`)
  await fixture.rest()
  channel.acts({ type: 'note', name: 'card', data: { number: card } }, { type: 'recording', paused: false })
  await fixture.rest()
  assert.equal(isPaused(), false)
  channel.acts({ type: 'speak', text: `I have noted ${card}.` })
  conversation.callerSays('Thank you')
  await fixture.rest()
  caller.hangsUp()
  await fixture.seconds(10)

  assert.deepEqual(bridge.log.slice(0, 3), ['record', 'pause', 'resume'])
  assert.equal(
    channel
      .ofType('dtmf_received')
      .map(({ digit }) => digit)
      .join(''),
    `7${card}`,
  )
  assert.deepEqual(
    channel.ofType('user_speak').map(({ text }) => text),
    [`it is ${spokenCard}`, 'Thank you'],
  )
  const items = await timelineOf(fixture, customer)
  assert.doesNotMatch(textOf(items), /4929000000006|four nine/)
  const keys = items.flatMap((entry) => (entry.kind === 'key' ? [entry.digit] : []))
  assert.equal(keys.join(''), `7${'•'.repeat(card.length)}`)
  assert.deepEqual(
    items.flatMap((entry) => (entry.kind === 'heard' && entry.final ? [entry.text] : [])),
    ['…', 'Thank you'],
  )
  const moments = items.flatMap((entry) => (entry.kind === 'call' ? [entry.state] : []))
  assert.deepEqual(
    moments.filter((state) => state.startsWith('recording')),
    ['recording', 'recording_paused', 'recording_resumed'],
  )
})

test('conceals the keys of a caller while a user pauses the recording, not the words', async (t) => {
  const { fixture, customer, caller, isPaused } = await recorded(t)
  const [call] = fixture.exchange.calls.list(admin(customer))
  await call?.pauseRecording(true)
  assert.ok(isPaused())
  caller.presses('12')
  fixture.conversation.callerSays('Hello')
  await fixture.rest()
  await call?.pauseRecording(false)
  caller.presses('3')
  caller.hangsUp()
  await fixture.seconds(10)
  const items = await timelineOf(fixture, customer)
  const keys = items.flatMap((entry) => (entry.kind === 'key' ? [entry.digit] : []))
  assert.equal(keys.join(''), '••3')
  assert.deepEqual(
    items.flatMap((entry) => (entry.kind === 'heard' && entry.final ? [entry.text] : [])),
    ['Hello'],
  )
})

test('resumes the recording when the pause of an older turn ends, and when the session ends', async (t) => {
  const { fixture, caller, bridge, isPaused } = await recorded(t)
  const { channel, conversation } = fixture
  channel.acts({ type: 'recording', paused: true })
  conversation.callerSays('four nine')
  await fixture.rest()
  channel.acts({ type: 'recording', turn: 0, paused: false })
  await fixture.rest()
  assert.equal(isPaused(), false)
  channel.acts({ type: 'recording', turn: 0, paused: true })
  await fixture.rest()
  assert.ok(isPaused(), 'nothing is recorded because the caller spoke')
  caller.hangsUp()
  await fixture.seconds(10)
  assert.deepEqual(bridge.log.slice(0, 4), ['record', 'pause', 'resume', 'pause'])
})

test('resumes the recording when the caller is transferred', async (t) => {
  const { fixture, customer, bridge, isPaused } = await recorded(t)
  const [call] = fixture.exchange.calls.list(admin(customer))
  fixture.channel.acts({ type: 'recording', paused: true })
  await fixture.rest()
  await fixture.exchange.addTrunk()
  const transferred = call?.transfer({ userId: customer.userId, to: '+4921163559999', attended: false, callerId: undefined })
  await fixture.rest()
  fixture.exchange.phone.answers()
  await transferred
  await fixture.rest()
  assert.equal(isPaused(), false)
  assert.deepEqual(bridge.log, ['record', 'pause', 'resume'])
})

test('keeps the pause, and stores no digits, when another node takes over the call', async (t) => {
  // A webhook that never answers: the digits are not known to have arrived.
  const reply: ScriptedEndpoints['reply'] = ({ body: { type } }) => {
    if (type === 'dtmf_received') return new Promise(() => {})
    return type === 'session_start' ? [{ type: 'recording', paused: true }] : []
  }
  const { fixture: first, customer, caller } = await recorded(t, { noted: true, duplex: false, reply })
  caller.presses('49')
  await first.seconds(2)
  const callId = first.exchange.changes[0]?.[1].callId ?? assert.fail('nobody called')
  const saved = await first.exchange.store.read.sessions.stateOf(callId)
  assert.match(JSON.stringify(saved), /"pausesRecording":true/)
  assert.doesNotMatch(JSON.stringify(saved), /"digit"/)
  first.exchange.crash()
  const second = new SessionFixture(first.exchange.store, { noted: true, keepsTimelines: true, startAt: first.exchange.clock.now() })
  t.after(() => second.close())
  second.endpoints.duplex = true
  const other = rescuing(first.exchange, second.exchange)
  await second.seconds(1.5)
  await other.takeOver()
  await second.rest()
  const leg = second.exchange.telephony.resumed[0] ?? assert.fail('not resumed')
  const status = () => second.exchange.calls.list(admin(customer))[0]?.status()
  assert.deepEqual([status()?.recording, status()?.recordingPaused], [true, true])
  leg.presses('29')
  await second.rest()
  second.channel.acts({ type: 'recording', paused: false })
  await second.rest()
  assert.equal(status()?.recordingPaused, undefined)
  assert.equal(
    second.channel
      .ofType('dtmf_received')
      .map(({ digit }) => digit)
      .join(''),
    '29',
  )
  leg.hangsUp()
  await second.seconds(10)
  const keys = (await timelineOf(second, customer)).flatMap((entry) => (entry.kind === 'key' ? [entry.digit] : []))
  assert.deepEqual([...new Set(keys)], ['•'])
})
