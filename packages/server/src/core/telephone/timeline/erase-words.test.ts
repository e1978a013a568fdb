import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timelineEntries, type TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import { Value } from 'typebox/value'
import { openTimelineFixture } from '#test/fixtures/timeline-fixture.ts'
import { eraseWordsBefore } from './timeline-sweep.ts'
import type { TimelineEvent } from './pieces.ts'

const word = 'swordfish'
const body = { body: `{"text":"${word}"}`, bodyBytes: 20 }
const bytes = { headers: {}, ...body }

/** One entry of each kind that can contain words. */
const spoken: TimelineEvent[] = [
  { kind: 'heard', turn: 1, text: word, final: true, typed: false },
  { kind: 'key', digit: word },
  { kind: 'event', eventId: 'e', type: 'user_speak', turn: 1, body: { type: 'user_speak', text: word } },
  {
    kind: 'attempt',
    eventId: 'e',
    attempt: 1,
    channel: 'webhook',
    request: bytes,
    response: bytes,
    durationMs: 1,
    state: 'failed',
    error: word,
  },
  { kind: 'message', eventId: 'e', ...body },
  { kind: 'action', eventId: 'e', turn: 1, action: { type: 'speak', text: word } },
  { kind: 'speaks', eventId: 'e', text: word },
  { kind: 'spoke', eventId: 'e', text: word, startedAt: 1, playedMs: 1, completed: false, cutBy: { reason: 'words', text: word } },
  { kind: 'unclear', durationMs: 1, text: word },
  { kind: 'filler', turn: 1, text: word },
  { kind: 'backchannel', text: word },
  { kind: 'note', eventId: 'e', turn: 1, name: 'tool', data: { arguments: word } },
  { kind: 'problem', message: word },
]

test('erases the words of every kind of entry, keeps the rest, and leaves valid entries', async (t) => {
  const fixture = await openTimelineFixture(t)
  const { store, clock, accountId } = fixture
  const timelines = fixture.open()
  const timeline = timelines.open(accountId, 'c1')
  for (const event of spoken) timeline.note(event)
  timeline.note({ kind: 'ducked', ducked: true })
  await clock.advance(10_000)
  for await (const _ of eraseWordsBefore({ store, clock }, accountId, clock.now() + 1));
  const left = await fixture.kept()
  assert.deepEqual(
    left.map(({ kind }) => kind),
    [...spoken.map(({ kind }) => kind), 'ducked'],
  )
  assert.ok(!JSON.stringify(left).includes(word))
  for (const entry of left) assert.ok(Value.Check(timelineEntries[entry.kind], entry), entry.kind)
  assert.deepEqual(
    left
      .filter((entry): entry is Extract<TimelineEntry, { kind: 'event' | 'action' }> => ['event', 'action'].includes(entry.kind))
      .map((entry) => ('body' in entry ? entry.body : entry.action)),
    [{ type: 'user_speak' }, { type: 'speak' }],
  )
  assert.deepEqual(await store.read.timelines.listWithWords(accountId, clock.now() + 1, 9), [], 'once is enough')
})
