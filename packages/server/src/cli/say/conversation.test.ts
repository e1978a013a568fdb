import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import { ConversationLines, Quiet } from './conversation.ts'

const head = { callId: 'c', sequence: 1, at: 0, eventId: 'e', turn: 1 }
const action = (type: string): TimelineEntry => ({ ...head, kind: 'action', action: { type, session_id: 'c', text: 'Goodbye!' } })
const spoke: TimelineEntry = { ...head, kind: 'spoke', text: 'Goodbye!', startedAt: 0, playedMs: 1, completed: true }
const never = 2 ** 31 - 1

const speaks: TimelineEntry = { ...head, kind: 'speaks', text: 'Goodbye' }

test('prints whole speech after it was played, a hang-up at the end of the call, other actions immediately', () => {
  const lines = new ConversationLines(false)
  const shown = [action('speak'), speaks, spoke, action('hangup'), action('transfer')].map((entry) => lines.of(entry))
  assert.deepEqual(shown, [undefined, undefined, '◀ Goodbye!', undefined, '◀ [transfer]'])
  const cut: TimelineEntry = { ...spoke, text: 'Good', playedMs: 800, completed: false }
  assert.equal(lines.of(cut), '◀ Good\n  (cut off after 0.8 s)')
})

test('prints speech early when typing, and the rest afterwards', () => {
  const lines = new ConversationLines(true)
  assert.deepEqual(
    [speaks, { ...spoke, text: 'Goodbye my friend.' }, speaks, { ...spoke, text: 'Goodbye' }].map((entry) => lines.of(entry)),
    ['◀ Goodbye', '◀ … my friend.', '◀ Goodbye', undefined],
  )
})

test("stops waiting after the assistant's `done`", async () => {
  const quiet = new Quiet()
  const waiting = quiet.next(never)
  quiet.take(action('done'))
  await waiting
  quiet.asked()
  const next = quiet.next(never)
  assert.equal(await Promise.race([next, Promise.resolve('still waits')]), 'still waits')
  quiet.end()
})

test('is quiet when all speech has been played or the call has ended', async () => {
  const quiet = new Quiet()
  const first = quiet.next(never)
  for (const entry of [action('speak'), action('speak'), spoke]) quiet.take(entry)
  assert.equal(await Promise.race([first, Promise.resolve('still waits')]), 'still waits')
  quiet.take(spoke)
  await first
  const second = quiet.next(never)
  for (const entry of [action('speak'), action('hangup'), spoke]) quiet.take(entry)
  assert.equal(await Promise.race([second, Promise.resolve('still waits')]), 'still waits', 'it is about to be over')
  quiet.end()
  await second
  await quiet.next(never)
  assert.ok(quiet.isOver)
})
