import { deltasOf, embeddingOf, faultOf, firstMsOf, messageOf, type ChatBody, type Fault, type Step } from './script.ts'

export type { Fault, Step } from './script.ts'

export interface ModelRequest {
  path: string
  headers: Record<string, string>
  body: ChatBody
  /** The client disconnected before the end. */
  left: boolean
}

export interface ModelReply {
  status: number
  headers: Record<string, string>
  /** Throws where the connection breaks. */
  chunks: AsyncIterable<string>
}

/** Calls the task after this many milliseconds; returns a cancel function. */
type After = (ms: number, task: () => void) => () => void

const onTheWall: After = (ms, task) => {
  const timer = setTimeout(task, ms)
  return () => clearTimeout(timer)
}

const echo: Step = { say: 'I heard you. What else can I do for you?' }

/** OpenAI-compatible server with scripted answers. Independent of sockets: `fetch` calls it in the same process, `startModelServer` over HTTP. */
export class ScriptedModel {
  readonly requests: ModelRequest[] = []
  /** May be changed at any time. */
  script: Step[]
  readonly #after: After
  readonly #used = new Map<Step, number>()

  constructor(script: readonly Step[] = [], after: After = onTheWall) {
    this.script = [...script]
    this.#after = after
  }

  /** Last request, for assertions. */
  get last(): ModelRequest | undefined {
    return this.requests.at(-1)
  }

  answer(path: string, headers: Record<string, string>, text: string, signal: AbortSignal): Promise<ModelReply> {
    const body = JSON.parse(text) as ChatBody
    const request: ModelRequest = { path, headers, body, left: false }
    this.requests.push(request)
    const leave = (): void => void (request.left = true)
    signal.addEventListener('abort', leave)
    const over = (): void => signal.removeEventListener('abort', leave)
    return this.#reply(request, signal, over)
  }

  readonly fetch = async (
    url: string,
    { headers = {}, body = '{}', signal }: { headers?: Record<string, string>; body?: string; signal?: AbortSignal },
  ): Promise<Response> => {
    signal?.throwIfAborted()
    const {
      status,
      headers: given,
      chunks,
    } = await this.answer(new URL(url).pathname, headers, body, signal ?? new AbortController().signal)
    const encoder = new TextEncoder()
    const iterator = chunks[Symbol.asyncIterator]()
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => signal?.addEventListener('abort', () => controller.error(signal.reason)),
      pull: async (controller) => {
        try {
          const { done, value } = await iterator.next()
          if (signal?.aborted) return
          if (done) controller.close()
          else controller.enqueue(encoder.encode(value))
        } catch (error) {
          if (!signal?.aborted) controller.error(error)
        }
      },
    })
    return new Response(stream, { status, headers: given })
  }

  async #reply({ path, body }: ModelRequest, signal: AbortSignal, over: () => void): Promise<ModelReply> {
    const json = { 'content-type': 'application/json' }
    if (path.endsWith('/embeddings')) return { status: 200, headers: json, chunks: whole(JSON.stringify(embeddings(body)), over) }
    const step = this.#stepFor(body)
    const fault = faultOf(step, body.model)
    if (fault === 'connection') {
      over()
      throw new TypeError('fetch failed')
    }
    const failed = statusOf(fault)
    if (failed) return { ...failed, chunks: whole(JSON.stringify({ error: { message: 'as asked' } }), over) }
    if (body.stream !== true) {
      await this.#wait(firstMsOf(step, body.model), signal)
      if (fault === 'stall') await this.#wait(600_000, signal)
      const text = fault === 'bad-json' ? '{"choices":[' : JSON.stringify(completion(step, fault, body))
      return { status: 200, headers: json, chunks: whole(text, over) }
    }
    return { status: 200, headers: { 'content-type': 'text/event-stream' }, chunks: this.#stream(step, fault, body, signal, over) }
  }

  async *#stream(step: Step, fault: Fault | undefined, body: ChatBody, signal: AbortSignal, over: () => void): AsyncGenerator<string> {
    await this.#wait(firstMsOf(step, body.model), signal)
    if (fault === 'stall') await this.#wait(600_000, signal)
    if (fault === 'bad-json') yield 'data: {"choices":[{"delta":\n\n'
    const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: body.model }
    const data = (rest: object): string => `data: ${JSON.stringify({ ...head, ...rest })}\n\n`
    const deltas = deltasOf(step, fault)
    for (const [place, delta] of deltas.entries()) {
      if (fault === 'cut' && place > 3) {
        over()
        throw new Error('terminated')
      }
      if (fault === 'stall-later' && place > 3) await this.#wait(600_000, signal)
      yield data({ choices: [{ index: 0, delta, finish_reason: null }] })
      if (step.tokenMs) await this.#wait(step.tokenMs, signal)
    }
    const called = deltas.some((delta) => 'tool_calls' in delta)
    if (fault !== 'no-finish') yield data({ choices: [{ index: 0, delta: {}, finish_reason: called ? 'tool_calls' : 'stop' }] })
    if (step.usage !== false) yield data({ choices: [], usage: usageOf(step, body) })
    over()
    yield 'data: [DONE]\n\n'
  }

  #stepFor({ messages }: ChatBody): Step {
    const last = messages.at(-1)
    const subject = `${last?.role ?? ''}: ${last?.content ?? ''}`
    const fits = (step: Step): boolean =>
      (this.#used.get(step) ?? 0) < (step.times ?? Infinity) && new RegExp(step.when ?? '', 'i').test(subject)
    const step = this.script.find(fits) ?? echo
    this.#used.set(step, (this.#used.get(step) ?? 0) + 1)
    return step
  }

  /** Also resolves when the client disconnects. */
  #wait(ms: number, signal: AbortSignal): Promise<void> {
    if (ms === 0 || signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const done = (): void => {
        cancel()
        signal.removeEventListener('abort', done)
        resolve()
      }
      const cancel = this.#after(ms, done)
      signal.addEventListener('abort', done)
    })
  }
}

async function* whole(text: string, over: () => void): AsyncGenerator<string> {
  over()
  yield text
}

const statusOf = (fault: Fault | undefined): Omit<ModelReply, 'chunks'> | undefined => {
  if (fault === '429') return { status: 429, headers: { 'retry-after': '1' } }
  if (fault === '500') return { status: 500, headers: {} }
  if (fault === 'redirect') return { status: 302, headers: { location: 'http://127.0.0.1:9/' } }
  return undefined
}

const usageOf = ({ say = '', usage }: Step, { messages }: ChatBody) =>
  usage || { prompt_tokens: Math.ceil(JSON.stringify(messages).length / 4), completion_tokens: Math.ceil(say.length / 4) }

const completion = (step: Step, fault: Fault | undefined, body: ChatBody) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: body.model,
  choices: [{ index: 0, message: messageOf(step, fault), finish_reason: 'stop' }],
  ...(step.usage !== false && { usage: usageOf(step, body) }),
})

const embeddings = ({ input, model }: ChatBody) => ({
  object: 'list',
  model,
  data: [input].flat().map((text, index) => ({ object: 'embedding', index, embedding: embeddingOf(String(text)) })),
})
