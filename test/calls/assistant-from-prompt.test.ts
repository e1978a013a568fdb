import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test, type TestContext } from 'node:test'
import type { Worker } from 'node:worker_threads'
import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import { createClient, type Client } from '@offhook/sdk'
import { readSettings } from '#settings/config.ts'
import { start } from '#wiring/main.ts'
import { until } from '#test/machine/peer-process.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { startModelServer } from '#test/model/model-server.ts'
import { TalkClient } from '#test/phones/talk-client.ts'
import { notesIn } from '#test/service/exchange.ts'

type Mode = 'thread' | 'process'

const found = { summary: 'Wanted to know when the shop opens.', sentiment: 'neutral', next_steps: ['Ring back'] }
const script = [
  { when: /^user: [^]*At nine/, json: found },
  { when: /^user: [^]*message/, calls: [{ name: 'take_message', arguments: { text: 'Please ring.' } }] },
  { when: /^tool: /, say: 'Noted.' },
  { when: /^user: [^]*open/, say: 'At nine.' },
  { when: /^user: [^]*bye/, say: 'Bye.', calls: [{ name: 'hang_up' }] },
]

/** The service in this process, in real time, with a flow whose assistant speaks in tones. */
const openStage = async (t: TestContext, mode: Mode) => {
  const model = await startModelServer(t, script)
  const threads: Worker[] = []
  const noted = (worker: Worker): unknown => worker.threadName === 'agent' && threads.push(worker)
  process.on('worker', noted)
  t.after(() => process.off('worker', noted))
  const data = await temporaryFolder(t, () => running.close())
  const running = await start(
    readSettings({
      OFFHOOK_SHED_LOAD: 'off',
      OFFHOOK_HTTP: '127.0.0.1:0',
      OFFHOOK_SIP: '127.0.0.1:0',
      OFFHOOK_DATA: data,
      OFFHOOK_SPEECH: 'tones',
      OFFHOOK_AGENT: mode,
      OFFHOOK_EGRESS_ALLOW: model.address,
    }),
    { log: () => {} },
  )
  const { token = '' } = await notesIn(data)
  const api = createClient({ baseUrl: running.http, token })
  const { id: aiFlowId } = await api.createFlow({}, { name: 'Shop', endpoint: 'assistant', language: 'en' })
  const settings: AssistantSettings = {
    greeting: 'Hi.',
    prompt: 'You answer the phone of a shop.',
    disclosure: { mode: 'off', reason: 'a test' },
    tools: { take_message: {} },
    model: { url: model.url, name: 'scripted' },
  }
  await api.changeAssistant({ aiFlowId }, { settings })
  /** Kills without a clean shutdown, as an operating system would. */
  const kill = async (): Promise<void> => {
    if (mode === 'thread') await threads.at(-1)?.terminate()
    else for (const pid of children()) process.kill(pid, 'SIGKILL')
  }
  return { t, api, aiFlowId, settings, model: model.model, kill }
}
type Stage = Awaited<ReturnType<typeof openStage>>

const children = (): number[] => {
  const pids = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ').map(Number)
  return pids.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('agent-program'))
}

const talk = async ({ t, api, aiFlowId }: Stage, input: { draft?: boolean } = {}) => {
  const { talkId: callId, url } = await api.startTalk({ aiFlowId }, { audio: false, ...input })
  const client = await TalkClient.open(t, url)
  await client.onEvent('answered')
  return { callId, client, types: (text: string) => client.send({ type: 'text', text }) }
}

/** Entries of one kind in the timeline of a call. */
const entries = async (api: Client, callId: string, kind: string): Promise<Record<string, unknown>[]> =>
  ((await api.getTimeline({ callId })).items as Record<string, unknown>[]).filter((entry) => entry.kind === kind)

const says = (api: Client, callId: string, text: string): Promise<unknown> =>
  until(`“${text}”`, async () => (await entries(api, callId, 'spoke')).some((entry) => JSON.stringify(entry).includes(text)) || undefined)

