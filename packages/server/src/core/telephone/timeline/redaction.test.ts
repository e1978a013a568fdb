import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSession } from '#test/session/session-fixture.ts'
import { attemptOf, messageOf } from './exchange.ts'
import { readPage } from './read-timeline.ts'

const card = '4111 1111 1111 1111'
const mail = 'ada@example.com'

/** Replaces ids, which may contain any digits. */
const wordsOf = (items: readonly unknown[]): string => JSON.stringify(items).replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, 'id')

test('redacts the timeline as the flow demands, and sends the original to the endpoint', async (t) => {
  const { fixture, customer, caller } = await openSession(t, {
    duplex: true,
    keepsTimelines: true,
    settings: { redact: ['card', 'email'], extendedEvents: ['dtmf_received'] },
  })
  const { exchange, channel } = fixture
  fixture.conversation.callerSays(`My card is ${card}, my mail ${mail}`)
  caller.presses('4')
  await fixture.rest()
  channel.acts(
    { type: 'speak', text: `I heard ${card}` },
    { type: 'note', name: 'tool', data: { arguments: { card, mail }, ms: 1_790_000_000_000 } },
  )
  channel.acts({ type: 'speak', text: 'and 5555', stream_id: 's', last: false }, { type: 'result', summary: `Card ${card}` })
  channel.acts({ type: 'speak', text: ' 5555', stream_id: 's', last: true })
  await fixture.seconds(5)
  const callId = exchange.changes[0]?.[1].callId ?? assert.fail('nobody called')
  const note = (event: Parameters<typeof exchange.timelines.note>[2]): void => exchange.timelines.note(customer.accountId, callId, event)
  const request = { headers: {}, body: JSON.stringify({ text: `It is ${card}` }) }
  const delivery = { eventId: 'e', attempt: 1, channel: 'webhook', durationMs: 5, state: 'delivered' } as Parameters<typeof attemptOf>[0]
  note(attemptOf(delivery, { request, response: { status: 200, ...request } }, {}))
  note(messageOf('e', Buffer.from(`not JSON ${card}`)))
  caller.hangsUp()
  await fixture.seconds(10)
  note(messageOf('late', Buffer.from(`[{"type":"result","summary":"${card}"}]`)))
  await exchange.timelines.flush()

  const reader = { caller: { kind: 'user', ...customer, admin: true, scopes: ['all'], tokenId: '' }, locale: 'en_US' } as const
  const { items } = await readPage(exchange.store, reader, callId, { after: 0, limit: 1000 })
  const written = wordsOf(items)
  assert.doesNotMatch(written, /4111|1111|ada@/)
  assert.doesNotMatch(wordsOf(items.filter(({ kind }) => kind === 'action')), /5555/)
  const about = (kind: string) => items.filter((entry) => entry.kind === kind).length
  assert.deepEqual(['heard', 'key', 'note', 'attempt', 'message', 'action', 'spoke'].map(about), [1, 1, 2, 1, 2, 3, 3])
  assert.match(written, /My card is \[card\], my mail \[email\]/)
  assert.equal(channel.ofType('user_speak')[0]?.text, `My card is ${card}, my mail ${mail}`)
  assert.equal(channel.ofType('dtmf_received')[0]?.digit, '4')
  assert.equal(channel.ofType('assistant_speak')[0]?.text, `I heard ${card}`)
})
