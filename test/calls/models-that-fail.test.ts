import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import { createClient } from '@offhook/sdk'
import { readSettings } from '#settings/config.ts'
import { start } from '#wiring/main.ts'
import { until } from '#test/machine/peer-process.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { startModelServer } from '#test/model/model-server.ts'
import { faults, type Fault } from '#test/model/script.ts'
import { TalkClient } from '#test/phones/talk-client.ts'
import { notesIn } from '#test/service/exchange.ts'

/** Maximum talks per user. */
const concurrency = 5
const [apology, good, said] = ['Sorry.', 'At nine.', 'We open']

/** First thing that callers hear when a model fails this way. */
const learnedOf: Partial<Record<Fault, RegExp>> = {
  huge: /^word/,
  markup: /^Answer/,
  cut: /^(We|Sorry)/,
  'stall-later': /^(We|Sorry)/,
  'no-finish': /^We open/,
  'bad-tool-json': /^(We open|At nine)/,
  'unknown-tool': /^(We open|At nine)/,
}

test('keeps the call up and speaks to the caller on every model failure', async (t) => {
  const { url, address } = await startModelServer(t, [
    { when: '^tool:', say: good },
    { when: 'again', say: good },
    { when: '^user', say: `${said} at nine.` },
  ])
  const data = await temporaryFolder(t, () => running.close())
  const here = { OFFHOOK_HTTP: '127.0.0.1:0', OFFHOOK_SIP: '127.0.0.1:0', OFFHOOK_DATA: data, OFFHOOK_SPEECH: 'tones' }
  const running = await start(readSettings({ ...here, OFFHOOK_SHED_LOAD: 'off', OFFHOOK_EGRESS_ALLOW: address }), { log: () => {} })
  const { token = '' } = await notesIn(data)
  const api = createClient({ baseUrl: running.http, token })

  const callWith = async (fault: Fault): Promise<void> => {
    const { id: aiFlowId } = await api.createFlow({}, { name: fault, endpoint: 'assistant', language: 'en', fillers: { off: true } })
    const settings: AssistantSettings = {
      greeting: 'Hi.',
      prompt: 'You answer the phone of a shop.',
      disclosure: { mode: 'off', reason: 'a test' },
      model: { url, name: `fault-${fault}`, first_token_ms: 1_500, total_ms: 3_000 },
      failed_text: apology,
    }
    await api.changeAssistant({ aiFlowId }, { settings })
    await api.publishAssistant({ aiFlowId }, {})
    const { talkId: callId, url: socket } = await api.startTalk({ aiFlowId }, { audio: false })
    const client = await TalkClient.open(t, socket)
    await client.onEvent('answered')
    const spoken = async (): Promise<string[]> =>
      ((await api.getTimeline({ callId })).items as Record<string, unknown>[])
        .filter(({ kind }) => kind === 'speaks')
        .map(({ text }) => String(text))
    await until(`${fault}: the greeting`, async () => (await spoken()).length > 0 || undefined)
    client.send({ type: 'text', text: 'When?' })
    const [, answer = ''] = await until(`${fault}: an answer`, async () => ((await spoken()).length > 1 ? spoken() : undefined), 20_000)
    assert.match(answer, learnedOf[fault] ?? /^Sorry\./, fault)
    assert.ok(!client.news.some(({ type }) => type === 'ended'), `${fault}: the call goes on`)
    client.send({ type: 'hangup' })
    await client.closed
  }
  for (let at = 0; at < faults.length; at += concurrency) await Promise.all(faults.slice(at, at + concurrency).map(callWith))
})
