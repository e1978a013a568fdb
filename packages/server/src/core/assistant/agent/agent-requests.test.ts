import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { Problem } from '@offhook/contract/problem.ts'
import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import type { Session } from '@offhook/contract/assistant/session.ts'
import type { AssistantChoice } from '#core/kernel/ports/store/session.ts'
import { openSession } from '../session/write-end.ts'
import { databases, startWorld, type Database } from '#test/world/world.ts'
import { attacks } from '#test/model/attacks.ts'
import { readAgentSettings, Rehearsals, AgentInputs, type OrderSms } from './agent-requests.ts'

const written: AssistantSettings = {
  greeting: 'Hello.',
  prompt: 'You are the reception.',
  model: {
    url: 'https://example.com/v1',
    name: 'm',
    api_key: 'k3y',
    price: { input_per_million: 1, output_per_million: 2, currency: 'EUR' },
  },
  tools: {
    send_sms: { templates: [{ name: 'address', text: 'We are at {street}, {town}.' }], per_call: 2 },
    take_message: { email: 'office@example.com', sms: '+491711234567' },
  },
  limits: { tokens_per_day: 1_000 },
}

const withAssistant = async (t: TestContext, database: Database, settings: AssistantSettings = written) => {
  const world = await startWorld(t, { database })
  const { api, accountId } = await world.newAccount()
  const { id: flowId } = await api.createFlow({}, { name: 'Reception' })
  await api.changeAssistant({ aiFlowId: flowId }, { settings })
  await api.publishAssistant({ aiFlowId: flowId }, {})
  const sent: Parameters<OrderSms>[0][] = []
  const { store, vault, clock } = world.running.deps
  const orderSms: OrderSms = async (order) => {
    if (order.recipient === '+4900') throw new Problem('insufficient_funds')
    sent.push(order)
  }
  const parts = {
    store,
    vault,
    clock,
    orderSms,
    rehearsals: new Rehearsals(),
    wake: () => {},
    onError: (error: unknown) => assert.fail(String(error)),
  }
  const begin = async (assistant: AssistantChoice | undefined = 1, more: Partial<Session> = {}): Promise<string> => {
    const id = randomUUID()
    const session: Session = {
      id,
      account_id: accountId,
      phone_number: '4921100',
      direction: 'inbound',
      from_phone_number: '491700000001',
      ...more,
    }
    const open = { id, accountId, flowId, session, startedAt: clock.now(), owner: 'run', ...(assistant !== undefined && { assistant }) }
    await world.write((tables) => openSession(tables, open))
    return id
  }
  return { world, api, accountId, flowId, sent, begin, parts, wishes: new AgentInputs(parts) }
}

const address = { template: 'address', fields: { street: 'Chausseestr. 1\n\nBANK:', town: 'Berlin' } }

for (const database of databases) {
  test(`${database}: sends an SMS only to the caller and within the settings' limits`, async (t) => {
    const { wishes: inputs, begin, sent, accountId } = await withAssistant(t, database)
    const call = await begin()
    assert.deepEqual(await inputs.sendSms(call, address), { done: true })
    assert.deepEqual(sent, [{ accountId, called: '4921100', recipient: '+491700000001', text: 'We are at Chausseestr. 1 BANK:, Berlin.' }])
    const wrong = [{ text: 'Anything' }, { template: 'other', fields: {} }, { template: 'address', fields: { street: 'x' } }]
    const answers = await Promise.all(wrong.map((input) => inputs.sendSms(call, input)))
    assert.deepEqual(
      answers.map((answer) => ('refused' in answer ? answer.refused : '')),
      ['Only the templates may be sent.', 'There is no template of this name. There are: address.', 'The template needs town.'],
    )
    const more = await Promise.all([inputs.sendSms(call, address), inputs.sendSms(call, address), inputs.sendSms(call, address)])
    assert.equal(more.filter((answer) => 'done' in answer).length, 1, 'two in a call, whatever is asked at the same moment')
    const outbound = await begin(1, { direction: 'outbound', from_phone_number: '4921100', to_phone_number: '491700000002' })
    await inputs.sendSms(outbound, address)
    assert.equal(sent.at(-1)?.recipient, '+491700000002')
  })

  test(`${database}: counts model usage by flow and day`, async (t) => {
    const { world, api, wishes: inputs, begin, flowId } = await withAssistant(t, database)
    const call = await begin()
    assert.deepEqual(await inputs.spend(call, { prompt: 900, completion: 50, cost: { amount: 0.25, currency: 'EUR' } }), {
      mayContinue: true,
    })
    const other = await begin()
    assert.deepEqual(await inputs.spend(other, { prompt: 40, completion: 10 }), { mayContinue: false })
    await world.clock.advance(24 * 60 * 60 * 1000)
    assert.deepEqual(await inputs.spend(other, { prompt: -5, completion: Number.NaN }), { mayContinue: true })
    assert.deepEqual(await inputs.spend('nobody', { prompt: 1, completion: 1 }), { mayContinue: false })
    const { promptTokens, completionTokens, cost, version } = await api.getResult({ aiFlowId: flowId, callId: call })
    assert.deepEqual([promptTokens, completionTokens, cost, version], [900, 50, { amount: 0.25, currency: 'EUR' }, 1])
    const [published] = (await api.listAssistantVersions({ aiFlowId: flowId })).items
    assert.equal(published?.calls, 2)
  })
}

