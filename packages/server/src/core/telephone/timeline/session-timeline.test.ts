import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import { openExchange, outsideNumber, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import { openSession } from '#test/session/session-fixture.ts'
import { eraseEntry } from '../recordings/erase-recordings.ts'
import { readPage } from './read-timeline.ts'

const admin = ({ accountId, userId }: Customer) => ({ kind: 'user', accountId, userId, admin: true, scopes: ['all'], tokenId: '' }) as const

const callIdOf = ({ changes }: Exchange): string => changes[0]?.[1].callId ?? assert.fail('nobody called')

const entriesOf = async (exchange: Exchange, customer: Customer): Promise<TimelineEntry[]> => {
  await exchange.timelines.flush()
  const reader = { caller: admin(customer), locale: 'de_DE' } as const
  const { items, more } = await readPage(exchange.store, reader, callIdOf(exchange), { after: 0, limit: 1000 })
  assert.equal(more, false)
  return items
}

/** Short form of an entry. */
const said = (entry: TimelineEntry): string => {
  if (entry.kind === 'call') return entry.state
  if (entry.kind === 'event') return `event ${entry.type}`
  if (entry.kind === 'action') return `action ${(entry.action as { type: string }).type}`
  if (entry.kind === 'heard') return `heard ${entry.text}`
  return entry.kind
}

test('notes a session with transcripts, events, actions, speech and turn times', async (t) => {
  const { fixture, customer, caller } = await openSession(t, {
    keepsTimelines: true,
    reply: ({ body }) => (body.type === 'user_speak' ? [{ type: 'speak', text: 'Good.' }] : []),
  })
  const { exchange } = fixture
  fixture.conversation.callerSays('How are you?')
  await fixture.seconds(2)
  caller.presses('5')
  caller.hangsUp()
  await fixture.rest()
  const entries = await entriesOf(exchange, customer)
  assert.deepEqual(entries.map(said), [
    'started',
    'answered',
    'event session_start',
    'heard How are you?',
    'event user_speak',
    'action speak',
    'turn',
    'speaks',
    'spoke',
    'event assistant_speak',
    'key',
    'ended',
    'event session_end',
  ])
  const [start] = entries
  const [flow] = await exchange.store.read.flows.names(customer.accountId)
  assert.ok(start?.kind === 'call')
  assert.deepEqual([start.from, start.to, start.flowId], [outsideNumber, customer.number, undefined])
  assert.ok(entries.slice(2).every(({ flowId }) => flowId === flow?.id))
  const sequences = entries.map(({ sequence }) => sequence)
  assert.deepEqual(
    sequences,
    sequences.toSorted((a, b) => a - b),
  )
  const ended = entries.find((entry) => entry.kind === 'call' && entry.state === 'ended')
  assert.ok(ended?.kind === 'call')
  assert.deepEqual([ended.by, ended.reason, ended.explanation], ['caller', 'caller_hangup', 'Der Anrufer hat aufgelegt.'])
  const asked = entries.find((entry) => entry.kind === 'event' && entry.type === 'user_speak')
  const action = entries.find((entry) => entry.kind === 'action')
  const spoke = entries.find((entry) => entry.kind === 'spoke')
  assert.ok(asked?.kind === 'event' && action?.kind === 'action' && spoke?.kind === 'spoke')
  assert.deepEqual([action.eventId, action.turn, spoke.eventId, spoke.completed], [asked.eventId, 1, asked.eventId, true])
  assert.equal((asked.body as { text: string }).text, 'How are you?')
})

test('shows each account its own side, and the words only to the account of the assistant', async (t) => {
  const { fixture, customer } = await openSession(t, { keepsTimelines: true })
  const { exchange } = fixture
  exchange.changes.length = 0
  const bob = await exchange.newCustomer()
  const caller = await exchange.callFrom(bob, customer.number)
  fixture.conversation.callerSays('A secret.')
  await fixture.seconds(1)
  caller.hangsUp()
  await fixture.rest()
  const [theirs, own] = [await entriesOf(exchange, customer), await entriesOf(exchange, bob)]
  assert.ok(JSON.stringify(theirs).includes('A secret.'))
  assert.deepEqual(own.map(said), ['started', 'answered', 'ended'])
  const row = await exchange.store.read.timelines.find(bob.accountId, callIdOf(exchange))
  assert.deepEqual([row?.userIds, row?.flowId], [[bob.userId], undefined])
})

test('notes a back-channel, sends it if subscribed, and keeps the turn', async (t) => {
  for (const extendedEvents of [[], ['user_backchannel']] as const) {
    const { fixture, customer, caller } = await openSession(t, {
      keepsTimelines: true,
      settings: { extendedEvents: [...extendedEvents] },
      reply: ({ body }) => (body.type === 'session_start' ? [{ type: 'speak', text: 'It is a long story.' }] : []),
    })
    fixture.conversation.callerListens('Mhm.')
    await fixture.seconds(30)
    caller.hangsUp()
    await fixture.rest()
    assert.deepEqual(
      fixture.channel.ofType('user_backchannel').map(({ text }) => text),
      extendedEvents.length === 0 ? [] : ['Mhm.'],
    )
    assert.deepEqual(fixture.channel.ofType('user_speak'), [])
    const notified = (await entriesOf(fixture.exchange, customer)).map(said)
    const from = notified.indexOf('ducked')
    const event = extendedEvents.length === 0 ? [] : ['event user_backchannel']
    assert.deepEqual(notified.slice(from, from + 5 + event.length), [
      'ducked',
      'backchannel',
      ...event,
      'ducked',
      'spoke',
      'event assistant_speak',
    ])
    assert.ok(fixture.channel.sent.every(({ turn }) => turn === 0))
  }
})

test('shows entries to watchers without keeping them when the flow disables the timeline', async (t) => {
  const { fixture, customer, caller } = await openSession(t, { keepsTimelines: true, settings: { keepTimeline: false } })
  const { exchange } = fixture
  const notified: string[] = []
  const watch = { accountId: customer.accountId, userId: undefined, callId: callIdOf(exchange), flowId: undefined }
  t.after(exchange.timelines.watch({ ...watch, notify: ({ entry }) => notified.push(said(entry)) }))
  fixture.conversation.callerSays('Hush.')
  await fixture.seconds(1)
  caller.hangsUp()
  await fixture.seconds(10)
  assert.deepEqual(notified.slice(0, 2), ['heard Hush.', 'event user_speak'])
  assert.equal(notified.includes('ended'), true)
  assert.deepEqual(await entriesOf(exchange, customer), [])
  assert.equal(await exchange.store.read.timelines.find(customer.accountId, callIdOf(exchange)), undefined)
})

test('notes call commands for the involved accounts', async (t) => {
  const exchange = await openExchange(t, { keepsTimelines: true })
  const [ada, bob] = [await exchange.newCustomer(), await exchange.newCustomer()]
  const caller = await exchange.callFrom(ada, bob.number)
  exchange.phone.rings()
  exchange.phone.answers()
  await exchange.rest()
  const call = exchange.calls.get(admin(ada), callIdOf(exchange))
  await call.hold(true)
  await call.hold(false)
  await call.mute(true)
  await call.mute(false)
  await call.record(true, { announcement: false })
  await call.record(false, { announcement: false })
  caller.hangsUp()
  await exchange.rest()
  const states = async (customer: Customer) => (await entriesOf(exchange, customer)).map(said)
  const common = { before: ['started', 'ringing', 'answered', 'held', 'retrieved'], after: ['ended'] }
  assert.deepEqual(await states(ada), [...common.before, 'muted', 'unmuted', 'recording', 'recording_stopped', ...common.after])
  assert.deepEqual(await states(bob), [...common.before, ...common.after])
})

test('erases the timeline with its history entry, also against late entries', async (t) => {
  const exchange = await openExchange(t, { keepsTimelines: true })
  const ada = await exchange.newCustomer()
  const caller = await exchange.callIn(ada.number)
  exchange.phone.answers()
  await exchange.seconds(3)
  caller.hangsUp()
  await exchange.rest()
  assert.equal((await entriesOf(exchange, ada)).length, 3)
  const entry = await exchange.entry(ada)
  await exchange.store.write((tables) => eraseEntry(tables, exchange.clock, ada.accountId, entry))
  exchange.timelines.note(ada.accountId, callIdOf(exchange), { kind: 'problem', message: 'late' })
  await exchange.seconds(10)
  exchange.timelines.note(ada.accountId, callIdOf(exchange), { kind: 'problem', message: 'later' })
  await exchange.rest()
  assert.deepEqual(await entriesOf(exchange, ada), [])
  assert.equal(await exchange.store.read.timelines.find(ada.accountId, callIdOf(exchange)), undefined)
})
