import { request, type Dispatcher, type FormData } from 'undici'
import { faultWord, type Provider } from './provider.ts'
import { TimeLimit } from './time-limit.ts'

/** From the request to the first byte of the answer. */
const answerTimeoutMs = 5_000
/** Limit between two pieces of a response, while the next is waited for. */
const chunkTimeoutMs = 4_000
/** All waiting for the pieces of one answer. */
const totalTimeoutMs = 30_000
const maxErrorBytes = 10_000

export interface ProviderRequest {
  url: string
  headers: Record<string, string>
  body: string | Uint8Array | FormData
  /** Of the answer. */
  maxBytes: number
}

/**
 * A good answer, of which the first byte is there. Its body has to be read, or left by ending the loop, either of which frees the
 * connection.
 */
export interface ProviderReply {
  contentType: string
  body: AsyncIterable<Uint8Array>
}

/** Asks one provider. Redirects are not followed, so a key goes nowhere but to the address that the operator gave. */
export class ProviderHttp {
  readonly provider: Provider
  readonly #dispatcher: Dispatcher

  constructor(provider: Provider, dispatcher: Dispatcher) {
    this.provider = provider
    this.#dispatcher = dispatcher
  }

  /** Throws SpeechUnavailable, or the signal's reason. */
  async post({ url, headers, body, maxBytes }: ProviderRequest, signal: AbortSignal): Promise<ProviderReply> {
    this.provider.awake()
    const limit = new TimeLimit(this.provider.clock, signal)
    const options = { method: 'POST', headers: { 'user-agent': 'Offhook', ...headers }, body, dispatcher: this.#dispatcher } as const
    const ask = (): Promise<Dispatcher.ResponseData> => request(new URL(url), { ...options, signal: limit.signal })
    try {
      const reply = await limit.wait(ask().catch(retryOnce(ask)), answerTimeoutMs, () => this.#tooLate())
      if (reply.statusCode !== 200) throw await this.#refusal(reply, limit)
      const { 'content-type': contentType } = reply.headers
      return { contentType: String(contentType ?? '').toLowerCase(), body: this.#pieces(reply.body, maxBytes, limit) }
    } catch (error) {
      limit.end()
      throw limit.explain(error, (broken) => this.provider.outage(this.provider.unreachable(broken)))
    }
  }

  /** The whole of a short answer, as JSON. */
  async postForJson(wanted: ProviderRequest, signal: AbortSignal): Promise<unknown> {
    const { body } = await this.post(wanted, signal)
    const pieces: Uint8Array[] = []
    for await (const piece of body) pieces.push(piece)
    try {
      return JSON.parse(Buffer.concat(pieces).toString('utf8'))
    } catch {
      throw this.provider.fault('answers with something that is not JSON')
    }
  }

  #tooLate(): Error {
    return this.provider.outage(this.provider.fault(`did not answer within ${answerTimeoutMs} ms`))
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

  /** Time counts only while we wait for the provider, not while its sound is played. */
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

/** A connection that was kept may have been closed in the very moment in which it was used again. */
const retryOnce =
  <T>(ask: () => Promise<T>) =>
  (error: unknown): Promise<T> => {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE') return ask()
    throw error
  }
