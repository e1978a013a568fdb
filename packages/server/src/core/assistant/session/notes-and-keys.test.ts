import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mostNotes } from '@offhook/contract/assistant/actions.ts'
import type { TimelineEntry, TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { readPage } from '#core/telephone/timeline/read-timeline.ts'
import type { Customer } from '#test/switchboard/scripted-exchange.ts'
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

test('notes and results are kept, also of a turn that is over; only tokens that may read flows see them', async (t) => {
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

test('more notes than a call may have are left out, and that is said once', async (t) => {
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

test('a note is no answer, done is one: what is said meanwhile ends with it', async (t) => {
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

test('done of a turn that is over is nothing to be told about', async (t) => {
  const { fixture } = await openSession(t, { duplex: true, settings: { extendedEvents: ['action_discarded'] } })
  fixture.conversation.callerSays('one')
  await fixture.rest()
  fixture.channel.acts({ type: 'done', turn: 0 })
  await fixture.rest()
  assert.deepEqual(fixture.channel.types, ['session_start', 'user_speak'])
})

test('keys are sent one after the other, with pauses, and not any more when the call is over', async (t) => {
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

test('a hang-up waits for what is protected, whatever turn it was said in; a protected answer is never too late', async (t) => {
  const { fixture, caller } = await openSession(t, { duplex: true })
  fixture.conversation.callerSays('Hello?')
  await fixture.rest()
  fixture.channel.acts({ type: 'speak', turn: 0, text: 'You talk to a machine', protect: true }, { type: 'speak', turn: 0, text: 'Hello' })
  fixture.channel.acts({ type: 'hangup', turn: 1 })
  await fixture.seconds(0.5)
  assert.equal(caller.ended, undefined)
  await fixture.seconds(1)
  assert.ok(caller.ended)
  assert.deepEqual(
    fixture.channel.ofType('assistant_speak').map(({ text }) => text),
    ['You talk to a machine'],
  )
})

test('what was heard of a speech that was cut off, and its stream, are told to endpoints that know more', async (t) => {
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
