import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Input } from '#test/session/scripted-endpoint.ts'
import { letterMs } from '#test/session/scripted-conversation.ts'
import { openSession, type SessionFixture } from '#test/session/session-fixture.ts'
import type { ScriptedLeg } from '#test/ports/scripted-leg.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { OutgoingEvent } from '#core/kernel/ports/assistant.ts'

const colleague = '+4921163559999'
const wav = Buffer.from('RIFF').toString('base64')

const greeting =
  (...inputs: Input[]) =>
  ({ body }: OutgoingEvent): Input[] =>
    body.type === 'session_start' ? inputs : []

test('performs every action in the order of the reply', async (t) => {
  const reply = greeting(
    { type: 'configure_transcription', languages: ['de-DE'] },
    { type: 'mix_audio', audio: wav },
    { type: 'speak', text: 'One' },
    { type: 'audio', audio: wav },
    { type: 'barge_in' },
    { type: 'speak', text: 'Two' },
    { type: 'mix_audio', stop: true },
  )
  const { fixture } = await openSession(t, { reply })
  assert.deepEqual(fixture.conversation.log, [
    'configure de-DE',
    'background on',
    'say One',
    'play',
    'interrupt',
    'say Two',
    'background stop',
  ])
})

test('delays a hang-up until the preceding speech of the same reply ends', async (t) => {
  const { fixture, caller } = await openSession(t, { duplex: true })
  fixture.channel.acts({ type: 'speak', text: 'Goodbye' }, { type: 'hangup' })
  await fixture.seconds(0.3)
  assert.equal(caller.over, undefined)
  await fixture.seconds(0.1)
  assert.ok(caller.over)
  assert.deepEqual((await fixture.ends())[0]?.body, {
    ...fixture.channel.sent[0]?.body,
    type: 'session_end',
    reason: 'assistant_hangup',
  })
})

test('delays a hang-up in a separate message until all speech of the turn has ended', async (t) => {
  const { fixture, caller } = await openSession(t, { duplex: true })
  fixture.channel.acts({ type: 'speak', text: 'Your table is booked.' })
  await fixture.seconds(0.1)
  fixture.channel.acts({ type: 'audio', audio: wav })
  fixture.channel.acts({ type: 'hangup' })
  await fixture.seconds(1.9)
  assert.equal(caller.over, undefined)
  await fixture.seconds(0.2)
  assert.ok(caller.over)
  const [speech] = fixture.channel.ofType('assistant_speak')
  assert.equal(speech?.duration_ms, 'Your table is booked.'.length * letterMs, 'it was heard to its end')
})

test('hangs up immediately with now, after a barge_in, and in answer to a key', async (t) => {
  const ways: ((fixture: SessionFixture, caller: ScriptedLeg) => void)[] = [
    ({ channel }) => channel.acts({ type: 'hangup', now: true }),
    ({ channel }) => {
      channel.acts({ type: 'barge_in' })
      channel.acts({ type: 'hangup' })
    },
    ({ channel }, caller) => {
      caller.presses('9')
      channel.acts({ type: 'hangup' })
    },
  ]
  for (const way of ways) {
    const { fixture, caller } = await openSession(t, { duplex: true })
    fixture.channel.acts({ type: 'speak', text: 'A long speech that nobody wants to hear' })
    await fixture.seconds(0.5)
    way(fixture, caller)
    await fixture.rest()
    assert.ok(caller.over)
    assert.deepEqual(fixture.channel.types, ['session_start', 'assistant_speak'], 'what was cut off is told before the end')
  }
})

test('continues only earlier streams after a delayed hang-up and discards other speech', async (t) => {
  const { fixture, caller } = await openSession(t, { duplex: true, settings: { extendedEvents: ['action_discarded'] } })
  const piece = (text: string, stream_id: string, last = false): void => fixture.channel.acts({ type: 'speak', text, stream_id, last })
  piece('Your table is booked.', 's')
  fixture.channel.acts({ type: 'hangup' })
  await fixture.rest()
  piece('Goodbye.', 's', true)
  piece('Is there anything else?', 'another')
  fixture.channel.acts({ type: 'speak', text: 'Hello?' })
  await fixture.seconds(5)
  assert.ok(caller.over)
  assert.deepEqual(
    fixture.channel.ofType('assistant_speak').map(({ text }) => text),
    ['Your table is booked.', 'Goodbye.'],
  )
  assert.deepEqual(
    fixture.channel.ofType('action_discarded').map(({ action, reason }) => [action, reason]),
    [
      ['speak', 'ended'],
      ['speak', 'ended'],
    ],
  )
})

