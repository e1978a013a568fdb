import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSession } from '#test/session/session-fixture.ts'
import { outsideNumber } from '#test/routing/scripted-exchange.ts'

const digits = (number: string): string => number.replace('+', '')

test('sends events in order, speaks replies, and sends session_end once', async (t) => {
  const reply = ({ body }: { body: { type: string; text?: string } }) => {
    if (body.type === 'session_start') return [{ type: 'speak', text: 'Hello' } as const]
    return body.type === 'user_speak' ? [{ type: 'speak', text: `You said ${body.text}` } as const] : []
  }
  const { fixture, customer, caller } = await openSession(t, { reply })
  await fixture.seconds(1)
  fixture.conversation.callerSays('one')
  await fixture.seconds(2)
  fixture.conversation.callerSays('two')
  await fixture.seconds(2)
  caller.hangsUp()
  await fixture.rest()
  const { sent } = fixture.channel
  assert.deepEqual(
    sent.map(({ sequence, turn, body }) => [sequence, turn, body.type]),
    [
      [1, 0, 'session_start'],
      [2, 0, 'assistant_speak'],
      [3, 1, 'user_speak'],
      [4, 1, 'assistant_speak'],
      [5, 2, 'user_speak'],
      [6, 2, 'assistant_speak'],
    ],
  )
  const session = {
    id: sent[0]?.sessionId,
    account_id: customer.accountId,
    phone_number: digits(customer.number),
    direction: 'inbound',
    from_phone_number: digits(outsideNumber),
    to_phone_number: digits(customer.number),
  }
  assert.deepEqual(sent[0]?.body, { type: 'session_start', session })
  assert.equal(new Set(sent.map(({ id }) => id)).size, 6)
  assert.deepEqual(
    (await fixture.ends()).map(({ sequence, turn, body }) => [sequence, turn, body]),
    [[7, 2, { type: 'session_end', session, reason: 'caller_hangup' }]],
  )
  assert.deepEqual(fixture.turns[0], {
    turn: 1,
    vadEndMs: 40,
    endpointMs: 500,
    sttFinalMs: 600,
    decidedMs: 600,
    sentMs: 600,
    answeredMs: 600,
    firstSoundMs: 600,
  })
  assert.deepEqual(fixture.exchange.failures, [])
})

test('shows numbers as digits and an unreadable one as anonymous', async (t) => {
  const { fixture, customer } = await openSession(t)
  const shownAs = async (number: string | undefined, withheld = false): Promise<unknown> => {
    await fixture.exchange.callIn(customer.number, { caller: { number, name: 'Eve', withheld } })
    return fixture.channel.ofType('session_start')[0]?.session.from_phone_number
  }
  assert.equal(await shownAs('+4930123456'), '4930123456')
  assert.equal(await shownAs('030123456'), '030123456')
  assert.equal(await shownAs('+4930123456', true), 'anonymous')
  for (const unreadable of [undefined, '', '+', 'eve', '4930-12', 'unavailable']) assert.equal(await shownAs(unreadable), 'anonymous')
})