test('stores a message with the call and notifies the configured recipients by mail and SMS', async (t) => {
  const { world, api, wishes: inputs, begin, flowId, sent } = await withAssistant(t, 'sqlite')
  const call = await begin()
  assert.deepEqual(await inputs.takeMessage(call, { name: 'Ada', phone: '0301', text: 'Please ring.' }), { done: true })
  assert.deepEqual(await inputs.takeMessage(call, { text: ' ' }), { refused: 'The message is empty.' })
  const { messages } = await api.getResult({ aiFlowId: flowId, callId: call })
  assert.deepEqual(
    messages.map(({ name, phone, text }) => [name, phone, text]),
    [['Ada', '0301', 'Please ring.']],
  )
  assert.deepEqual([sent[0]?.recipient, sent[0]?.text], ['+491711234567', 'Ada: Please ring.'])
  world.running.deps.wake()
  await world.clock.advance(0)
  const folder = join(world.data, 'mail')
  const [mail = ''] = await readdir(folder)
  assert.match(await readFile(join(folder, mail), 'utf8'), /office@example\.com[^]*taken by Reception[^]*Name: Ada[^]*Please ring\./)
})

test('rejects disallowed requests with a reason', async (t) => {
  const { wishes: inputs, begin, sent } = await withAssistant(t, 'sqlite', { greeting: 'Hello.', prompt: '' })
  const call = await begin()
  assert.deepEqual(await inputs.sendSms(call, { text: 'x' }), { refused: 'This assistant may not send SMS.' })
  assert.deepEqual(await inputs.takeMessage(call, { text: 'x' }), { refused: 'This assistant may not take messages.' })
  for (const outsideNumber of ['nobody', await begin(undefined), await begin('none')])
    assert.deepEqual(await inputs.sendSms(outsideNumber, { text: 'x' }), { refused: 'This assistant may not send SMS.' })
  assert.deepEqual(sent, [])
})

test('sends no SMS to an unknown number or while an assistant is tried out', async (t) => {
  const { world, accountId, wishes: inputs, begin, sent } = await withAssistant(t, 'sqlite')
  const hidden = await begin(1, { from_phone_number: 'anonymous' })
  assert.deepEqual(await inputs.sendSms(hidden, address), { refused: 'The number of the caller is not known.' })
  const tried = await begin('draft')
  assert.deepEqual(await inputs.sendSms(tried, address), { refused: 'No SMS is sent while an assistant is tried out.' })
  assert.deepEqual(await inputs.takeMessage(tried, { text: 'Hello' }), { done: true })
  const talk = await begin()
  const ticket = { operation: 'startTalk', bodyHash: '', effectId: talk, at: world.clock.now() }
  await world.write(({ idempotency }) => idempotency.begin(accountId, `talk ${talk}`, ticket))
  assert.deepEqual(await inputs.sendSms(talk, address), { refused: 'No SMS is sent while an assistant is tried out.' })
  assert.deepEqual(sent, [])
})

test('gives the agent the settings of an existing version with their secrets', async (t) => {
  const { parts, accountId, flowId } = await withAssistant(t, 'sqlite')
  const { assistant, secrets, language, version } = await readAgentSettings(parts, accountId, flowId, 1)
  assert.deepEqual([assistant.model?.api_key, version, language.length], ['k3y', 1, 2])
  assert.match(secrets[0] ?? '', /^whsec_/)
  await assert.rejects(readAgentSettings(parts, accountId, flowId, 2), /no version 2/)
  await assert.rejects(readAgentSettings(parts, '7654321', flowId, 1), /no version 1/)
})

test('rejects every attack outside the settings', async (t) => {
  const { take_message: _, ...tools } = written.tools ?? {}
  const { wishes: inputs, begin, sent, flowId, accountId, parts } = await withAssistant(t, 'sqlite', { ...written, tools })
  const call = await begin()
  for (const attack of attacks) {
    const tried = await Promise.all([
      inputs.sendSms(call, { text: attack }),
      inputs.sendSms(call, { template: attack, fields: { to: '+49900123456' } }),
      inputs.sendSms(call, { template: 'address', fields: { street: attack } }),
      inputs.sendSms(attack, address),
      inputs.takeMessage(call, { text: attack }),
    ])
    assert.ok(
      tried.every((outcome) => 'refused' in outcome),
      attack,
    )
    await assert.rejects(readAgentSettings(parts, accountId, attack, 1))
  }
  await assert.rejects(readAgentSettings(parts, accountId, flowId, 2), 'a version that there is not')
  assert.deepEqual(sent, [])
})