test('cancels a hang-up when the caller interrupts the goodbye with words, not for a cough or late words', async (t) => {
  const goodbye: Input[] = [{ type: 'speak', text: 'Goodbye' }, { type: 'hangup' }]
  const interrupted = await openSession(t, { reply: greeting(...goodbye), settings: { extendedEvents: ['action_discarded'] } })
  await interrupted.fixture.seconds(0.2)
  interrupted.fixture.conversation.callerSays('Wait!')
  await interrupted.fixture.seconds(5)
  assert.equal(interrupted.caller.over, undefined)
  assert.equal(interrupted.fixture.channel.ofType('action_discarded')[0]?.action, 'hangup')

  const coughed = await openSession(t, { reply: greeting(...goodbye) })
  await coughed.fixture.seconds(0.2)
  coughed.fixture.conversation.coughs()
  await coughed.fixture.seconds(1)
  assert.ok(coughed.caller.over)

  const late = await openSession(t, { reply: greeting(...goodbye) })
  await late.fixture.seconds(0.3)
  late.fixture.conversation.callerBegins()
  await late.fixture.seconds(1)
  assert.ok(late.caller.over)
})

test('delays a transfer until the preceding speech ends, and ends the session when the target answers', async (t) => {
  const reply = greeting({ type: 'speak', text: 'One moment' }, { type: 'transfer', target: colleague })
  const { fixture, caller } = await openSession(t, { reply, settings: { transferTargets: [colleague] } })
  await fixture.exchange.addTrunk()
  assert.equal(fixture.exchange.ringing.length, 0)
  await fixture.seconds(1)
  fixture.exchange.phone.rings()
  await fixture.seconds(2)
  fixture.conversation.callerSays('Hello? Is anybody there?')
  caller.presses('1')
  fixture.exchange.phone.answers()
  await fixture.rest()
  assert.deepEqual(fixture.channel.types, ['session_start', 'assistant_speak'], 'what is said to the ringing is not for the assistant')
  const [end] = await fixture.ends()
  assert.equal(end?.body.type === 'session_end' && end.body.reason, 'transferred')
  assert.equal(caller.over, undefined)
  assert.equal(caller.hears.length, 1)
  assert.ok(fixture.conversation.closed && fixture.channel.closed)
  caller.hangsUp()
  await fixture.rest()
  assert.deepEqual(await fixture.ends(), [])
})

test("mutes the assistant when a user's transfer target rings, and ends its session when the target answers", async (t) => {
  const { fixture, caller } = await openSession(t, { duplex: true, settings: { extendedEvents: ['transfer_failed'] } })
  const { exchange } = fixture
  await exchange.addTrunk()
  const { callId = '', accountIds: [accountId = ''] = [] } = exchange.changes.at(-1)?.[1] ?? {}
  const view = exchange.calls.get({ kind: 'user', accountId, admin: true } as UserCaller, callId)
  const transfer = (): Promise<void> => view.transfer({ userId: 'w0', to: colleague, attended: false, callerId: undefined })
  const events = fixture.channel.types.length

  fixture.channel.acts({ type: 'speak', text: 'This takes a while' })
  await fixture.seconds(0.2)
  const refused = assert.rejects(transfer(), { code: 'transfer_failed' })
  await fixture.rest()
  exchange.phone.refuses('busy', 486)
  await fixture.rest()
  await refused
  assert.equal(fixture.conversation.speaking, true, 'it does not notice what did not even ring')

  const asked = transfer()
  await fixture.rest()
  exchange.phone.rings()
  await asked
  assert.equal(fixture.conversation.speaking, false)
  exchange.phone.refuses('rejected', 603)
  await fixture.rest()
  assert.equal(fixture.channel.types.at(-1), 'transfer_failed')

  const taken = transfer()
  await fixture.rest()
  exchange.phone.answers()
  await taken
  await fixture.rest()
  const [end] = await fixture.ends()
  assert.equal(end?.body.type === 'session_end' && end.body.reason, 'transferred')
  assert.ok(fixture.channel.types.length > events)
  assert.deepEqual([caller.over, caller.hears.length], [undefined, 1])
})

