import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TimelineEntry, TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'
import { ConversationLines, Quiet } from './conversation.ts'

const head = { callId: 'c', sequence: 1, at: 0, eventId: 'e', turn: 1 }
const action = (type: string): TimelineEntryOf<'action'> => ({
  ...head,
  kind: 'action',
  action: { type, session_id: 'c', text: 'Goodbye!' },
})
const spoke: TimelineEntryOf<'spoke'> = { ...head, kind: 'spoke', text: 'Goodbye!', startedAt: 0, playedMs: 1, completed: true }
const never = 2 ** 31 - 1

const speaks: TimelineEntryOf<'speaks'> = { ...head, kind: 'speaks', text: 'Goodbye' }

test('prints whole speech after it was played, a hang-up at the end of the call, other actions immediately', () => {
  const lines = new ConversationLines(false)
  const shown = [action('speak'), speaks, spoke, action('hangup'), action('transfer')].map((entry) => lines.of(entry))
  assert.deepEqual(shown, [undefined, undefined, '◀ Goodbye!', undefined, '  (transfer)'])
  const cut: TimelineEntry = { ...spoke, text: 'Good', playedMs: 800, completed: false }
  assert.equal(lines.of(cut), '◀ Good\n  (cut off after 0.8 s)')
})

test('prints a sound beside the conversation, and no `done`', () => {
  const { text: _, ...sound } = spoke
  const { text: __, ...sounds } = speaks
  for (const early of [false, true]) {
    const lines = new ConversationLines(early)
    const shown = [action('audio'), sounds, sound, action('done')].map((entry) => lines.of(entry))
    assert.deepEqual(
      shown.filter((line) => line !== undefined),
      ['  (a sound)'],
    )
    assert.equal(lines.of({ ...sound, completed: false }), '  (cut off after 0.0 s)')
  }
})

test('prints speech early when typing, and the rest afterwards', () => {
  const lines = new ConversationLines(true)
  assert.deepEqual(
    [speaks, { ...spoke, text: 'Goodbye my friend.' }, speaks, { ...spoke, text: 'Goodbye' }].map((entry) => lines.of(entry)),
    ['◀ Goodbye', '◀ … my friend.', '◀ Goodbye', undefined],
  )
})

/** Whether it still waits, without waiting for it. */
const stateOf = (waiting: Promise<void>): Promise<string> =>
  Promise.race([waiting.then(() => 'quiet'), Promise.resolve().then(() => 'waits')])

const heard: TimelineEntry = { ...head, kind: 'heard', text: 'Hello?', final: true, typed: true }
const message: TimelineEntry = { ...head, kind: 'message', body: '', bodyBytes: 0 }
const asks = (quiet: Quiet, turn: number): Promise<void> => {
  quiet.asked()
  const next = quiet.next(never)
  quiet.take({ ...heard, turn })
  quiet.take({ ...head, kind: 'event', eventId: `e${turn}`, type: 'user_speak', turn, body: {} })
  return next
}

test("stops waiting after the assistant's `done`", async () => {
  const quiet = new Quiet()
  const waiting = quiet.next(never)
  quiet.take(action('done'))
  await waiting
  const next = asks(quiet, 2)
  assert.equal(await stateOf(next), 'waits')
  quiet.take({ ...action('done'), turn: 2 })
  await next
})

test('does not take a late end of the turn before for the answer', async () => {
  const quiet = new Quiet()
  const greeting = quiet.next(never)
  for (const entry of [action('speak'), spoke]) quiet.take(entry)
  await greeting
  quiet.asked()
  const next = quiet.next(never)
  for (const entry of [{ ...action('done'), turn: 0 }, spoke]) quiet.take(entry)
  for (const entry of [
    { ...heard, turn: 1 },
    { ...action('done'), turn: 0 },
  ])
    quiet.take(entry)
  assert.equal(await stateOf(next), 'waits')
  for (const entry of [action('speak'), spoke]) quiet.take(entry)
  assert.equal(await stateOf(next), 'waits', 'an answer of it ends with `done`')
  for (const entry of [action('speak'), action('done')]) quiet.take(entry)
  assert.equal(await stateOf(next), 'waits', 'the rest is not yet played')
  quiet.take(spoke)
  await next
})

test('waits over a WebSocket for the `done` of the greeting, for a second', async () => {
  const due: [number, () => void][] = []
  const after = (ms: number, task: () => void) => {
    due.push([ms, task])
    return () => {}
  }
  const quiet = new Quiet(after)
  const greeting = quiet.next(never)
  for (const entry of [message, { ...action('speak'), turn: 0 }, { ...spoke, eventId: '?' }]) quiet.take(entry)
  assert.equal(await stateOf(greeting), 'waits', 'more may follow')
  const [, settling] = due
  assert.equal(settling?.[0], 1000)
  settling[1]()
  await greeting
  const next = asks(quiet, 1)
  for (const entry of [message, action('speak'), { ...spoke, eventId: 'e1' }]) quiet.take(entry)
  await next
})

test('expects speech after a pause of the caller, and an answer to a key', async () => {
  const quiet = new Quiet()
  quiet.take(spoke)
  quiet.pauses()
  const paused = quiet.next(never)
  assert.equal(await stateOf(paused), 'waits')
  quiet.take(spoke)
  await paused
  quiet.asked()
  const pressed = quiet.next(never)
  for (const entry of [action('done'), spoke, { ...head, kind: 'key', digit: '1' } as const]) quiet.take(entry)
  assert.equal(await stateOf(pressed), 'waits')
  quiet.take(action('done'))
  await pressed
})

test('is quiet when all speech has been played or the call has ended', async () => {
  const quiet = new Quiet()
  const first = quiet.next(never)
  for (const entry of [action('speak'), action('speak'), spoke]) quiet.take(entry)
  assert.equal(await stateOf(first), 'waits')
  quiet.take(spoke)
  await first
  const second = asks(quiet, 1)
  for (const entry of [action('speak'), action('hangup'), spoke]) quiet.take(entry)
  assert.equal(await stateOf(second), 'waits', 'it is about to be over')
  quiet.end()
  await second
  await quiet.next(never)
  assert.ok(quiet.isOver)
})
