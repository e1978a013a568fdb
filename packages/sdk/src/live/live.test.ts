import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { test } from 'node:test'
import { live, type LiveOptions } from './live.ts'
import type { Piece } from '../answering.ts'
import type { LiveHandlers } from './handlers.ts'

type Sent = Record<string, unknown> & { type: string; turn: number }

const session = { id: 's1', account_id: '1234567', phone_number: '4930000000' }

/** A call without a service: events are injected, actions recorded. */
const callOf = <State>(handlers: LiveHandlers<State>, options: LiveOptions<State, void> = {}) => {
  const sent: Sent[] = []
  const texts: string[] = []
  const bot = live(handlers, options)
  let left = 0
  const take = (frame: string): void => {
    if (frame.startsWith('{')) sent.push(JSON.parse(frame) as Sent)
    else texts.push(frame)
  }
  const open = () => bot.connect(take, undefined, () => (left += 1))
  let connection = open()
  let sequence = 0
  return {
    bot,
    sent,
    texts,
    notify: async (event: Record<string, unknown>) => {
      connection.receive(JSON.stringify({ session, sequence: ++sequence, ...event }))
      await setImmediate()
    },
    left: () => left,
    reopen: () => (connection = open()),
    lose: () => connection.close(),
    spoken: () =>
      sent
        .filter(({ type }) => type === 'speak')
        .map(({ text }) => text)
        .join(''),
    types: () => sent.map(({ type }) => type),
  }
}

/** A promise opened by hand, to simulate a slow model. */
const gate = () => {
  let open = (): void => {}
  const passed = new Promise<void>((resolve) => (open = resolve))
  return { open, passed }
}

test('streams strings as one speech and sends done when the handler ends', async () => {
  const call = callOf({
    async *user_speak({ text }) {
      for (const token of ['You ', 'said: ', text]) yield token
    },
  })
  await call.notify({ type: 'user_speak', turn: 1, text: 'hello', barged_in: false })
  assert.equal(call.spoken(), 'You said: hello')
  assert.deepEqual(new Set(call.sent.filter(({ type }) => type === 'speak').map(({ stream_id }) => stream_id)), new Set(['1.1']))
  assert.deepEqual(call.sent.at(-2), { session_id: 's1', turn: 1, type: 'speak', stream_id: '1.1', text: '', last: true })
  assert.deepEqual(call.sent.at(-1), { session_id: 's1', turn: 1, type: 'done' })
})

test('sends the first clause token by token, the rest clause by clause', async () => {
  const words = 'Certainly, we are open. On Monday from nine to five, on Tuesday from ten to six, and so on. Bye'.match(/\s*\S+/g) ?? []
  const call = callOf({
    async *user_speak() {
      yield* words
    },
  })
  await call.notify({ type: 'user_speak', turn: 1, text: 'hello', barged_in: false })
  const pieces = call.sent.filter(({ type }) => type === 'speak').map(({ text }) => text as string)
  assert.deepEqual(pieces.slice(0, 3), ['Certainly,', ' we', ' are open. On'])
  assert.equal(pieces.join(''), words.join(''))
  assert.ok(pieces.length < words.length / 2, JSON.stringify(pieces))
})

test('ends the speech on flush, actions and speech fields', async () => {
  const call = callOf({
    async *user_speak(): AsyncGenerator<Piece> {
      yield { speech: { tts: { language: 'de-DE' } } }
      yield 'Einen Moment.'
      yield { flush: true }
      yield ' '
      yield 'Gefunden.'
      yield { type: 'hangup' }
    },
  })
  await call.notify({ type: 'user_speak', turn: 2, text: 'x', barged_in: false })
  const tts = { language: 'de-DE' }
  assert.deepEqual(
    call.sent.map(({ session_id, turn, ...rest }) => (assert.deepEqual([session_id, turn], ['s1', 2]), rest)),
    [
      { type: 'speak', stream_id: '2.1', text: 'Einen Moment.', last: false, tts },
      { type: 'speak', stream_id: '2.1', text: '', last: true },
      { type: 'speak', stream_id: '2.2', text: ' Gefunden.', last: false, tts },
      { type: 'speak', stream_id: '2.2', text: '', last: true },
      { type: 'hangup' },
      { type: 'done' },
    ],
  )
})

test('aborts the answer and stops sending it when the caller speaks again', async () => {
  const waiting = gate()
  const aborted: unknown[] = []
  const call = callOf({
    async *user_speak({ text }, { signal, turn }) {
      yield turn === 2 ? `Second: ${text}` : 'First'
      if (turn === 2) return
      signal.addEventListener('abort', () => aborted.push((signal.reason as Error).message))
      await waiting.passed
      yield ' and too late'
    },
  })
  await call.notify({ type: 'user_speak', turn: 1, text: 'a', barged_in: false })
  await call.notify({ type: 'user_speak', turn: 2, text: 'b', barged_in: true, heard_text: 'Fir' })
  waiting.open()
  await setImmediate()
  assert.deepEqual(aborted, ['the caller has spoken'])
  assert.equal(call.spoken(), 'FirstSecond: b')
  assert.deepEqual(
    call.sent.filter(({ type }) => type === 'done').map(({ turn }) => turn),
    [2],
  )
})

