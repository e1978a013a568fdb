import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { createHash } from 'node:crypto'
import { Agent, request } from 'undici'
import { AwsV4Signer } from 'aws4fetch'
import { BlobsFailure } from '#core/kernel/ports/files.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { within } from '#core/kernel/work/waiting.ts'

export interface S3Options extends S3Keys {
  bucket: string
  /** Prefix of every key; ends with a slash, or is empty. */
  prefix: string
  /** Scheme and host of the store. */
  url: string
  /** `path`: host/bucket/key. `host`: bucket.host/key. */
  style: 'path' | 'host'
  /** Server-side encryption; undefined: decided by the bucket. */
  encryption: { algorithm: 'AES256' } | { algorithm: 'aws:kms'; keyId: string } | undefined
  /** For pauses between retries and for timeouts: the network's clock. */
  clock: Clock
  /** Time of signatures; the store compares it with its own. */
  wallTime?: () => number
  /** Name resolution, for tests. */
  lookup?: (host: string, options: object, done: (error: null, addresses: { address: string; family: number }[]) => void) => void
}

export interface S3Reply {
  status: number
  headers: S3Answer['headers']
  body: Readable
}

const tries = 4
const firstPauseMs = 100
/** Milliseconds for the head of a response, which a store sends after it has received the body. */
const answerTimeoutMs = 60_000
/** Milliseconds between two chunks of a body. */
const silenceMs = 30_000
const connectTimeoutMs = 10_000
const connections = 32

/** A refused connection will not be accepted a second later. */
const mayPass = ({ kind, cause }: BlobsFailure): boolean =>
  kind === 'away' && (cause as NodeJS.ErrnoException | undefined)?.code !== 'ECONNREFUSED'

/** Signed requests to one bucket; retries transient failures. */
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

  /** URL of a key, or of the bucket if it is empty. */
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

  /** Returns responses with one of these statuses, throws all others. The body must be read or destroyed. */
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

  /** Like `send`, for responses without a body. */
  async done(wanted: S3Request, ...expected: number[]): Promise<Omit<S3Reply, 'body'>> {
    const { body, ...reply } = await this.send(wanted, ...expected)
    for await (const _ of body);
    return reply
  }

  /** Returns the text of the response. */
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

interface S3Keys {
  key: string
  secret: string
  region: string
}

export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  url: string
  headers?: Record<string, string>
  body?: Uint8Array
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** In the format of Signature Version 4: `20130524T000000Z`. */
const stamp = (at: number): string => new Date(at).toISOString().replaceAll(/[:-]|\.\d{3}/g, '')

/** The headers to send. All given headers and the body are signed: the store rejects changes in transit. */
export const signedHeaders = async ({ key, secret, region }: S3Keys, request: S3Request, at: number): Promise<Record<string, string>> => {
  const { method, url, headers = {}, body = new Uint8Array() } = request
  const signer = new AwsV4Signer({
    accessKeyId: key,
    secretAccessKey: secret,
    region,
    service: 's3',
    method,
    url,
    headers: { ...headers, 'x-amz-content-sha256': sha256(body) },
    datetime: stamp(at),
    allHeaders: true,
  })
  return Object.fromEntries((await signer.sign()).headers)
}

/** A link that reads one file until it expires. */
export const signedLink = async ({ key, secret, region }: S3Keys, url: string, seconds: number, at: number): Promise<string> => {
  const expiring = new URL(url)
  expiring.searchParams.set('X-Amz-Expires', String(seconds))
  const signer = new AwsV4Signer({
    accessKeyId: key,
    secretAccessKey: secret,
    region,
    service: 's3',
    method: 'GET',
    url: expiring.href,
    datetime: stamp(at),
    signQuery: true,
  })
  return (await signer.sign()).url.href
}

/** Location of the files, for messages. */
interface S3Place {
  bucket: string
  region: string
  /** Scheme and host of the store. */
  origin: string
}

