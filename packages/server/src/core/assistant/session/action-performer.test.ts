import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Wish } from '#test/session/scripted-endpoint.ts'
import { openSession } from '#test/session/scripted-session.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { OutgoingEvent } from '#core/kernel/ports/assistant/endpoint.ts'

const colleague = '+4921163559999'
const wav = Buffer.from('RIFF').toString('base64')

const greeting =
  (...wishes: Wish[]) =>
  ({ body }: OutgoingEvent): Wish[] =>
    body.type === 'session_start' ? wishes : []

test('every action is done, in the order of the answer', async (t) => {
  const reply = greeting(
    { type: 'configure_transcription', languages: ['de-DE'] },
    { type: 'mix_audio', audio: wav },
    { type: 'speak', text: 'One' },
    { type: 'audio', audio: wav },
    { type: 'barge_in' },
    { type: 'speak', text: 'Two' },
    { type: 'mix_audio', stop: true },
  )
  const { studio } = await openSession(t, { reply })
  assert.deepEqual(studio.conversation.log, [
    'configure de-DE',
    'background on',
    'say One',
    'play',
    'interrupt',
    'say Two',
    'background stop',
  ])
})

test('a hang-up is done at once; after a speech in the same answer, when that was said', async (t) => {
  const { studio, caller } = await openSession(t, { duplex: true })
  studio.channel.acts({ type: 'speak', text: 'Goodbye' }, { type: 'hangup' })
  await studio.seconds(0.3)
  assert.equal(caller.over, undefined)
  await studio.seconds(0.1)
  assert.ok(caller.over)
  assert.deepEqual((await studio.ends())[0]?.body, {
    ...studio.channel.sent[0]?.body,
    type: 'session_end',
    reason: 'assistant_hangup',
  })
  const second = await openSession(t, { duplex: true })
  second.studio.channel.acts({ type: 'speak', text: 'A long speech that nobody wants to hear' })
  await second.studio.seconds(0.5)
  second.studio.channel.acts({ type: 'hangup' })
  await second.studio.rest()
  assert.ok(second.caller.over)
  assert.deepEqual(second.studio.channel.types, ['session_start', 'assistant_speak'], 'what was cut off is told before the end')
})

test('who breaks into a goodbye with words is listened to, a cough or a word after it changes nothing', async (t) => {
  const goodbye: Wish[] = [{ type: 'speak', text: 'Goodbye' }, { type: 'hangup' }]
  const interrupted = await openSession(t, { reply: greeting(...goodbye), settings: { extendedEvents: ['action_discarded'] } })
  await interrupted.studio.seconds(0.2)
  interrupted.studio.conversation.callerSays('Wait!')
  await interrupted.studio.seconds(5)
  assert.equal(interrupted.caller.over, undefined)
  assert.equal(interrupted.studio.channel.ofType('action_discarded')[0]?.action, 'hangup')

  const coughed = await openSession(t, { reply: greeting(...goodbye) })
  await coughed.studio.seconds(0.2)
  coughed.studio.conversation.coughs()
  await coughed.studio.seconds(1)
  assert.ok(coughed.caller.over)

  const late = await openSession(t, { reply: greeting(...goodbye) })
  await late.studio.seconds(0.3)
  late.studio.conversation.callerBegins()
  await late.studio.seconds(1)
  assert.ok(late.caller.over)
})

test('a transfer waits for the speech before it; when somebody takes the call the session is over and the call goes on', async (t) => {
  const reply = greeting({ type: 'speak', text: 'One moment' }, { type: 'transfer', target: colleague })
  const { studio, caller } = await openSession(t, { reply, settings: { transferTargets: [colleague] } })
  await studio.exchange.addTrunk()
  assert.equal(studio.exchange.ringing.length, 0)
  await studio.seconds(1)
  studio.exchange.phone.rings()
  await studio.seconds(2)
  studio.conversation.callerSays('Hello? Is anybody there?')
  caller.presses('1')
  studio.exchange.phone.answers()
  await studio.rest()
  assert.deepEqual(studio.channel.types, ['session_start', 'assistant_speak'], 'what is said to the ringing is not for the assistant')
  const [end] = await studio.ends()
  assert.equal(end?.body.type === 'session_end' && end.body.reason, 'transferred')
  assert.equal(caller.over, undefined)
  assert.equal(caller.hears.length, 1)
  assert.ok(studio.conversation.closed && studio.channel.closed)
  caller.hangsUp()
  await studio.rest()
  assert.deepEqual(await studio.ends(), [])
})

test('a user transfers the call: the assistant talks until somebody rings there, is silent then, and is out when they answer', async (t) => {
  const { studio, caller } = await openSession(t, { duplex: true, settings: { extendedEvents: ['transfer_failed'] } })
  const { exchange } = studio
  await exchange.addTrunk()
  const { callId = '', accountIds: [accountId = ''] = [] } = exchange.changes.at(-1)?.[1] ?? {}
  const view = exchange.calls.get({ kind: 'user', accountId, admin: true } as UserCaller, callId)
  const transfer = (): Promise<void> => view.transfer({ userId: 'w0', to: colleague, attended: false, callerId: undefined })
  const events = studio.channel.types.length

  studio.channel.acts({ type: 'speak', text: 'This takes a while' })
  await studio.seconds(0.2)
  const refused = assert.rejects(transfer(), { code: 'transfer_failed' })
  await studio.rest()
  exchange.phone.refuses('busy', 486)
  await studio.rest()
  await refused
  assert.equal(studio.conversation.speaking, true, 'it does not notice what did not even ring')

  const asked = transfer()
  await studio.rest()
  exchange.phone.rings()
  await asked
  assert.equal(studio.conversation.speaking, false)
  exchange.phone.refuses('rejected', 603)
  await studio.rest()
  assert.equal(studio.channel.types.at(-1), 'transfer_failed')

  const taken = transfer()
  await studio.rest()
  exchange.phone.answers()
  await taken
  await studio.rest()
  const [end] = await studio.ends()
  assert.equal(end?.body.type === 'session_end' && end.body.reason, 'transferred')
  assert.ok(studio.channel.types.length > events)
  assert.deepEqual([caller.over, caller.hears.length], [undefined, 1])
})