test('aborts an answer that came too late', async () => {
  const seen: boolean[] = []
  const waiting = gate()
  const call = callOf({
    async *user_speak(_, { signal }) {
      yield 'Hello'
      await waiting.passed
      seen.push(signal.aborted)
    },
  })
  await call.notify({ type: 'user_speak', turn: 3, text: 'a', barged_in: false })
  await call.notify({ type: 'action_discarded', action: 'speak', turn: 3, reason: 'superseded' })
  waiting.open()
  await setImmediate()
  assert.deepEqual(seen, [true])
})

test('spoken() waits until everything was played or cut off', async () => {
  const order: string[] = []
  const call = callOf({
    async *session_start(_, { spoken, signal }) {
      yield { type: 'speak', text: 'This is a machine.' }
      yield 'Listen.'
      await spoken()
      order.push(signal.aborted ? 'cut off' : 'sounded')
      yield 'Hello!'
    },
  })
  await call.notify({ type: 'session_start', turn: 0 })
  await call.notify({ type: 'assistant_speak', turn: 0, text: 'This is a machine.', duration_ms: 900, speech_started_at: 0 })
  assert.equal(order.length, 0)
  await call.notify({ type: 'assistant_speak', turn: 0, text: 'Listen.', stream_id: '0.1', duration_ms: 900, speech_started_at: 0 })
  assert.equal(order.join(), 'sounded')
  assert.match(call.spoken(), /Hello!$/)
  const other = callOf({
    async *session_start(_, { spoken, signal }) {
      yield 'Hello!'
      await spoken()
      order.push(signal.aborted ? 'cut off' : 'sounded')
    },
  })
  await other.notify({ type: 'session_start', turn: 0 })
  await other.notify({ type: 'session_end', turn: 0, reason: 'caller_hangup' })
  assert.equal(order.join(), 'sounded,cut off')
})

test('ignores repeated and unknown events', async () => {
  const call = callOf<{ count: number }>({ user_speak: (_, { state }) => `${++state.count}` }, { state: () => ({ count: 0 }) })
  await call.notify({ type: 'user_speak', turn: 1, text: 'a', barged_in: false, sequence: 5 })
  call.lose()
  call.reopen()
  await call.notify({ type: 'session_resume', last_sequence: 4, sequence: undefined })
  await call.notify({ type: 'user_speak', turn: 1, text: 'a', barged_in: false, sequence: 5 })
  await call.notify({ type: 'something_new', turn: 1, sequence: 6 })
  await call.notify({ type: 'user_speak', turn: 2, text: 'b', barged_in: false, sequence: 7 })
  assert.equal(call.spoken(), '12')
})

test('sends queued frames after a reconnect', async () => {
  const waiting = gate()
  const call = callOf({
    async *user_speak() {
      yield 'One.'
      await waiting.passed
      yield { flush: true }
      yield 'Two.'
    },
  })
  await call.notify({ type: 'user_speak', turn: 1, text: 'a', barged_in: false })
  call.lose()
  waiting.open()
  await setImmediate()
  assert.equal(call.spoken(), 'One.')
  call.reopen()
  await call.notify({ type: 'session_resume', last_sequence: 1, sequence: undefined })
  assert.equal(call.spoken(), 'One.Two.')
  call.bot.close()
})

