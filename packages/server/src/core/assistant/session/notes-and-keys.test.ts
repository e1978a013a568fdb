import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mostNotes } from '@offhook/contract/assistant/actions.ts'
import type { TimelineEntry, TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { readPage } from '#core/telephone/timeline/read-timeline.ts'
import type { Customer } from '#test/routing/scripted-exchange.ts'
import { openSession, type SessionFixture } from '#test/session/session-fixture.ts'

type Scopes = UserCaller['scopes']

const entriesOf = async ({ exchange }: SessionFixture, of: Customer, scopes: Scopes = ['all']): Promise<TimelineEntry[]> => {
  const { accountId, userId } = of
  await exchange.timelines.flush()
  const caller = { kind: 'user', accountId, userId, admin: true, scopes, tokenId: '' } as const
  const callId = exchange.changes[0]?.[1].callId ?? assert.fail('nobody called')
  const all: TimelineEntry[] = []
  for (;;) {
    const after = all.at(-1)?.sequence ?? 0
    const { items, more } = await readPage(exchange.store, { caller, locale: 'de_DE' }, callId, { after, limit: 1000 })
    all.push(...items)
    if (!more) return all
  }
}

const notesIn = (entries: TimelineEntry[]): TimelineEntryOf<'note'>[] => entries.filter((entry) => entry.kind === 'note')

test('stores notes and results, also of a past turn, visible only to tokens that may read flows', async (t) => {
  const notified: unknown[] = []
  const { fixture, customer } = await openSession(t, { duplex: true, keepsTimelines: true })
  fixture.deps.onResult = ({ callId, accountId, flowId }, result) =>
    notified.push([accountId === customer.accountId && callId === fixture.channel.sent[0]?.sessionId && flowId !== '', result])
  fixture.conversation.callerSays('one')
  fixture.conversation.callerSays('two')
  await fixture.rest()
  fixture.channel.acts({ type: 'note', turn: 1, name: 'model', data: { firstTokenMs: 120 } }, { type: 'note', name: 'empty' })
  fixture.channel.acts({ type: 'result', outcome: 'booked', fields: { guests: 2 } })
  await fixture.rest()
  const entries = await entriesOf(fixture, customer)
  assert.deepEqual(
    notesIn(entries).map(({ turn, name, data }) => [turn, name, data]),
    [
      [1, 'model', { firstTokenMs: 120 }],
      [2, 'empty', undefined],
      [2, 'result', { outcome: 'booked', fields: { guests: 2 } }],
    ],
  )
  assert.equal(
    entries.some(({ kind }) => kind === 'action' || kind === 'discarded'),
    false,
  )
  assert.deepEqual(notesIn(await entriesOf(fixture, customer, ['history:read'])), [])
  assert.deepEqual(notified, [[true, { outcome: 'booked', fields: { guests: 2 } }]])
})

test('drops notes above the limit of a call and reports it once', async (t) => {
  const { fixture, customer } = await openSession(t, { duplex: true, keepsTimelines: true })
  for (let n = 0; n < mostNotes + 10; n++) fixture.channel.acts({ type: 'note', name: 'n', data: n })
  await fixture.rest()
  const entries = await entriesOf(fixture, customer)
  assert.equal(notesIn(entries).length, mostNotes)
  assert.deepEqual(
    entries.flatMap((entry) => (entry.kind === 'problem' ? [entry.message] : [])),
    ['note: only 500 notes and results of a call are kept'],
  )
})

test('treats done as an answer, but not a note', async (t) => {
  const { fixture } = await openSession(t, { duplex: true, settings: { fillers: { afterMs: 1000, texts: ['One moment'] } } })
  fixture.channel.acts({ type: 'done' })
  fixture.conversation.callerSays('Book it')
  await fixture.seconds(0.1)
  fixture.channel.acts({ type: 'note', name: 'model' })
  fixture.channel.acts({ type: 'done', turn: 0 })
  await fixture.seconds(1.5)
  assert.equal(fixture.conversation.log.filter((line) => line.startsWith('fill')).length, 1)
  assert.equal(fixture.turns.length, 0, 'nobody has answered')
  fixture.channel.acts({ type: 'done', turn: 1 })
  await fixture.seconds(20)
  assert.equal(fixture.conversation.log.filter((line) => line.startsWith('fill')).length, 1)
  fixture.conversation.callerSays('Hello')
  await fixture.rest()
  assert.ok((fixture.turns[0]?.answeredMs ?? 0) > 1000)
})

test('reports no event for done of a past turn', async (t) => {
  const { fixture } = await openSession(t, { duplex: true, settings: { extendedEvents: ['action_discarded'] } })
  fixture.conversation.callerSays('one')
  await fixture.rest()
  fixture.channel.acts({ type: 'done', turn: 0 })
  await fixture.rest()
  assert.deepEqual(fixture.channel.types, ['session_start', 'user_speak'])
})

test('sends keys in sequence with pauses and stops at the end of the call', async (t) => {
  const { fixture, caller } = await openSession(t, { duplex: true })
  const sent = (): string[] => caller.log.filter((line) => line.startsWith('dtmf'))
  fixture.channel.acts({ type: 'send_dtmf', digits: '12w#' })
  fixture.channel.acts({ type: 'send_dtmf', digits: 'A' })
  await fixture.rest()
  assert.deepEqual(sent(), ['dtmf 12'])
  await fixture.seconds(0.6)
  assert.deepEqual(sent(), ['dtmf 12', 'dtmf #', 'dtmf A'])
  fixture.channel.acts({ type: 'send_dtmf', digits: 'ww9' })
  await fixture.seconds(0.6)
  caller.hangsUp()
  await fixture.seconds(2)
  assert.deepEqual(sent(), ['dtmf 12', 'dtmf #', 'dtmf A'])
})

test('delays a hang-up for protected speech of any turn and never drops a protected answer', async (t) => {
  const { fixture, caller } = await openSession(t, { duplex: true })
  fixture.conversation.callerSays('Hello?')
  await fixture.rest()
  fixture.channel.acts({ type: 'speak', turn: 0, text: 'You talk to a machine', protect: true }, { type: 'speak', turn: 0, text: 'Hello' })
  fixture.channel.acts({ type: 'hangup', turn: 1 })
  await fixture.seconds(0.5)
  assert.equal(caller.over, undefined)
  await fixture.seconds(1)
  assert.ok(caller.over)
  assert.deepEqual(
    fixture.channel.ofType('assistant_speak').map(({ text }) => text),
    ['You talk to a machine'],
  )
})

test('reports heard text and stream only to endpoints that support them', async (t) => {
  const notifications = async (extended: boolean) => {
    const { fixture } = await openSession(t, { duplex: true, settings: extended ? { extendedEvents: ['assistant_speech_ended'] } : {} })
    fixture.channel.acts({ type: 'speak', text: 'We are open from nine to five', stream_id: 's', last: true })
    await fixture.seconds(0.5)
    fixture.conversation.callerSays('Stop')
    await fixture.rest()
    const [speak] = fixture.channel.ofType('assistant_speak')
    return [speak?.heard_text, speak?.stream_id, fixture.channel.ofType('assistant_speech_ended')[0]?.stream_id]
  }
  assert.deepEqual(await notifications(false), [undefined, undefined, undefined])
  assert.deepEqual(await notifications(true), ['We are ope', 's', 's'])
})