interface S3Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** Text of an error; HEAD has none. */
  text: string
}

export const elementOf = (xml: string, name: string): string | undefined =>
  new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]?.replaceAll('&quot;', '"').replaceAll('&amp;', '&')

/** Describes the failure in one sentence, with the setting to check. */
const failureOf = (place: S3Place, answer: S3Answer, now: number): BlobsFailure => {
  const { status, text } = answer
  const code = elementOf(text, 'Code') ?? ''
  if (status >= 500 && code !== 'NotImplemented') return new BlobsFailure('away', `The store ${place.origin} answers ${status} ${code}.`)
  const said = sentences[code]?.(place, answer, now) ?? withoutCode(place, status, code)
  return new BlobsFailure(code === 'SlowDown' ? 'away' : 'refused', said)
}

const sentences: Record<string, (place: S3Place, answer: S3Answer, now: number) => string> = {
  SignatureDoesNotMatch: ({ origin }) =>
    `The store ${origin} does not accept the signature: OFFHOOK_S3_SECRET does not belong to OFFHOOK_S3_KEY.`,
  InvalidAccessKeyId: ({ origin }) => `The store ${origin} does not know the key of OFFHOOK_S3_KEY.`,
  AccessDenied: ({ bucket }) =>
    `The key of OFFHOOK_S3_KEY may not read, write, list and delete in the bucket ${bucket}: its policy has to allow GetObject, PutObject, DeleteObject and ListBucket.`,
  NoSuchBucket: ({ bucket, origin }) => `There is no bucket ${bucket} at ${origin}: make it, or correct OFFHOOK_FILES.`,
  RequestTimeTooSkewed: (_, { headers }, now) => skew(String(headers['date'] ?? ''), now),
  AuthorizationHeaderMalformed: (place, { text }) => wrongRegion(place, elementOf(text, 'Region')),
  PermanentRedirect: (place, { text }) => wrongRegion(place, elementOf(text, 'Region')),
  NotImplemented: (_, { text }) => `The store cannot do what is asked: ${elementOf(text, 'Message') ?? ''} Look at OFFHOOK_S3_SSE.`,
  'KMS.NotFoundException': () => 'The store does not know the key that OFFHOOK_S3_SSE names.',
}

const wrongRegion = ({ bucket, region }: S3Place, right: string | undefined): string =>
  `The bucket ${bucket} is not in the region ${region}: set OFFHOOK_S3_REGION${right === undefined ? '' : ` to ${right}`}.`

const skew = (theirs: string, now: number): string => {
  const apart = Math.round((now - Date.parse(theirs)) / 1000)
  const known = Number.isNaN(apart) ? '' : ` by ${Math.abs(apart)} seconds`
  return `The clock of this machine and that of the store differ${known}: set it, best by NTP.`
}

const withoutCode = ({ bucket, origin }: S3Place, status: number, code: string): string =>
  status === 403
    ? `The store ${origin} refuses the key of OFFHOOK_S3_KEY, or what it wants in the bucket ${bucket}.`
    : `The store ${origin} answers ${status} ${code}.`

const networkWords: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'its name has no address',
  EAI_AGAIN: 'its name cannot be looked up',
  ECONNRESET: 'it ended the connection',
  UND_ERR_SOCKET: 'it ended the connection',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself; NODE_EXTRA_CA_CERTS can name it',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is from an unknown authority; NODE_EXTRA_CA_CERTS can name it',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is from an unknown authority; NODE_EXTRA_CA_CERTS can name it',
  CERT_HAS_EXPIRED: 'its certificate has expired',
}

/** No answer at all. */
const unreachable = ({ origin }: S3Place, error: unknown): BlobsFailure => {
  const { code = '', message } = error as NodeJS.ErrnoException
  return new BlobsFailure(
    'away',
    `The store ${origin} (OFFHOOK_S3_URL) cannot be reached: ${networkWords[code] ?? (code || message)}.`,
    error,
  )
}
