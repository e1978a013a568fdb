import { parseBoundedJson } from '@offhook/contract/bounded-json.ts'
import { Agent, request, type Dispatcher, type FormData } from 'undici'
import { faultWord, type Provider } from './provider.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { SpeechUnavailable } from '#core/kernel/ports/speech.ts'

/** Milliseconds from the request to the first byte of the response. */
const answerTimeoutMs = 5_000
/** Milliseconds between two chunks of a response, while the next is awaited. */
const chunkTimeoutMs = 4_000
/** Total milliseconds of waiting for the chunks of one response. */
const totalTimeoutMs = 30_000
const maxErrorBytes = 10_000

interface AgentOptions {
  connect: NonNullable<Agent.Options['connect']>
  idleConnectionMs: number
}

/** Connections for `ProviderHttp`, which enforces the deadlines itself. */
export const providerAgent = ({ connect, idleConnectionMs }: AgentOptions): Agent =>
  new Agent({
    connect,
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: idleConnectionMs,
    keepAliveMaxTimeout: idleConnectionMs,
    headersTimeout: 0,
    bodyTimeout: 0,
  })

interface ProviderRequest {
  url: string
  headers: Record<string, string>
  body: string | Uint8Array | FormData
  /** Maximum size of the response. */
  maxBytes: number
  /** Milliseconds until the first byte of the response, if not the usual ones. */
  answerMs?: number
}

/** A successful response whose first byte has arrived. Read its body or end the loop: either frees the connection. */
export interface ProviderReply {
  contentType: string
  body: AsyncIterable<Uint8Array>
}

/** HTTP client of one provider. It follows no redirects, so the key is sent only to the configured address. */
export class ProviderHttp {
  readonly provider: Provider
  readonly #dispatcher: Dispatcher

  constructor(provider: Provider, dispatcher: Dispatcher) {
    this.provider = provider
    this.#dispatcher = dispatcher
  }

  /** Throws SpeechUnavailable, or the signal's reason. */
  async post({ url, headers, body, maxBytes, answerMs = answerTimeoutMs }: ProviderRequest, signal: AbortSignal): Promise<ProviderReply> {
    this.provider.awake()
    const limit = new TimeLimit(this.provider.clock, signal)
    const options = { method: 'POST', headers: { 'user-agent': 'Offhook', ...headers }, body, dispatcher: this.#dispatcher } as const
    const ask = (): Promise<Dispatcher.ResponseData> => request(new URL(url), { ...options, signal: limit.signal })
    try {
      const reply = await limit.wait(ask().catch(retryOnce(ask)), answerMs, () => this.#tooLate(answerMs))
      if (reply.statusCode !== 200) throw await this.#refusal(reply, limit)
      const { 'content-type': contentType } = reply.headers
      return { contentType: String(contentType ?? '').toLowerCase(), body: this.#pieces(reply.body, maxBytes, limit) }
    } catch (error) {
      limit.end()
      throw limit.explain(error, (broken) => this.provider.outage(this.provider.unreachable(broken)))
    }
  }

  /** A short response, parsed as JSON. */
  async postForJson(wanted: ProviderRequest, signal: AbortSignal): Promise<unknown> {
    const { body } = await this.post(wanted, signal)
    const pieces: Uint8Array[] = []
    for await (const piece of body) pieces.push(piece)
    try {
      return parseBoundedJson(Buffer.concat(pieces).toString('utf8'))
    } catch {
      throw this.provider.fault('answers with something that is not JSON')
    }
  }

  #tooLate(ms: number): Error {
    return this.provider.outage(this.provider.fault(`did not answer within ${ms} ms`))
  }

  async #refusal({ statusCode, headers, body }: Dispatcher.ResponseData, limit: TimeLimit): Promise<Error> {
    const { 'retry-after': retryAfter } = headers
    const text = await this.#errorText(body, limit).catch(() => '')
    return this.provider.refusal(statusCode, { detail: faultWord(text), retryAfter: retryAfter?.toString() })
  }

  async #errorText(body: AsyncIterable<Uint8Array>, limit: TimeLimit): Promise<string> {
    const pieces: Uint8Array[] = []
    for await (const piece of this.#pieces(body, maxErrorBytes, limit)) pieces.push(piece)
    return Buffer.concat(pieces).toString('utf8')
  }

  /** Counts only time spent waiting for the provider, not time while its sound is played. */
  async *#pieces(body: AsyncIterable<Uint8Array>, maxBytes: number, limit: TimeLimit): AsyncGenerator<Uint8Array> {
    const { provider } = this
    const pieces = body[Symbol.asyncIterator]()
    let bytes = 0
    let left = totalTimeoutMs
    try {
      for (;;) {
        const since = provider.clock.elapsed()
        const next = await limit.wait(pieces.next(), Math.min(chunkTimeoutMs, left), () => provider.fault('stopped in the middle'))
        left -= provider.clock.elapsed() - since
        if (next.done === true) return
        bytes += next.value.length
        if (bytes > maxBytes) throw provider.fault(`sent more than ${maxBytes} bytes`)
        yield next.value
      }
    } catch (error) {
      throw limit.explain(error, (broken) => provider.fault('broke off in the middle', broken))
    } finally {
      limit.end()
      await pieces.return?.()
    }
  }
}

/** The server may close a keep-alive connection at the moment of its reuse. */
const retryOnce =
  <T>(ask: () => Promise<T>) =>
  (error: unknown): Promise<T> => {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE') return ask()
    throw error
  }

/** Ends a request when it is aborted or a wait takes too long. The first reason counts. */
class TimeLimit {
  /** Aborted when the request ends. */
  readonly signal: AbortSignal
  readonly #clock: Clock
  readonly #asker: AbortSignal
  readonly #stop = new AbortController()
  readonly #stopped = Promise.withResolvers<never>()
  readonly #giveUp: () => void
  #why: unknown

  constructor(clock: Clock, asker: AbortSignal) {
    asker.throwIfAborted()
    this.#clock = clock
    this.#asker = asker
    this.signal = this.#stop.signal
    this.#stopped.promise.catch(() => {})
    this.#giveUp = () => this.#ended(asker.reason)
    asker.addEventListener('abort', this.#giveUp, { once: true })
  }

  /** Does not wait for the stopped work, which may end late (undici heeds a signal only once it is connected). */
  async wait<T>(work: Promise<T>, ms: number, tooLate: () => Error): Promise<T> {
    work.catch(() => {})
    const cancel = this.#clock.after(ms, () => this.#ended(tooLate()))
    try {
      return await Promise.race([this.#stopped.promise, work])
    } finally {
      cancel()
    }
  }

  /** Reason for the end: the caller's or our own; otherwise the result of `broken` for the error. */
  explain(error: unknown, broken: (error: unknown) => Error): unknown {
    return this.#why ?? (error instanceof SpeechUnavailable ? error : broken(error))
  }

  /** Releases the signal and its listeners. */
  end(): void {
    this.#asker.removeEventListener('abort', this.#giveUp)
    this.#stop.abort()
  }

  #ended(reason: unknown): void {
    this.#why ??= reason
    this.#stopped.reject(reason)
    this.#stop.abort(reason)
  }
}