for (const mode of ['thread', 'process'] as const) {
  test(`as a ${mode}: a published assistant answers, uses a tool, and hangs up`, async (t) => {
    const stage = await openStage(t, mode)
    const { api, aiFlowId, model } = stage
    await api.publishAssistant({ aiFlowId }, {})
    const { callId, client, types } = await talk(stage)
    await says(api, callId, 'Hi.')
    types('When do you open?')
    await says(api, callId, 'At nine.')
    types('Take a message')
    await says(api, callId, 'Noted.')
    types('bye')
    assert.equal((await client.onEvent('ended')).reason, 'assistant_hangup')
    assert.match(JSON.stringify(model.requests.find(({ body }) => JSON.stringify(body).includes('open'))?.body), /phone of a shop/)
    const notes = await until('the tool in the timeline', async () => {
      const all = await entries(api, callId, 'note')
      return all.some(({ name }) => name === 'tool') ? all : undefined
    })
    assert.ok(notes.some(({ name }) => name === 'model'))
    await until('the end in the delivery log', async () => {
      const { items } = await api.listDeliveries({ aiFlowId })
      return (
        items.some(({ eventType, state, channel }) => `${eventType} ${state} ${channel}` === 'session_end delivered websocket') || undefined
      )
    })
    const result = await until('what came of it', async () => {
      const one = await api.getResult({ aiFlowId, callId })
      return one.summary === undefined ? undefined : one
    })
    assert.deepEqual([result.version, result.summary, result.nextSteps], [1, found.summary, found.next_steps])
    assert.deepEqual(
      result.messages.map(({ text }) => text),
      ['Please ring.'],
    )
    assert.ok(result.promptTokens > 0)
  })

  test(`as a ${mode}: answers the next sentence after the agent was killed during the call`, async (t) => {
    const stage = await openStage(t, mode)
    const { api, aiFlowId, kill } = stage
    await api.publishAssistant({ aiFlowId }, {})
    const { callId, client, types } = await talk(stage)
    await says(api, callId, 'Hi.')
    await kill()
    types('When do you open?')
    await says(api, callId, 'At nine.')
    types('bye')
    assert.equal((await client.onEvent('ended')).reason, 'assistant_hangup')
  })
}

test('runs a draft in a test call; ends calls without a published version', async (t) => {
  const stage = await openStage(t, 'thread')
  const { api, aiFlowId, settings } = stage
  const unpublished = await talk(stage)
  await unpublished.client.onEvent('ended')
  await until('the reason in the delivery log', async () => {
    const { items } = await api.listDeliveries({ aiFlowId })
    return items.some(({ error }) => error === 'No version of the assistant has been published') || undefined
  })
  await api.changeAssistant({ aiFlowId }, { settings: { ...settings, greeting: 'Draft.' } })
  const { callId, client } = await talk(stage, { draft: true })
  await says(api, callId, 'Draft.')
  client.send({ type: 'hangup' })
  await client.closed
})

test('tests models and tools through the agent', async (t) => {
  const stage = await openStage(t, 'thread')
  const { api, aiFlowId, settings, model } = stage
  const measured = await api.testModel({ aiFlowId }, {})
  assert.equal(measured.ok, true, measured.problem)
  await assert.rejects(api.testModel({ aiFlowId }, { second: true }), { status: 409 })
  const url = settings.model?.url ?? ''
  const http = [{ name: 'ask', description: 'Asks', url: `${url}/embeddings` }]
  await api.changeAssistant({ aiFlowId }, { settings: { ...settings, tools: { http } } })
  const tried = await api.testTool({ aiFlowId, tool: 'ask' }, { arguments: { word: 'x' } })
  assert.equal(tried.response?.status, 200, tried.problem)
  assert.ok(tried.request?.headers['webhook-signature'])
  await assert.rejects(api.testTool({ aiFlowId, tool: 'other' }, {}), { status: 404 })
  assert.ok(model.requests.length > 0)
  await api.changeAssistant({ aiFlowId }, { settings: { ...settings, model: { url: 'http://127.0.0.1:11434/v1', name: 'x' } } })
  const forbidden = await api.testModel({ aiFlowId }, {})
  assert.deepEqual([forbidden.ok, /not public|list of exceptions/.test(forbidden.problem ?? '')], [false, true], forbidden.problem)
})
