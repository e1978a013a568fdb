import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import { conversationLine, Quiet } from './conversation.ts'

const head = { callId: 'c', sequence: 1, at: 0, eventId: 'e', turn: 1 }
const action = (type: string): TimelineEntry => ({ ...head, kind: 'action', action: { type, session_id: 'c', text: 'Goodbye!' } })
const spoke: TimelineEntry = { ...head, kind: 'spoke', text: 'Goodbye!', startedAt: 0, playedMs: 1, completed: true }
const never = 2 ** 31 - 1

test('speech is shown when it is played, a hangup when the call is over, other actions when they come', () => {
  const shown = [action('speak'), action('hangup'), action('transfer')].map(conversationLine)
  assert.deepEqual(shown, [undefined, undefined, '◀ [transfer]'])
})

test('it is quiet when all speech has been played, or when the call is over', async () => {
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
