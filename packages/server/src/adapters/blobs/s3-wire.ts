import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { Agent, request } from 'undici'
import { BlobsFailure } from '#core/kernel/ports/blobs.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import { within } from '#core/kernel/work/within.ts'
import { failureOf, unreachable, type S3Answer, type S3Place } from './s3-failure.ts'
import { signedHeaders, signedLink, type S3Keys, type S3Request } from './s3-signature.ts'

export interface S3Options extends S3Keys {
  bucket: string
  /** Before every key; with a slash at its end, or empty. */
  prefix: string
  /** Scheme and host of the store. */
  url: string
  /** `path`: host/bucket/key. `host`: bucket.host/key. */
  style: 'path' | 'host'
  /** Server-side encryption: undefined leaves it to the bucket. */
  encryption: { algorithm: 'AES256' } | { algorithm: 'aws:kms'; keyId: string } | undefined
  /** For pauses between tries and for answers that do not come: that of the network. */
  clock: Clock
  /** What signatures are dated with; the store compares it with its own. */
  wallTime?: () => number
  /** How names become addresses, for tests. */
  lookup?: (host: string, options: object, done: (error: null, addresses: { address: string; family: number }[]) => void) => void
}

export interface S3Reply {
  status: number
  headers: S3Answer['headers']
  body: Readable
}

const tries = 4
const firstPauseMs = 100
/** For the head of an answer, which a store gives when it has taken the body. */
const answerTimeoutMs = 60_000
/** Between two pieces of a body. */
const silenceMs = 30_000
const connectTimeoutMs = 10_000
const connections = 32

/** Where nothing listens, nothing will in a second. */
const mayPass = ({ kind, cause }: BlobsFailure): boolean =>
  kind === 'away' && (cause as NodeJS.ErrnoException | undefined)?.code !== 'ECONNREFUSED'

/** Signed requests to one bucket; what may pass by itself is tried again. */
export class S3Wire {
  readonly options: S3Options
  readonly #place: S3Place
  readonly #agent: Agent
  readonly #closing = new AbortController()

  constructor(options: S3Options) {
    this.options = options
    const { bucket, region, url } = options
    this.#place = { bucket, region, origin: new URL(url).origin }
    const connect = { timeout: connectTimeoutMs, ...(options.lookup && { lookup: options.lookup as never }) }
    this.#agent = new Agent({ connect, connections, allowH2: false, headersTimeout: 0, bodyTimeout: silenceMs })
  }

  /** Of a key, or of the bucket when it is empty. */
  urlOf(key: string, query: Record<string, string> = {}): string {
    const { bucket, prefix, url, style } = this.options
    const base = new URL(url)
    if (style === 'host') base.hostname = `${bucket}.${base.hostname}`
    const path = key === '' ? '' : prefix + key
    base.pathname = (style === 'host' ? `/${path}` : `/${bucket}/${path}`).replace(/(.)\/$/, '$1')
    base.search = new URLSearchParams(query).toString()
    return base.href
  }

  link(key: string, seconds: number): Promise<string> {
    return signedLink(this.options, this.urlOf(key), seconds, this.#now())
  }

  /** Answers with one of these statuses are given back, all others thrown. The body has to be read or destroyed. */
  async send(wanted: S3Request, ...expected: number[]): Promise<S3Reply> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#once(wanted, expected)
      } catch (error) {
        const failure = error instanceof BlobsFailure ? error : unreachable(this.#place, error)
        if (attempt === tries || !mayPass(failure) || this.#closing.signal.aborted) throw failure
        await this.#pause(firstPauseMs * 3 ** (attempt - 1))
      }
    }
  }

  /** As `send`, for answers whose body says nothing. */
  async done(wanted: S3Request, ...expected: number[]): Promise<Omit<S3Reply, 'body'>> {
    const { body, ...reply } = await this.send(wanted, ...expected)
    for await (const _ of body);
    return reply
  }

  /** The text of the answer. */
  async ask(wanted: S3Request): Promise<string> {
    const { body } = await this.send(wanted, 200, 204)
    return text(body)
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the service ends'))
    await this.#agent.destroy()
  }

  async #once(wanted: S3Request, expected: number[]): Promise<S3Reply> {
    const { method, url, body } = wanted
    const headers = await signedHeaders(this.options, wanted, this.#now())
    const options = { method, headers, dispatcher: this.#agent, ...(body && { body }) }
    const { clock } = this.options
    const reply = await within(clock, answerTimeoutMs, this.#closing.signal, (signal) => request(url, { ...options, signal }))
    if (expected.includes(reply.statusCode)) return { status: reply.statusCode, headers: reply.headers, body: reply.body }
    const answer = { status: reply.statusCode, headers: reply.headers, text: method === 'HEAD' ? '' : await reply.body.text() }
    if (method === 'HEAD') await reply.body.dump()
    throw failureOf(this.#place, answer, this.#now())
  }

  #now(): number {
    return (this.options.wallTime ?? Date.now)()
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.options.clock.after(ms, resolve)
      this.#closing.signal.addEventListener('abort', () => (cancel(), resolve()), { once: true })
    })
  }
}
