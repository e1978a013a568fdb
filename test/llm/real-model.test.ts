import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assistantTemplates } from '@offhook/contract/v3/assistant-templates.ts'
import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import { until } from '#test/machine/peer-process.ts'
import { needs } from '#test/peers/debian.ts'
import { startExchange } from '#test/service/exchange.ts'
import { openRecogniser } from '#test/speech/embedded-speech.ts'
import { readPrompt, recordedSpeech, recordedWords } from '#test/speech/recorded-speech.ts'
import { Speaker } from '#test/speech/spoken-call.ts'
import { plainWords } from '#adapters/speech/callers/word-errors.ts'

/** Generous: small models on small machines are slower than callers would accept. */
const timeoutMs = 120_000
const maxQuestions = 4
const { OFFHOOK_TEST_MODEL_URL: url = '', OFFHOOK_TEST_MODEL_NAME: name = '', OFFHOOK_TEST_MODEL_KEY: key } = process.env

interface Noted {
  response?: string
  error?: string
  firstTokenMs?: number
  firstClauseMs?: number
  totalMs?: number
}

test('answers a phone call with a real model, whose words are heard', { timeout: 280_000 }, async (t) => {
  assert.ok(
    url !== '' && name !== '',
    'This needs a language model: OFFHOOK_TEST_MODEL_URL (up to where /chat/completions follows) and OFFHOOK_TEST_MODEL_NAME of any server that speaks OpenAI’s chat completions',
  )
  if (!(await needs(t, 'baresip', recordedSpeech, recordedWords))) return
  const { port, hostname, protocol } = new URL(url)
  const allowed = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
  const exchange = await startExchange(t, { OFFHOOK_EGRESS_ALLOW: allowed, OFFHOOK_SPEECH: 'embedded' })
  const { admin } = exchange
  const { id: aiFlowId } = await admin.createFlow({}, { name: 'Reception', language: 'en-US', endpoint: 'assistant' })
  const slow = { first_token_ms: 30_000, total_ms: 60_000, max_tokens: 60 }
  const settings: AssistantSettings = {
    ...assistantTemplates.reception.en.settings,
    prompt: 'You answer the telephone of a bistro, in one short sentence.',
    tools: { hang_up: false },
    knowledge: { use: 'off' },
    result: { summary: false },
    model: { url, name, ...slow, ...(key !== undefined && { api_key: key }) },
  }
  await admin.changeAssistant({ aiFlowId }, { settings })
  await admin.publishAssistant({ aiFlowId }, {})
  const hear = await openRecogniser(t)
  const caller = await Speaker.open(t, exchange)
  await caller.phone.dial(`sip:${await exchange.newNumber(aiFlowId)}@${exchange.sip}`)
  await caller.phone.event('CALL_ESTABLISHED')
  await caller.hasTheFloor(3)
  const callId = (await admin.listCalls()).data[0]?.callId ?? assert.fail('there is no call')
  const entries = async (kind: string): Promise<Record<string, unknown>[]> =>
    ((await admin.getTimeline({ callId })).items as Record<string, unknown>[]).filter((one) => one.kind === kind)
  const answers = async (): Promise<Noted[]> =>
    (await entries('note')).filter(({ name: what }) => what === 'model').map(({ data }) => data as Noted)
  /** A freshly started server reads long instructions slowly, and caches them: repeats an unanswered question. */
  const asked = async (nth: number): Promise<Noted> => {
    await caller.says(await readPrompt('vm-enter-num-to-call'))
    const note = await until('an answer of the model', async () => (await answers())[nth], timeoutMs)
    if (note.error === undefined || nth === maxQuestions - 1) return note
    await caller.hearsMore(1)
    await caller.hasTheFloor(1)
    return asked(nth + 1)
  }
  const spokenBefore = (await entries('spoke')).length
  const note = await asked(0)
  assert.equal(note.error, undefined)
  const turn = await until(
    'the first sound',
    async () => (await entries('turn')).findLast(({ firstSoundMs }) => firstSoundMs !== undefined),
    timeoutMs,
  )
  // Excludes the greeting and fillers.
  const isAnswer = (text: unknown): text is string => typeof text === 'string' && (note.response ?? '').includes(text.trim().slice(0, 12))
  const spoken = async (): Promise<unknown[]> => (await entries('spoke')).slice(spokenBefore).map(({ text }) => text)
  const answer = await until('the end of the answer', async () => (await spoken()).find(isAnswer), timeoutMs)
  const heard = new Set(plainWords(await caller.understood(hear, 'en-US'), 'en'))
  const said = plainWords(answer, 'en')
  t.diagnostic(
    JSON.stringify({
      model: name,
      firstTokenMs: note.firstTokenMs,
      firstClauseMs: note.firstClauseMs,
      totalMs: note.totalMs,
      firstSoundMs: turn['firstSoundMs'],
    }),
  )
  t.diagnostic(`said: ${answer}`)
  t.diagnostic(`the model: ${note.response}`)
  assert.ok(said.length > 0)
  assert.ok(said.filter((word) => heard.has(word)).length / said.length >= 0.6, `heard: ${[...heard].join(' ')}`)
  await caller.phone.hangUp()
})