test('returns the caller to the assistant after a failed transfer and reports the cause', async (t) => {
  const settings = { transferTargets: [colleague], extendedEvents: ['transfer_failed'], timeouts: { silenceSeconds: 20 } } as const
  const { fixture, caller } = await openSession(t, { duplex: true, settings })
  await fixture.exchange.addTrunk()
  fixture.channel.acts({ type: 'speak', text: 'This is cut off by the transfer' })
  await fixture.seconds(0.5)
  fixture.channel.acts({ type: 'transfer', target: colleague, now: true })
  await fixture.seconds(19)
  fixture.channel.acts({ type: 'transfer', target: colleague }, { type: 'speak', text: 'over the ringing' })
  fixture.exchange.phone.refuses('busy')
  await fixture.seconds(15)
  assert.deepEqual(fixture.channel.types, ['session_start', 'assistant_speak', 'transfer_failed'])
  const [failed] = fixture.channel.ofType('transfer_failed')
  assert.deepEqual([failed?.target, failed?.cause], [colleague, 'busy'])
  assert.deepEqual(
    fixture.channel.notes.map(([, { type, message }]) => `${type}: ${message}`),
    [
      'transfer: not done while the caller is being connected with somebody else',
      'speak: not done while the caller is being connected with somebody else',
      'transfer: target: the call was not taken there (busy)',
    ],
  )
  assert.equal(caller.over, undefined, 'the time of the transfer is no silence')
  fixture.channel.acts({ type: 'transfer', target: '+4921163551111' })
  await fixture.rest()
  assert.match(fixture.channel.notes.at(-1)?.[1].message ?? '', /forbidden/)
  fixture.conversation.callerSays('Are you there?')
  await fixture.rest()
  assert.equal(fixture.channel.types.at(-1), 'user_speak')
})

test('reports an action that throws without ending the call', async (t) => {
  const { fixture, caller } = await openSession(t, { duplex: true })
  const { outside, failures } = fixture.exchange
  outside.failAt = outside.count + 1
  fixture.channel.acts({ type: 'speak', text: 'One' }, { type: 'speak', text: 'Two' })
  await fixture.seconds(1)
  assert.deepEqual(
    fixture.channel.notes.map(([, { index, type }]) => [index, type]),
    [[0, 'speak']],
  )
  assert.equal(failures.length, 1)
  assert.equal(caller.over, undefined)
  assert.equal(fixture.channel.ofType('assistant_speak')[0]?.text, 'Two')
})

test('announces a failed transfer to the caller if the endpoint does not take the event', async (t) => {
  const { fixture } = await openSession(t, { duplex: true, settings: { transferTargets: [] } })
  fixture.channel.acts({ type: 'transfer', target: colleague })
  await fixture.rest()
  assert.deepEqual(fixture.conversation.log, ['interrupt', 'say Dort ist im Moment leider niemand zu erreichen.'])
})

test('reports a forbidden transfer target to every endpoint and in the delivery log', async (t) => {
  const { fixture } = await openSession(t, { duplex: true, settings: { transferTargets: ['+4930*'] } })
  fixture.channel.acts({ type: 'transfer', target: colleague })
  await fixture.rest()
  const [failed] = fixture.channel.ofType('transfer_failed')
  assert.deepEqual([failed?.target, failed?.cause], [colleague, 'forbidden'])
  assert.match(fixture.channel.notes.at(-1)?.[1].message ?? '', /^target: .*\(forbidden: only what the flow lists in transfer_targets/)
})

test('sends transfer_failed only to endpoints that requested it', async (t) => {
  const { fixture } = await openSession(t, { duplex: true, settings: { transferTargets: [colleague] } })
  await fixture.exchange.addTrunk()
  fixture.channel.acts({ type: 'transfer', target: colleague })
  await fixture.rest()
  fixture.exchange.phone.refuses('busy')
  await fixture.rest()
  assert.deepEqual(fixture.channel.ofType('transfer_failed'), [])
})

test('discards and reports actions after a completed transfer', async (t) => {
  const settings = { transferTargets: [colleague], extendedEvents: ['action_discarded'] } as const
  const { fixture } = await openSession(t, { duplex: true, settings })
  await fixture.exchange.addTrunk()
  fixture.channel.acts({ type: 'transfer', target: colleague }, { type: 'speak', text: 'Nobody is there to hear it' }, { type: 'hangup' })
  await fixture.rest()
  fixture.exchange.phone.answers()
  await fixture.seconds(5)
  assert.deepEqual(fixture.conversation.log, ['interrupt', 'interrupt', 'close'])
  assert.deepEqual(
    fixture.channel.ofType('action_discarded').map(({ action, reason }) => [action, reason]),
    [
      ['speak', 'ended'],
      ['hangup', 'ended'],
    ],
  )
})
