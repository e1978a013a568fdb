import { parseBoundedJson } from '@offhook/contract/bounded-json.ts'
import { type AgentClock, sleep } from '../clock.ts'
import { readText, type Fetch, type HttpAnswer } from '../outbound.ts'
import {
  addressOf,
  headersOf,
  type OneModel,
  type Refusals,
  ModelFailure,
  tokensOf,
  type CalledTool,
  type ChatRequest,
  type Completion,
} from './messages.ts'
import type { ModelSettings } from '@offhook/contract/v3/assistant-values.ts'

export interface ModelParts {
  clock: AgentClock
  fetch: Fetch
  refusals: Refusals
}

interface Asking {
  signal: AbortSignal
  /** Milliseconds from now. */
  firstTokenMs: number
  /** Record that the request fills in. */
  attempt: Attempt
  stream?: boolean
}

/** Record of one request. */
export interface Attempt {
  model: string
  /** Host of the model's address. */
  server: string
  number: number
  request: string
  response: string
  firstTokenMs?: number
  /** Milliseconds until the first speakable clause. */
  firstClauseMs?: number
  totalMs?: number
  promptTokens?: number
  completionTokens?: number
  finish?: string
  error?: string
}

const maxBytes = 2 * 1024 * 1024
const maxErrorBytes = 16 * 1024
/** Characters after which a model that does not stop is cut off: more than a caller listens to, less than the limit of one speech. */
const maxSpoken = 8_000
const maxClauseLength = 400
const clause = /\S{2,}[,;:.!?…](\s|$)/

/** Sends one request; yields words as they arrive and returns the completion. Rejects with `ModelFailure` or with the signal's reason. */
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
    late.abort() // aborts the request if the reader stops early
    attempt.totalMs = sinceMs()
  }
}

const failureOf = (error: unknown): ModelFailure => {
  if (error instanceof ModelFailure) return error
  if (error instanceof TooMuch) return new ModelFailure(`the answer is too long: ${error.message}`)
  const { cause, message } = error as Error & { cause?: { code?: string; message?: string } }
  return new ModelFailure(`the connection failed: ${cause?.code ?? cause?.message ?? message}`, true)
}

/** Retries without unsupported parameters as long as the server names one. */
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

/** Assembles the server's chunks. */
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

  /** Yields an empty string for chunks without text. */
  async *read({ headers, body }: HttpAnswer): AsyncGenerator<string> {
    if (!body) throw new ModelFailure('the answer has no body')
    // A server without streaming sends one JSON body.
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
    // Also applies to an answer in one piece, so that later stages never parse megabytes.
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
    const chunk = parseBoundedJson(data) as Chunk | null
    if (typeof chunk === 'object' && chunk) return chunk
  } catch {
    // thrown below
  }
  throw new ModelFailure('the answer cannot be read: it is not JSON')
}

export class TooMuch extends Error {}

/** Yields the data of each event of a `text/event-stream`, with any line ends and any chunking. */
export async function* readEvents(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest: string[] = []
  let size = 0
  let data: string[] = []
  for await (const piece of body) {
    size += piece.length
    if (size > maxBytes) throw new TooMuch(`more than ${maxBytes} bytes`)
    const text = decoder.decode(piece, { stream: true })
    rest.push(text)
    // Joins a line when it ends: a scan of the whole line at each chunk would be quadratic.
    if (!/[\r\n]/.test(text) && !rest.at(-2)?.endsWith('\r')) continue
    // A trailing carriage return may be half of a CRLF.
    const lines = rest.join('').split(/\r\n|\n|\r(?!$)/)
    rest = [lines.pop() ?? '']
    for (const line of lines) {
      if (line === '' && data.length > 0) yield data.splice(0).join('\n')
      else if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''))
    }
  }
  // Accepts a missing final empty line.
  const last = rest.join('').replace(/\r$/, '')
  if (last.startsWith('data:')) data.push(last.slice(5).replace(/^ /, ''))
  if (data.length > 0) yield data.join('\n')
}

interface Asked {
  signal: AbortSignal
  /** Called after each request, including failed ones. */
  onAttempt: (attempt: Attempt, model: OneModel) => void
  stream?: boolean
}

const pauseMs = 200
const attempts = 2

/**
 * Asks the model, retries once if it was busy and time is left, then asks the second model. Never switches after the first words: two halves of
 * different answers make no answer.
 */
export async function* ask(
  deps: ModelParts,
  settings: ModelSettings,
  request: ChatRequest,
  asked: Asked,
): AsyncGenerator<string, Completion> {
  let failure = new ModelFailure('there is no model')
  let said = false
  for (const model of [settings, settings.second]) {
    if (!model) continue
    const { clock } = deps
    const until = clock.elapsed() + (model.first_token_ms ?? 4_000)
    for (let number = 1; number <= attempts; number++) {
      const attempt: Attempt = { model: model.name, server: new URL(model.url).hostname, number, request: '', response: '' }
      const words = complete(deps, model, request, { ...asked, firstTokenMs: until - clock.elapsed(), attempt })
      try {
        for (let step = await words.next(); ; step = await words.next()) {
          if (step.done) return noted(attempt, step.value)
          said = true
          yield step.value
        }
      } catch (error) {
        if (said || !(error instanceof ModelFailure)) throw error
        failure = error
      } finally {
        await words.return(undefined as never) // closes the stream if the reader stops early
        asked.onAttempt(attempt, model)
      }
      const waitMs = failure.afterMs ?? pauseMs
      if (!failure.again || number === attempts || clock.elapsed() + waitMs >= until) break
      await sleep(clock, waitMs, asked.signal)
      asked.signal.throwIfAborted()
    }
  }
  throw failure
}

const noted = (attempt: Attempt, completion: Completion): Completion => {
  attempt.finish = completion.finish
  attempt.promptTokens = completion.usage.prompt
  attempt.completionTokens = completion.usage.completion
  return completion
}
