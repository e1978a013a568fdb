import { withVariables } from './with-variables.ts'
import type { ModelMeasured, ToolTried } from './channel.ts'
import type { AgentSettings } from './host.ts'
import { complete, type Attempt, type ModelParts } from './model/chat-completions.ts'
import { type OneModel, ModelFailure, type ChatRequest, type Completion } from './model/messages.ts'
import { problemsWithin } from './tools/run-tools.ts'
import type { AgentClock } from './clock.ts'
import type { Fetch } from './outbound.ts'
import { requestOf, send, shownHeaders } from './tools/http-tool.ts'

const hello: ChatRequest = { messages: [{ role: 'user', content: 'Say hello in one short sentence.' }] }

const calling: ChatRequest = {
  messages: [{ role: 'user', content: 'What time is it in Berlin? Use the tool.' }],
  tools: [
    {
      name: 'time_in',
      description: 'Tells what time it is in a city.',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  ],
}

const writing: ChatRequest = {
  messages: [{ role: 'user', content: 'Answer with JSON: {"colour": the colour of the sky}' }],
  schema: { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'], additionalProperties: false },
}

/** Asks one short question, then checks tool calls and JSON output. */
export const measureModel = async (deps: ModelParts, { assistant }: AgentSettings, second: boolean): Promise<ModelMeasured> => {
  const model = second ? assistant.model?.second : assistant.model
  if (!model) return { ok: false, totalMs: 0, problem: second ? 'No second model is set.' : 'No model is set.' }
  const attempt: Attempt = { model: model.name, server: new URL(model.url).hostname, number: 1, request: '', response: '' }
  try {
    const { text, usage } = await ask(deps, model, hello, attempt)
    const { firstTokenMs = 0, totalMs = 0 } = attempt
    const seconds = Math.max(totalMs - firstTokenMs, 1) / 1000
    const able = await Promise.all([
      ask(deps, model, calling).then(
        ({ calls }) => calls.length > 0,
        () => false,
      ),
      ask(deps, model, writing).then(
        ({ text: json }) => isJson(json),
        () => false,
      ),
    ])
    const tokensPerSecond = Math.round((usage.completion / seconds) * 10) / 10
    return { ok: true, firstTokenMs, totalMs, tokensPerSecond, text: text.slice(0, 500), tools: able[0], json: able[1] }
  } catch (error) {
    const why = error instanceof ModelFailure ? error.message : 'it cannot be asked'
    return { ok: false, totalMs: attempt.totalMs ?? 0, problem: `${why}.${adviceOn(why, model)}` }
  }
}

const ask = async (
  deps: ModelParts,
  model: OneModel,
  request: ChatRequest,
  attempt: Attempt = { model: model.name, server: new URL(model.url).hostname, number: 1, request: '', response: '' },
): Promise<Completion> => {
  const words = complete(deps, model, request, {
    signal: new AbortController().signal,
    firstTokenMs: model.first_token_ms ?? 4_000,
    attempt,
  })
  for (;;) {
    const step = await words.next()
    if (step.done) return step.value
  }
}

const isJson = (text: string): boolean => {
  try {
    return typeof (JSON.parse(text) as { colour?: unknown }).colour === 'string'
  } catch {
    return false
  }
}

const adviceOn = (why: string, { name }: OneModel): string => {
  if (why.includes('ECONNREFUSED')) return ` Nothing listens there. With Ollama on this machine: ollama run ${name}`
  if (why.includes('ENOTFOUND')) return ' There is no machine of that name.'
  if (/answered 40[13]/.test(why)) return ' The key is missing or wrong.'
  if (why.includes('answered 404')) return ` There is no such address, or no model ${name}. The address ends before /chat/completions.`
  if (why.includes('no first word')) return ' It may still be loading: try once more, or allow more time (first_token_ms).'
  return ''
}

/** Sample call data. */
const session = {
  id: '00000000-0000-4000-8000-000000000000',
  account_id: '0000000',
  phone_number: '4930000000',
  from_phone_number: '491570000000',
  to_phone_number: '4930000000',
}

/** Calls one HTTP tool as in a call and returns request and response. */
export const tryTool = async (
  { fetch, clock }: { fetch: Fetch; clock: AgentClock },
  settings: AgentSettings,
  name: string,
  args: Record<string, unknown>,
): Promise<ToolTried> => {
  const { secrets, assistant } = withVariables(settings, settings.variables)
  const tool = assistant.tools?.http?.find((one) => one.name === name)
  if (!tool) throw new Error(`there is no tool ${name}`)
  const wrong = tool.parameters && problemsWithin(tool.parameters, args)
  if (wrong !== undefined) return { ok: false, ms: 0, problem: `The arguments do not fit: ${wrong}` }
  const parts = { fetch, clock, secrets }
  const request = requestOf(tool, parts, {
    args,
    session: { ...session, ...(settings.variables && { variables: settings.variables }) },
    turn: 1,
    callId: 'test',
  })
  const started = clock.elapsed()
  const { status, code, content, response } = await send(tool, parts, request, new AbortController().signal)
  const ms = Math.round(clock.elapsed() - started)
  return {
    ok: status === 'ok',
    ms,
    request: { url: request.url, headers: shownHeaders(tool, request), body: request.body ?? '' },
    ...(code !== undefined && { response: { status: code, body: response.slice(response.indexOf('\n') + 1) } }),
    ...(status !== 'ok' && { problem: (content as { error: string }).error }),
  }
}
