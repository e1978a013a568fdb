import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addFlow, callOut } from '#test/routing/flow-calls.ts'
import { outsideNumber } from '#test/routing/scripted-exchange.ts'
import { rescuing } from '#test/routing/second-process.ts'
import { openSession, SessionFixture } from '#test/session/session-fixture.ts'
import type { Input, Reply } from '#test/session/scripted-endpoint.ts'

const sets =
  (variables: Extract<Input, { type: 'set_variables' }>['variables']): Reply =>
  ({ body }) =>
    body.type === 'session_start'
      ? [
          { type: 'set_variables', variables },
          { type: 'speak', text: 'Hello' },
        ]
      : []

const variablesOf = (fixture: SessionFixture): unknown[] => fixture.channel.sent.map(({ body }) => body.session.variables)

test('merges the variables of flow, number, call and set_variables into every event, the end and the result', async (t) => {
  const { fixture, caller } = await openSession(t)
  const { exchange } = fixture
  await exchange.addTrunk()
  caller.hangsUp()
  await fixture.rest()
  await fixture.ends()
  const customer = await exchange.newCustomer({ money: 500_000 })
  const variables = { from_flow: 1, from_number: 'flow', from_call: 'flow', set: 'flow' }
  await addFlow(exchange, customer, { variables, redact: ['iban'] })
  const { accountId, number } = customer
  await exchange.store.write(async (tables) => {
    const { id = '' } = (await tables.numbers.findByE164(accountId, number)) ?? {}
    await tables.numbers.setVariables(accountId, id, { from_number: 'number', from_call: 'number', set: 'number' })
  })
  fixture.endpoints.reply = sets({ set: 'endpoint', from_flow: null, iban: 'DE89 3704 0044 0532 0130 00' })
  const callId = await callOut(exchange, customer, outsideNumber, undefined, undefined, {
    variables: { from_call: 'call', set: 'call' },
    correlationId: 'order-17',
  })
  const { phone } = exchange
  phone.answers()
  await fixture.seconds(3)
  const before = { from_flow: 1, from_number: 'number', from_call: 'call', set: 'call' }
  const after = { from_number: 'number', from_call: 'call', set: 'endpoint', iban: 'DE89 3704 0044 0532 0130 00' }
  assert.deepEqual(fixture.channel.types, ['session_start', 'assistant_speak'])
  assert.deepEqual(variablesOf(fixture), [before, after])
  assert.equal(fixture.channel.sent[0]?.body.session.correlation_id, 'order-17')
  phone.hangsUp()
  await fixture.rest()
  const [end] = await fixture.ends()
  assert.deepEqual(end?.body.session.variables, after)
  const result = await exchange.store.read.results.find(accountId, `flow-${accountId}`, callId)
  assert.deepEqual([result?.variables, result?.correlationId], [{ ...after, iban: '[iban]' }, 'order-17'])
  assert.equal((await exchange.entry(customer)).correlationId, 'order-17')
})

test('uses the defaults of a dialled number, and sends no field without variables', async (t) => {
  const { fixture, customer } = await openSession(t)
  assert.ok(fixture.channel.sent.every(({ body }) => !('variables' in body.session)))
  const { exchange } = fixture
  await exchange.store.write(async (tables) => {
    const { id = '' } = (await tables.numbers.findByE164(customer.accountId, customer.number)) ?? {}
    await tables.numbers.setVariables(customer.accountId, id, { branch: 'Berlin' })
  })
  const caller = await exchange.callIn(customer.number)
  await fixture.seconds(1)
  assert.deepEqual(variablesOf(fixture), [{ branch: 'Berlin' }])
  caller.hangsUp()
  await fixture.rest()
})

test('rejects variables that are too large together, and notes it', async (t) => {
  const { fixture, caller } = await openSession(t, {
    settings: { variables: { a: 'x'.repeat(8_000) } },
    reply: sets({ b: 'x'.repeat(8_000), c: 'x'.repeat(800) }),
  })
  await fixture.seconds(2)
  assert.deepEqual(Object.keys(fixture.channel.sent.at(-1)?.body.session.variables ?? {}), ['a'])
  assert.deepEqual(
    fixture.channel.notes.map(([, { type }]) => type),
    ['set_variables'],
  )
  caller.hangsUp()
  await fixture.rest()
})

test('keeps set variables after a takeover', async (t) => {
  const { fixture: first } = await openSession(t, { reply: sets({ name: 'Ada' }), noted: true })
  await first.seconds(2)
  first.exchange.crash()
  const second = new SessionFixture(first.exchange.store, { noted: true, startAt: first.exchange.clock.now() })
  t.after(() => second.close())
  const other = rescuing(first.exchange, second.exchange)
  await second.seconds(1.5)
  await other.takeOver()
  second.conversation.callerSays('Who am I?')
  await second.seconds(2)
  assert.deepEqual(second.channel.ofType('user_speak')[0]?.session.variables, { name: 'Ada' })
  second.exchange.telephony.resumed[0]?.hangsUp()
  await second.rest()
  assert.deepEqual((await second.ends())[0]?.body.session.variables, { name: 'Ada' })
})
