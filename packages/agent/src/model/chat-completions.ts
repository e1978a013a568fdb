import type { AgentClock } from '../clock.ts'
import { readText, type Fetch, type HttpAnswer } from '../outbound.ts'
import { addressOf, headersOf, type OneModel, type Refusals } from './flavours.ts'
import { ModelFailure, tokensOf, type CalledTool, type ChatRequest, type Completion } from './messages.ts'
import { readEvents, TooMuch } from './server-sent-events.ts'

export interface ModelParts {
  clock: AgentClock
  fetch: Fetch
  refusals: Refusals
}

export interface Asking {
  signal: AbortSignal
  /** From now on. */
  firstTokenMs: number
  /** For what is kept about the request. */
  attempt: Attempt
  stream?: boolean
}

/** What happened with one request. */
export interface Attempt {
  model: string
  number: number
  request: string
  response: string
  firstTokenMs?: number
  /** Until the first words that a voice can say. */
  firstClauseMs?: number
  totalMs?: number
  promptTokens?: number
  completionTokens?: number
  finish?: string
  error?: string
}

const maxBytes = 4 * 1024 * 1024
const maxErrorBytes = 16 * 1024
/** More than anybody listens to, and less than one speech may have; a model that does not stop is stopped. */
const maxSpoken = 8_000
const maxClauseLength = 400
const clause = /\S{2,}[,;:.!?…](\s|$)/

/** One request; gives the words as they come, and at the end everything. Rejects with `ModelFailure`, or with the signal's reason. */
export async function* complete(
  deps: ModelParts,
  model: OneModel,
  request: ChatRequest,
  asking: Asking,
): AsyncGenerator<string, Completion> {
  const { clock } = deps
  const { attempt, signal } = asking
  const started = clock.elapsed()
  const sinceMs = (): number => Math.round(clock.elapsed() - started)
  const late = new AbortController()
  const limit = (ms: number, what: string): (() => void) =>
    clock.after(ms, () => late.abort(new ModelFailure(`${what} within ${Math.round(ms)} ms`)))
  let cancelNext = limit(asking.firstTokenMs, 'no first word')
  const cancelTotal = limit(model.total_ms ?? 20_000, 'no whole answer')
  try {
    const both = AbortSignal.any([signal, late.signal])
    const answer = await send(deps, model, request, { ...asking, signal: both })
    const reading = new Reading(request)
    for await (const words of reading.read(answer)) {
      both.throwIfAborted()
      if (reading.started) {
        cancelNext()
        cancelNext = limit(model.first_token_ms ?? 4_000, 'no further word')
        attempt.firstTokenMs ??= sinceMs()
      }
      attempt.response += words
      if (attempt.firstClauseMs === undefined && clause.test(attempt.response.slice(0, maxClauseLength))) attempt.firstClauseMs = sinceMs()
      if (words !== '') yield words
    }
    return reading.result()
  } catch (error) {
    signal.throwIfAborted()
    const failure = late.signal.aborted ? (late.signal.reason as ModelFailure) : failureOf(error)
    attempt.error = failure.message
    throw failure
  } finally {
    cancelNext()
    cancelTotal()
    late.abort() // whoever does not read to the end does not want the rest
    attempt.totalMs = sinceMs()
  }
}

const failureOf = (error: unknown): ModelFailure => {
  if (error instanceof ModelFailure) return error
  if (error instanceof TooMuch) return new ModelFailure(`the answer is too long: ${error.message}`)
  const { cause, message } = error as Error & { cause?: { code?: string; message?: string } }
  return new ModelFailure(`the connection failed: ${cause?.code ?? cause?.message ?? message}`, true)
}

/** Once more without what the server does not understand, as long as it names something. */
const send = async (deps: ModelParts, model: OneModel, request: ChatRequest, asking: Asking): Promise<HttpAnswer> => {
  for (;;) {
    const body = JSON.stringify(deps.refusals.bodyOf(model, request, asking.stream ?? true))
    asking.attempt.request = body
    const answer = await deps.fetch(addressOf(model), { method: 'POST', headers: headersOf(model), body, signal: asking.signal })
    if (answer.status >= 200 && answer.status < 300) return answer
    const { text } = await readText(answer.body, maxErrorBytes)
    asking.attempt.response = text
    if (deps.refusals.learn(model, answer.status, text)) continue
    throw refusalOf(answer)
  }
}

