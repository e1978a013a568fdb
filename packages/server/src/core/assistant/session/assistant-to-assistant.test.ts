import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import type { OutgoingEvent } from '#core/kernel/ports/assistant.ts'
import { rescuing } from '#test/routing/second-process.ts'
import { openSession, SessionFixture } from '#test/session/session-fixture.ts'
import type { Input } from '#test/session/scripted-endpoint.ts'

const salesId = randomUUID()

/** Reception speaks a disclosure, and transfers when the caller says anything; sales greets. */
const replies = ({ body, sessionId }: OutgoingEvent): Input[] => {
  const isSales = sessionId.endsWith('.2')
  if (body.type === 'session_start' && !isSales)
    return [
      { type: 'set_variables', variables: { name: 'Ada' } },
      { type: 'speak', text: 'A machine speaks', protect: true },
      { type: 'speak', text: 'Reception here' },
    ]
  if (body.type === 'user_speak' && !isSales) return [{ type: 'transfer', target: salesId, summary: 'wants to buy' }]
  return body.type === 'session_start' ? [{ type: 'speak', text: 'Sales here' }] : []
}

const transferred = async (t: TestContext, { duplex = false, noted = false }: { duplex?: boolean; noted?: boolean }) => {
  const settings = { language: 'en', stt: { languages: ['en', 'it'] }, transferTargets: [salesId] }
  const { fixture, customer, caller } = await openSession(t, { settings, reply: replies, duplex, noted, keepsTimelines: true })
  const { accountId } = customer
  await fixture.exchange.store.write(({ flows }) =>
    flows.insert(
      accountId,
      { id: salesId, name: 'Sales', settings: { language: 'en', stt: { languages: ['en', 'it'] }, variables: { team: 1 } } },
      0,
    ),
  )
  await fixture.seconds(8)
  fixture.conversation.callerSays('Vorrei comprare una torta, per favore', { language: 'it' })
  await fixture.seconds(8)
  return { fixture, customer, caller, first: `${fixture.endpoints.channels[0]?.sent[0]?.sessionId}` }
}

for (const duplex of [false, true])
  test(`continues with another assistant that knows what was said (${duplex ? 'WebSocket' : 'webhook'})`, async (t) => {
    const { fixture, customer, caller, first } = await transferred(t, { duplex })
    const [reception, sales] = fixture.endpoints.channels
    assert.ok(reception && sales && fixture.endpoints.channels.length === 2)
    const [start] = sales.ofType('session_start')
    assert.deepEqual([start?.session.id, start?.session.call_id], [`${first}.2`, first])
    assert.deepEqual(start?.session.variables, { team: 1, name: 'Ada' })
    assert.deepEqual(start?.transferred_from, {
      flow_id: `flow-${customer.accountId}`,
      session_id: first,
      language: 'it',
      disclosed: true,
      summary: 'wants to buy',
      transcript: [
        { by: 'assistant', text: 'Reception here' },
        { by: 'caller', text: 'Vorrei comprare una torta, per favore' },
      ],
    })
    assert.deepEqual(fixture.conversation.log, ['say Sales here'])
    assert.ok(fixture.conversations[0]?.closed)
    fixture.conversation.callerSays('Ciao')
    await fixture.seconds(3)
    assert.equal(sales.ofType('user_speak')[0]?.session.id, `${first}.2`)
    caller.hangsUp()
    await fixture.rest()
    assert.deepEqual(
      (await fixture.ends()).map(({ sessionId, body }) => [sessionId, body.type === 'session_end' && body.reason]),
      [
        [first, 'transferred'],
        [`${first}.2`, 'caller_hangup'],
      ],
    )
    const { accountId } = customer
    const { results } = fixture.exchange.store.read
    const kept = [await results.find(accountId, `flow-${accountId}`, first), await results.find(accountId, salesId, first)]
    assert.deepEqual(
      kept.map((result) => [result?.callId, result?.endReason, result?.transferredTo, result?.variables?.['name']]),
      [
        [first, 'transferred', salesId, 'Ada'],
        [`${first}.2`, 'caller_hangup', undefined, 'Ada'],
      ],
    )
    await fixture.exchange.timelines.flush()
    const pieces = await fixture.exchange.store.read.timelines.listPieces(accountId, first, 0, 100)
    const entries = pieces.flatMap(({ entries: json }) => JSON.parse(json) as { kind: string; type?: string; flowId?: string }[])
    const begun = entries.filter(({ type }) => type === 'session_start' || type === 'session_end')
    assert.deepEqual(
      begun.map(({ type, flowId }) => [type, flowId]),
      [
        ['session_start', `flow-${accountId}`],
        ['session_end', `flow-${accountId}`],
        ['session_start', salesId],
        ['session_end', salesId],
      ],
    )
  })

test('resumes the second assistant of a call after a takeover', async (t) => {
  const { fixture, first } = await transferred(t, { noted: true })
  fixture.exchange.crash()
  const second = new SessionFixture(fixture.exchange.store, { noted: true, startAt: fixture.exchange.clock.now() })
  t.after(() => second.close())
  const other = rescuing(fixture.exchange, second.exchange)
  await second.seconds(1.5)
  await other.takeOver()
  second.conversation.callerSays('Are you still there?')
  await second.seconds(2)
  const [said] = second.channel.ofType('user_speak')
  assert.deepEqual([said?.session.id, said?.session.variables], [`${first}.2`, { team: 1, name: 'Ada' }])
  second.exchange.telephony.resumed[0]?.hangsUp()
  await second.rest()
  const ends = (await second.ends()).map(({ sessionId }) => sessionId)
  assert.ok(ends.includes(`${first}.2`))
})