test('aborts and removes a call that is not reconnected', async () => {
  let due = (): void => {}
  const call = callOf(
    {
      user_speak: (_, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    },
    { after: (_ms, task) => ((due = task), () => {}) },
  )
  await call.notify({ type: 'user_speak', turn: 1, text: 'a', barged_in: false })
  call.lose()
  assert.equal(call.bot.calls, 1)
  due()
  assert.equal(call.bot.calls, 0)
})

test('calls session_end once and sends its actions', async () => {
  const results: string[] = []
  const call = callOf({
    async *session_end({ reason }, { signal }) {
      results.push(`${reason} ${signal.aborted}`)
      yield { type: 'note', name: 'end', data: {} }
    },
  })
  await call.notify({ type: 'session_start', turn: 0 })
  await call.notify({ type: 'session_end', turn: 0, reason: 'caller_hangup', sequence: 2 })
  await call.notify({ type: 'session_end', turn: 0, reason: 'caller_hangup', sequence: 2 })
  assert.deepEqual(results, ['caller_hangup false'])
  assert.deepEqual(call.types(), ['done', 'note'])
  assert.equal(call.bot.calls, 0)
})

test('leaves immediately when session_end is repeated over a new connection', async () => {
  const call = callOf({})
  await call.notify({ type: 'session_start', turn: 0 })
  await call.notify({ type: 'session_end', turn: 0, reason: 'caller_hangup' })
  call.lose()
  call.reopen()
  await call.notify({ type: 'session_resume', last_sequence: 1, sequence: undefined })
  assert.equal(call.left(), 1)
  await call.notify({ type: 'session_end', turn: 0, reason: 'caller_hangup', sequence: 2 })
  assert.deepEqual([call.left(), call.bot.calls], [2, 0])
})

test('sends the result after a reconnect, then leaves the call', async () => {
  const waiting = gate()
  const call = callOf({
    session_end: async () => {
      await waiting.passed
      return { type: 'result', outcome: 'booked' } as const
    },
  })
  await call.notify({ type: 'session_start', turn: 0 })
  await call.notify({ type: 'session_end', turn: 0, reason: 'caller_hangup' })
  call.lose()
  waiting.open()
  await setImmediate()
  assert.deepEqual([call.types(), call.left(), call.bot.calls], [['done'], 0, 1])
  call.reopen()
  await call.notify({ type: 'session_resume', last_sequence: 2, sequence: undefined })
  assert.deepEqual([call.types(), call.left(), call.bot.calls], [['done', 'result'], 1, 0])
})

test('keeps the call when a handler throws', async () => {
  const errors: string[] = []
  const onError = (error: unknown): void => void errors.push((error as Error).message)
  const failing = { user_speak: () => Promise.reject(new Error('oh')) }
  const silent = callOf(failing, { onError })
  await silent.notify({ type: 'user_speak', turn: 1, text: 'a', barged_in: false })
  assert.deepEqual(silent.texts, ['the handler of user_speak failed'])
  const polite = callOf(failing, { onError, apology: 'Sorry?' })
  await polite.notify({ type: 'user_speak', turn: 1, text: 'a', barged_in: false })
  assert.equal(polite.spoken(), 'Sorry?')
  assert.deepEqual(errors, ['oh', 'oh'])
})

test('fails only the call whose state cannot be created', async () => {
  const errors: unknown[] = []
  const state = (): number => {
    throw new Error('no settings')
  }
  const call = callOf({ user_speak: () => 'Hello' }, { state, onError: (error) => errors.push(error) })
  await call.notify({ type: 'user_speak', turn: 1, text: 'a', barged_in: false })
  assert.equal(errors.length, 1)
  assert.deepEqual(call.texts, ['the state of the call could not be made'])
})

test('sends done only for awaited events', async () => {
  const call = callOf({ assistant_speak: () => {} })
  await call.notify({ type: 'assistant_speak', turn: 0, text: 'x', duration_ms: 1, speech_started_at: 0 })
  assert.deepEqual(call.types(), [])
  await call.notify({ type: 'transfer_failed', turn: 0, target: 'p0', cause: 'busy' })
  assert.deepEqual(call.types(), ['done'])
})

test('sends done when the last handler of the turn ends', async () => {
  const waiting = gate()
  const call = callOf({
    async *session_start(_, { spoken }) {
      yield 'Hello.'
      await spoken()
      yield 'Bye.'
    },
    assistant_speak: () => waiting.passed,
  })
  await call.notify({ type: 'session_start', turn: 0 })
  await call.notify({ type: 'assistant_speak', turn: 0, text: 'Hello.', stream_id: '0.1', duration_ms: 1, speech_started_at: 0 })
  assert.deepEqual([call.spoken(), call.types().includes('done')], ['Hello.Bye.', false])
  waiting.open()
  await setImmediate()
  assert.equal(call.types().at(-1), 'done')
})

test('calls session_resume for a call from another process', async () => {
  const call = callOf({ session_resume: ({ last_sequence }) => void call.texts.push(`after ${last_sequence}`) })
  await call.notify({ type: 'session_resume', last_sequence: 9, sequence: undefined })
  assert.deepEqual(call.texts, ['after 9'])
})

test('audio: passes caller audio to one handler, sends played audio outside the frames', () => {
  const frames: string[] = []
  const sounds: Uint8Array[] = []
  const bot = live({
    audio: (sound, turn) => {
      turn.play(sound)
      turn.mark('echo')
      turn.clear()
    },
  })
  const connection = bot.connect(
    (frame) => frames.push(frame),
    undefined,
    () => {},
    (sound) => sounds.push(sound),
  )
  connection.receive(new Uint8Array([9])) // no session is known yet
  connection.receive(
    JSON.stringify({ type: 'session_start', session: { id: 's', account_id: 'a', phone_number: '1' }, sequence: 1, turn: 0 }),
  )
  connection.receive(new Uint8Array([1, 2]))
  assert.deepEqual(sounds, [new Uint8Array([1, 2])])
  assert.deepEqual(
    frames.map((frame) => (JSON.parse(frame) as { type: string }).type).filter((type) => type.startsWith('audio')),
    ['audio_mark', 'audio_clear'],
  )
  bot.close()
})
