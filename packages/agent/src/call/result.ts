import { parseBoundedJson } from '@offhook/contract/bounded-json.ts'
import { mostNoteBytes, sentiments } from '@offhook/contract/assistant/actions.ts'
import type { ModelSettings } from '@offhook/contract/v3/assistant-values.ts'
import type { Answer, Turn } from '@offhook/sdk'
import { problemsWithin } from '../tools/run-tools.ts'
import { ask } from '../model/chat-completions.ts'
import type { ChatMessage } from '../model/messages.ts'
import type { AgentCall } from './agent-call.ts'

type Result = Extract<Answer, { type: 'result' }>

interface Found {
  summary: string
  outcome?: string
  sentiment: (typeof sentiments)[number]
  next_steps: string[]
  fields?: Record<string, unknown>
}

const tries = 2

/** Asks the model for the call's result. Undefined if there is nothing to report. */
export const resultOf = async (call: AgentCall, turn: Turn<AgentCall>): Promise<Result | undefined> => {
  const { model } = call
  const wanted = call.settings.assistant.result ?? {}
  if (!model || !call.history.hasCaller || (wanted.summary === false && !wanted.fields && !wanted.outcomes)) return undefined
  const schema = schemaOf(call)
  const messages: ChatMessage[] = [
    { role: 'system', content: `${instructions(call)}\n\nAnswer with JSON of this schema and nothing else: ${JSON.stringify(schema)}` },
    { role: 'user', content: call.untrusted.data(call.history.transcript({ bare: call.askedForCard })) },
  ]
  let problem = ''
  for (let number = 1; number <= tries; number++) {
    const text = await complete(call, model, turn, messages, schema).catch((error: unknown) => error as Error)
    if (typeof text !== 'string') return { type: 'result', problem: short(`the model gave no result: ${text.message}`, 500) }
    const found = jsonIn(text)
    problem = found === undefined ? 'it is not JSON' : (problemsWithin(schema, found) ?? '')
    if (problem === '') return fitting(found as Found)
    messages.push({ role: 'assistant', content: text.slice(0, 8_000) })
    messages.push({ role: 'user', content: `That does not fit: ${problem}. Answer once more, with JSON of the schema and nothing else.` })
  }
  return { type: 'result', problem: short(`the model gave no result that fits: ${problem}`, 500) }
}

const instructions = ({ settings: { language }, untrusted }: AgentCall): string =>
  `You read what was said in a telephone call between a caller and an assistant, and write down what came of it, in this language: ${language}. ` +
  `Write only what was said; what was not found out is left out. ${untrusted.rule}`

const schemaOf = ({ settings: { assistant } }: AgentCall): Record<string, unknown> => {
  const { outcomes = [], fields } = assistant.result ?? {}
  return {
    type: 'object',
    properties: {
      summary: { type: 'string', description: 'Two or three sentences' },
      ...(outcomes.length > 0 && { outcome: { type: 'string', enum: outcomes } }),
      sentiment: { type: 'string', enum: sentiments },
      next_steps: { type: 'array', items: { type: 'string' }, description: 'What somebody has to do now' },
      ...(fields && { fields }),
    },
    required: ['summary', 'sentiment', 'next_steps', ...(outcomes.length > 0 ? ['outcome'] : []), ...(fields ? ['fields'] : [])],
    additionalProperties: false,
  }
}

/** Runs after the call, so it needs no streaming and the total time limit also applies to the first token. */
const complete = async (
  call: AgentCall,
  { second, ...model }: ModelSettings,
  { signal, send }: Turn<AgentCall>,
  messages: readonly ChatMessage[],
  schema: Record<string, unknown>,
): Promise<string> => {
  const patient = { ...model, first_token_ms: model.total_ms ?? 20_000 }
  const models = { ...patient, ...(second && { second: { ...second, first_token_ms: second.total_ms ?? 20_000 } }) }
  const onAttempt: Parameters<typeof ask>[3]['onAttempt'] = (attempt, one) => call.attempted(attempt, one, send)
  const request = { messages: [...messages], schema, maxTokens: Math.max(model.max_tokens ?? 0, 1_000) }
  const words = ask(call.deps, models, request, { signal, stream: false, onAttempt })
  for (;;) {
    const step = await words.next()
    if (step.done) return step.value.text
  }
}

/** Some models wrap the JSON in marks or in prose. */
const jsonIn = (text: string): unknown => {
  try {
    return parseBoundedJson(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))
  } catch {
    return undefined
  }
}

const short = (text: string, max: number): string => (text.length <= max ? text : `${text.slice(0, max - 1)}…`)

/** Truncates to the service's limits. */
const fitting = ({ summary, outcome, sentiment, next_steps, fields }: Found): Result => {
  const fits = fields !== undefined && Buffer.byteLength(JSON.stringify(fields)) <= mostNoteBytes
  return {
    type: 'result',
    summary: short(summary, 4_000),
    ...(outcome !== undefined && { outcome: short(outcome, 60) }),
    sentiment,
    next_steps: next_steps.slice(0, 20).map((step) => short(step, 500)),
    ...(fits && { fields }),
    ...(fields !== undefined && !fits && { problem: 'the fields are too long' }),
  }
}
