import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { WebSocketServer } from 'ws'
import type { TestRun } from '@offhook/contract/v3/scenarios.ts'
import { assistant, live } from '@offhook/sdk'
import { closedWith, startLoopbackServer } from '#test/http/loopback-server.ts'
import { startModelServer } from '#test/model/model-server.ts'
import { databases, startWorld, type Person } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

const steps = [{ expect: { said: 'welcome' } }, { say: 'A table' }, { expect: { said: 'oh a table' } }, { say: 'bye' }]
const good = { name: 'good', steps: [...steps, { expect: { action: 'hangup' as const, ended: 'assistant_hangup' as const } }] }
const bad = { name: 'bad', steps: [...steps, { expect: { said: 'never' } }] }

const greetings = { now: 'Welcome.' }
const handlers = {
  session_start: () => greetings.now,
  user_speak: ({ text }: { text: string }) => (text === 'bye' ? ['Ade', { type: 'hangup' } as const] : `Oh ${text}`),
}

const startWebhook = async (t: TestContext): Promise<string> => closedWith(t, await assistant(handlers).listen(0))

const startSocket = async (t: TestContext): Promise<string> => {
  const bot = live({
    ...handlers,
    async *user_speak({ text }) {
      yield* text === 'bye' ? ['Ade', { type: 'hangup' } as const] : [`Oh ${text}`]
    },
  })
  const server = createServer().listen(0, '127.0.0.1')
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket) => bot.attach(socket))
  await once(server, 'listening')
  t.after(() => bot.close())
  return closedWith(t, server)
}

/** Polls until the run is finished. */
const finished = async ({ api }: Person, aiFlowId: string, { runId }: Pick<TestRun, 'runId'>): Promise<TestRun> => {
  for (;;) {
    const run = await api.getTestRun({ aiFlowId, runId })
    if (run.state !== 'running') return run
  }
}

for (const database of databases)
  test(`${database}: runs the stored scenarios against a flow's endpoint and stores the reports`, async (t) => {
    const address = await startWebhook(t)
    const world = await startWorld(t, { database, settings: { OFFHOOK_EGRESS_ALLOW: address } })
    const [ada, eve] = [await world.newAccount(), await world.newAccount()]
    const { id: aiFlowId } = await ada.api.createFlow({}, { name: 'Reception', webhookUrl: `http://${address}/` })
    for (const scenario of [good, bad]) await ada.api.setScenario({ aiFlowId, name: scenario.name }, scenario)
    const begun = await ada.api.startTestRun({ aiFlowId }, {})
    assert.deepEqual([begun.state, begun.total, begun.reports], ['running', 2, []])
    const run = await finished(ada, aiFlowId, begun)
    assert.deepEqual(
      run.reports.map(({ name, state, ended, failures }) => [name, state, ended, failures.length]),
      [
        ['bad', 'failed', 'assistant_hangup', 1],
        ['good', 'passed', 'assistant_hangup', 0],
      ],
    )
    assert.equal(run.state, 'failed')
    assert.match(run.reports[0]?.failures[0]?.message ?? '', /expected to hear “never”/)
    const some = await finished(ada, aiFlowId, await ada.api.startTestRun({ aiFlowId }, { names: ['good'] }))
    assert.deepEqual([some.state, some.total], ['passed', 1])
    const { items } = await ada.api.listTestRuns({ aiFlowId })
    assert.deepEqual(
      new Set(items.map(({ runId, state }) => `${state} ${runId}`)),
      new Set([`failed ${run.runId}`, `passed ${some.runId}`]),
    )
    assert.equal(items.find(({ runId }) => runId === some.runId)?.reports[0]?.transcript.length, 0, 'lists are short')

    await assert.rejects(ada.api.startTestRun({ aiFlowId }, { names: ['none'] }), withCode('scenario_not_found', 'none'))
    await assert.rejects(ada.api.startTestRun({ aiFlowId }, { draft: true }), { status: 409 })
    await assert.rejects(ada.api.startTestRun({ aiFlowId }, { version: 3 }), { status: 404 })
    await assert.rejects(ada.api.startTestRun({ aiFlowId }, { names: ['good'], calls: ['c'] }), { status: 400 })
    const bare = await ada.api.createFlow({}, { name: 'Bare' })
    await assert.rejects(ada.api.startTestRun({ aiFlowId: bare.id }, { scenarios: [good] }), { status: 409 })
    await assert.rejects(eve.api.startTestRun({ aiFlowId }, { scenarios: [good] }), { status: 404 })
    await assert.rejects(eve.api.getTestRun({ aiFlowId, runId: run.runId }), { status: 404 })
    await assert.rejects(ada.api.getTestRun({ aiFlowId: bare.id, runId: run.runId }), { status: 404 })
    await world.clock.advance(25 * 60 * 60_000)
    await finished(ada, aiFlowId, await ada.api.startTestRun({ aiFlowId }, { names: ['good'] }))
    assert.equal((await ada.api.listTestRuns({ aiFlowId })).items.length, 1, 'they are kept for a day')
  })