const refusalOf = ({ status, headers }: HttpAnswer): ModelFailure => {
  if (status >= 300 && status < 400) return new ModelFailure(`the server answered with a redirect (${status}), which is not followed`)
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  const again = status === 429 || status >= 500
  return new ModelFailure(`the server answered ${status}`, again, Number.isFinite(seconds) ? seconds * 1000 : undefined)
}

interface Chunk {
  choices?: { delta?: Delta; message?: Delta; finish_reason?: string | null }[]
  usage?: { prompt_tokens?: number; completion_tokens?: number } | null
  error?: { message?: string } | string
}
interface Delta {
  content?: string | null
  tool_calls?: { index?: number; id?: string; function?: { name?: string; arguments?: string } }[]
}

/** What comes from the server, put together. */
class Reading {
  started = false
  readonly #request: ChatRequest
  readonly #calls: CalledTool[] = []
  #text = ''
  #finish: string | undefined
  #usage: { prompt_tokens?: number; completion_tokens?: number } | undefined

  constructor(request: ChatRequest) {
    this.#request = request
  }

  /** Gives an empty string for what is no word. */
  async *read({ headers, body }: HttpAnswer): AsyncGenerator<string> {
    if (!body) throw new ModelFailure('the answer has no body')
    // A server that does not stream says everything at once.
    const streams = !(headers.get('content-type') ?? '').includes('application/json')
    const pieces = streams ? readEvents(body, maxBytes) : wholeOf(body)
    for await (const data of pieces) {
      if (data.trim() === '[DONE]' || data.trim() === '') continue
      yield this.#take(chunkOf(data))
      if (this.#text.length >= maxSpoken) {
        this.#finish = 'length'
        return
      }
    }
    if (this.#finish === undefined) throw new ModelFailure('the answer broke off')
  }

  result(): Completion {
    const { messages } = this.#request
    if (this.#text.trim() === '' && this.#calls.length === 0) throw new ModelFailure('the answer is empty')
    const { prompt_tokens = tokensOf(JSON.stringify(messages)), completion_tokens = tokensOf(this.#text + JSON.stringify(this.#calls)) } =
      this.#usage ?? {}
    const calls = this.#calls.filter(Boolean).map((call, index) => ({ ...call, id: call.id || `call_${index}` }))
    return { text: this.#text, calls, finish: this.#finish ?? 'stop', usage: { prompt: prompt_tokens, completion: completion_tokens } }
  }

  #take({ choices, usage, error }: Chunk): string {
    if (error) throw new ModelFailure(`the server reports an error: ${typeof error === 'string' ? error : (error.message ?? 'unknown')}`)
    if (usage) this.#usage = usage
    const { delta, message, finish_reason } = choices?.[0] ?? {}
    if (finish_reason) this.#finish = finish_reason
    const { content, tool_calls = [] } = delta ?? message ?? {}
    for (const [place, call] of tool_calls.entries()) this.#call(call.index ?? place, call)
    if (content || tool_calls.length > 0) this.started = true
    // Also when all of it comes at once: what reads it further on must not have to read megabytes.
    const words = (content ?? '').slice(0, maxSpoken - this.#text.length)
    this.#text += words
    return words
  }

  #call(index: number, { id, function: part }: NonNullable<Delta['tool_calls']>[number]): void {
    if (index < 0 || index > 31) throw new ModelFailure('too many tools are called at once')
    const call = (this.#calls[index] ??= { id: '', name: '', arguments: '' })
    call.id ||= id ?? ''
    call.name += part?.name ?? ''
    call.arguments += part?.arguments ?? ''
  }
}

async function* wholeOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const { text, whole } = await readText(body, maxBytes)
  if (!whole) throw new TooMuch(`more than ${maxBytes} bytes`)
  yield text
}

const chunkOf = (data: string): Chunk => {
  try {
    const chunk = JSON.parse(data) as Chunk | null
    if (typeof chunk === 'object' && chunk) return chunk
  } catch {
    // told below
  }
  throw new ModelFailure('the answer cannot be read: it is not JSON')
}
