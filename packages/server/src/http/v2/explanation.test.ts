import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issueToken } from '#core/account/identity/tokens/tokens.ts'
import { startAssistantEndpoint } from '#test/peers/assistant-endpoint.ts'
import { TalkClient } from '#test/phones/talk-client.ts'
import { startWorld } from '#test/world/world.ts'

test('explains a call to users who may read it, during and after the call', async (t) => {
  const customer = await startAssistantEndpoint(t)
  const world = await startWorld(t, { settings: { OFFHOOK_EGRESS_ALLOW: customer.address } })
  const [ada, eve] = [await world.newAccount(), await world.newAccount()]
  const flow = await ada.api.createFlow({}, { name: 'Reception', webhookUrl: customer.url, timeouts: { silence_seconds: 3600 } })
  const { talkId: callId, url } = await ada.api.startTalk({ aiFlowId: flow.id }, { audio: false })
  const client = await TalkClient.open(t, url)
  await customer.received('session_start')
  client.send({ type: 'text', text: 'I would like a table' })
  await customer.received('user_speak')
  const running = await ada.api.explainCall({ callId })
  assert.deepEqual([running.running, running.flowId], [true, flow.id])
  client.send({ type: 'dtmf', digits: '1' })
  client.send({ type: 'hangup' })
  await client.closed
  await customer.received('session_end')
  await world.clock.advance(10_000)

  const { turns, findings, outcome, reason, endedBy } = await ada.api.explainCall({ callId, language: 'de' })
  assert.deepEqual(
    turns.filter(({ turn }) => turn === 1).map(({ caller }) => caller),
    ['I would like a table'],
  )
  assert.match(outcome, /^Der Anrufer hat aufgelegt\. Es dauerte .* sprach einmal\.$/)
  assert.deepEqual([reason, endedBy], ['caller_hangup', 'caller'])
  const keys = findings.find(({ code }) => code === 'event_not_subscribed')
  const { items } = await ada.api.getTimeline({ callId })
  assert.deepEqual(
    items.filter(({ sequence }) => keys?.evidence.includes(sequence)).map(({ kind }) => kind),
    ['key'],
  )

  const scenario = await ada.api.getCallScenario({ callId })
  assert.deepEqual(scenario.steps, [{ say: 'I would like a table' }, { hang_up: true }])
  assert.equal(scenario.call, callId)
  await assert.rejects(eve.api.getCallScenario({ callId }), { status: 404 })
  await assert.rejects(eve.api.explainCall({ callId }), { status: 404 })
  const holder = { accountId: ada.accountId, userId: ada.userId }
  const narrow = await world.write((tables) =>
    issueToken(tables, world.clock, { kind: 'session', holder, subject: ada.userId, scopes: ['history:read'] }),
  )
  assert.equal((await world.client(narrow).explainCall({ callId })).turns.length, turns.length)
  const audit = await world.running.deps.store.read.audit.list(ada.accountId, { afterSeq: 0, limit: 100 })
  assert.equal(audit.filter(({ action, target }) => action === 'timeline.read' && target === callId).length, 2, 'once by each handler')
})