test('tests a WebSocket endpoint, and reports an unreachable one as an error', async (t) => {
  const address = await startSocket(t)
  const world = await startWorld(t, { settings: { OFFHOOK_EGRESS_ALLOW: address } })
  const ada = await world.newAccount()
  const { id: aiFlowId } = await ada.api.createFlow({}, { name: 'Reception', websocketUrl: `ws://${address}/` })
  const run = await finished(ada, aiFlowId, await ada.api.startTestRun({ aiFlowId }, { scenarios: [good] }))
  assert.deepEqual([run.state, run.reports[0]?.failures], ['passed', []])
  const gone = await ada.api.createFlow({}, { name: 'Gone', websocketUrl: 'ws://127.0.0.1:1/' })
  const broken = await finished(ada, gone.id, await ada.api.startTestRun({ aiFlowId: gone.id }, { scenarios: [good] }))
  assert.deepEqual([broken.state, broken.reports[0]?.state], ['failed', 'error'])
})

test('rejects an invalid pattern', async (t) => {
  const world = await startWorld(t)
  const { api } = await world.newAccount()
  const { id: aiFlowId } = await api.createFlow({}, { name: 'Reception' })
  const none = { name: 'none', steps: [{ say: 'Hello' }, { expect: { not_said: ['fine', '/(/'] } }] }
  await assert.rejects(api.setScenario({ aiFlowId, name: 'none' }, none), withCode('parameter_invalid', 'steps/1/expect/not_said'))
  assert.deepEqual((await api.listScenarios({ aiFlowId })).items, [])
})