test('a transfer that fails gives the caller back to the assistant, and both are told why', async (t) => {
  const settings = { transferTargets: [colleague], extendedEvents: ['transfer_failed'], timeouts: { silenceSeconds: 20 } } as const
  const { studio, caller } = await openSession(t, { duplex: true, settings })
  await studio.exchange.addTrunk()
  studio.channel.acts({ type: 'speak', text: 'This is cut off by the transfer' })
  await studio.seconds(0.5)
  studio.channel.acts({ type: 'transfer', target: colleague })
  await studio.seconds(19)
  studio.channel.acts({ type: 'transfer', target: colleague }, { type: 'speak', text: 'over the ringing' })
  studio.exchange.phone.refuses('busy')
  await studio.seconds(15)
  assert.deepEqual(studio.channel.types, ['session_start', 'assistant_speak', 'transfer_failed'])
  const [failed] = studio.channel.ofType('transfer_failed')
  assert.deepEqual([failed?.target, failed?.cause], [colleague, 'busy'])
  assert.deepEqual(
    studio.channel.notes.map(([, { type, message }]) => `${type}: ${message}`),
    [
      'transfer: not done while the caller is being connected with somebody else',
      'speak: not done while the caller is being connected with somebody else',
      'transfer: target: the call was not taken there (busy)',
    ],
  )
  assert.equal(caller.over, undefined, 'the time of the transfer is no silence')
  studio.channel.acts({ type: 'transfer', target: '+4921163551111' })
  await studio.rest()
  assert.match(studio.channel.notes.at(-1)?.[1].message ?? '', /forbidden/)
  studio.conversation.callerSays('Are you there?')
  await studio.rest()
  assert.equal(studio.channel.types.at(-1), 'user_speak')
})

test('an action that breaks is noted and does not end the call', async (t) => {
  const { studio, caller } = await openSession(t, { duplex: true })
  const { outside, failures } = studio.exchange
  outside.failAt = outside.count + 1
  studio.channel.acts({ type: 'speak', text: 'One' }, { type: 'speak', text: 'Two' })
  await studio.seconds(1)
  assert.deepEqual(
    studio.channel.notes.map(([, { index, type }]) => [index, type]),
    [[0, 'speak']],
  )
  assert.equal(failures.length, 1)
  assert.equal(caller.over, undefined)
  assert.equal(studio.channel.ofType('assistant_speak')[0]?.text, 'Two')
})

test('a customer who does not want to know of a failed transfer does not leave the caller in silence', async (t) => {
  const { studio } = await openSession(t, { duplex: true, settings: { transferTargets: [] } })
  studio.channel.acts({ type: 'transfer', target: colleague })
  await studio.rest()
  assert.deepEqual(studio.conversation.log, ['interrupt', 'say Dort ist im Moment leider niemand zu erreichen.'])
})

test('that a transfer may not go there is told to every endpoint, and seen', async (t) => {
  const { studio } = await openSession(t, { duplex: true, settings: { transferTargets: ['+4930*'] } })
  studio.channel.acts({ type: 'transfer', target: colleague })
  await studio.rest()
  const [failed] = studio.channel.ofType('transfer_failed')
  assert.deepEqual([failed?.target, failed?.cause], [colleague, 'forbidden'])
  assert.match(studio.channel.notes.at(-1)?.[1].message ?? '', /^target: .*\(forbidden: only what the flow lists in transfer_targets/)
})

test('an endpoint that did not ask for it is not told that nobody took a call', async (t) => {
  const { studio } = await openSession(t, { duplex: true, settings: { transferTargets: [colleague] } })
  await studio.exchange.addTrunk()
  studio.channel.acts({ type: 'transfer', target: colleague })
  await studio.rest()
  studio.exchange.phone.refuses('busy')
  await studio.rest()
  assert.deepEqual(studio.channel.ofType('transfer_failed'), [])
})

test('what follows a transfer that was taken is not done any more, and told', async (t) => {
  const settings = { transferTargets: [colleague], extendedEvents: ['action_discarded'] } as const
  const { studio } = await openSession(t, { duplex: true, settings })
  await studio.exchange.addTrunk()
  studio.channel.acts({ type: 'transfer', target: colleague }, { type: 'speak', text: 'Nobody is there to hear it' }, { type: 'hangup' })
  await studio.rest()
  studio.exchange.phone.answers()
  await studio.seconds(5)
  assert.deepEqual(studio.conversation.log, ['interrupt', 'interrupt', 'close'])
  assert.deepEqual(
    studio.channel.ofType('action_discarded').map(({ action, reason }) => [action, reason]),
    [
      ['speak', 'ended'],
      ['hangup', 'ended'],
    ],
  )
})