test('replays a past call with the same result until the endpoint changes', async (t) => {
  const address = await startWebhook(t)
  const world = await startWorld(t, { settings: { OFFHOOK_EGRESS_ALLOW: address } })
  const ada = await world.newAccount()
  const { id: aiFlowId } = await ada.api.createFlow({}, { name: 'Reception', webhookUrl: `http://${address}/` })
  const callId = 'c1'
  const timeline = world.running.deps.timelines.open(ada.accountId, callId)
  const session = { id: callId, account_id: ada.accountId, phone_number: '4930' }
  const notifications = (turn: number, type: 'session_start' | 'user_speak' | 'session_end', body: object): void =>
    timeline.note({ kind: 'event', eventId: `${type}${turn}`, type, turn, body: { type, session, ...body } })
  const answered = (turn: number, type: string, text: string, startedAt: number): void => {
    const eventId = `${type}${turn}`
    timeline.note({ kind: 'action', eventId, turn, action: { type: 'speak', text } })
    timeline.note({ kind: 'spoke', eventId, text, startedAt, playedMs: 500, completed: true })
  }
  notifications(0, 'session_start', {})
  answered(0, 'session_start', 'Welcome.', 1)
  notifications(1, 'user_speak', { text: 'A table', barged_in: false })
  answered(1, 'user_speak', 'Oh A table', 2)
  notifications(2, 'user_speak', { text: 'bye', barged_in: false })
  answered(2, 'user_speak', 'Ade', 3)
  timeline.note({ kind: 'action', eventId: 'user_speak2', turn: 2, action: { type: 'hangup' } })
  notifications(2, 'session_end', { reason: 'assistant_hangup' })
  timeline.end()
  timeline.release()
  await world.clock.advance(10_000)
  const replayed = async () => finished(ada, aiFlowId, await ada.api.startTestRun({ aiFlowId }, { calls: [callId] }))
  const same = await replayed()
  assert.deepEqual([same.state, same.reports[0]?.failures], ['passed', []])
  greetings.now = 'Hello.'
  t.after(() => (greetings.now = 'Welcome.'))
  const among = await finished(ada, aiFlowId, await ada.api.startTestRun({ aiFlowId }, { calls: [callId, 'c2'] }))
  assert.deepEqual(
    among.reports.map(({ name, state }) => [name, state]),
    [
      ['c1', 'failed'],
      ['c2', 'error'],
    ],
  )
  await assert.rejects(ada.api.startTestRun({ aiFlowId }, { calls: ['c2'] }), { status: 404 })
  const { state, reports } = await replayed()
  assert.deepEqual([state, reports[0]?.failures], ['failed', [{ step: 0, turn: 0, message: 'said “Welcome.”, now “Hello.”' }]])
})

test('tests a prompt assistant without side effects, with scripted tool answers', async (t) => {
  let asked = 0
  const tool = await startLoopbackServer(t, (_, response) => {
    asked++
    response.end('{}')
  })
  const model = await startModelServer(t, [
    { when: 'tool: .*free', say: 'There is a table at eight.' },
    { when: 'tool: .*no answer', say: 'I cannot say.' },
    { when: 'user: .*table', calls: [{ name: 'tables', arguments: { people: 2 } }] },
  ])
  const world = await startWorld(t, { settings: { OFFHOOK_EGRESS_ALLOW: `${new URL(model.url).host},${tool}` } })
  const ada = await world.newAccount()
  const { id: aiFlowId } = await ada.api.createFlow({}, { name: 'Reception' })
  const parameters = { type: 'object', properties: { people: { type: 'integer' } } }
  const http = [{ name: 'tables', description: 'Free tables', parameters, url: `http://${tool}/` }]
  const settings = { greeting: 'Welcome.', prompt: 'You book tables.', model: { url: model.url, name: 'm' }, tools: { http } }
  await ada.api.changeAssistant({ aiFlowId }, { settings })
  const ask = { name: 'ask', steps: [{ say: 'A table, please' }, { expect: { said: 'at eight', tool: 'tables' } }] }
  const tools = [{ name: 'tables', arguments: { people: 2 }, result: { free: ['20:00'] } }]
  const scenarios = [
    { ...ask, tools },
    { name: 'without', steps: [{ say: 'A table, please' }, { expect: { said: 'I cannot say' } }] },
  ]
  const run = await finished(ada, aiFlowId, await ada.api.startTestRun({ aiFlowId }, { draft: true, scenarios }))
  assert.deepEqual([run.state, run.draft, run.reports.flatMap(({ failures }) => failures)], ['passed', true, []])
  assert.equal(asked, 0)
  await ada.api.setScenario({ aiFlowId, name: 'ask' }, { ...ask, required: true })
  await assert.rejects(ada.api.publishAssistant({ aiFlowId }, {}), withCode('conflict', '1', 'ask', 'at eight'))
  await ada.api.setScenario({ aiFlowId, name: 'ask' }, { ...ask, tools, required: true })
  assert.equal((await ada.api.publishAssistant({ aiFlowId }, {})).version, 1)
  assert.deepEqual((await ada.api.listResults({ aiFlowId })).items, [], 'nothing is kept of it')
})
