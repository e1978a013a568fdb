import { promisify } from 'node:util'
import { gzip, type ZlibOptions } from 'node:zlib'
import { Agent, request } from 'undici'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Span, SpanAttributes } from '#core/kernel/trace/tracer.ts'
import { atMost, sleep, within } from '#core/kernel/work/waiting.ts'
import { boundedText } from '#core/kernel/network/bounded-text.ts'

export interface OtlpExporterDeps {
  clock: Clock
  url: string
  headers: Readonly<Record<string, string>>
  /** For one request. */
  timeoutMs: number
  compress: boolean
  resource: Resource
  /** The collector starts to reject spans or becomes unavailable. */
  onFailing: (why: string) => void
  /** The collector accepts spans again. */
  onRecovered: (dropped: number) => void
}

/** Milliseconds in which spans are collected for one request. */
const collectMs = 5_000
/** Maximum spans per request: serialising them blocks the event loop for about two milliseconds. */
const maxConcurrent = 256
/** Maximum waiting spans: about two megabytes. */
const maxQueued = 2_048
/** Attempts to send the same spans before they are given up. */
const maxAttempts = 5
const firstPauseMs = 1_000
const maxPauseMs = 30_000
/** Milliseconds that the service waits for the last spans when it stops. */
const lastWordsMs = 2_000
const maxAnswerLength = 65_536

const compressed = promisify<string, ZlibOptions, Buffer>(gzip)

/** Sends spans over OTLP/HTTP in batches, in the background. Undeliverable spans are counted and dropped. */
export class OtlpExporter {
  readonly #deps: OtlpExporterDeps
  readonly #agent = new Agent({ connections: 1, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 })
  /** Aborted to stop retries. */
  readonly #stopping = new AbortController()
  /** Aborted to stop waiting for answers. */
  readonly #closing = new AbortController()
  #waiting: Span[] = []
  /** Set while spans are being collected. */
  #cancelTimer: (() => void) | undefined
  #sending: Promise<void> | undefined
  /** Resolves when no request is pending: everything is sent, or the next attempt is later. */
  #asking = Promise.withResolvers<void>()
  #failing = false
  #sent = 0
  #dropped = 0

  constructor(deps: OtlpExporterDeps) {
    this.#deps = deps
  }

  /** Numbers of accepted and lost spans. */
  get counts(): { sent: number; dropped: number } {
    return { sent: this.#sent, dropped: this.#dropped }
  }

  put(span: Span): void {
    if (this.#waiting.length >= maxQueued || this.#stopping.signal.aborted) {
      this.#dropped++
      return
    }
    this.#waiting.push(span)
    if (this.#sending) return
    if (this.#waiting.length >= maxConcurrent) this.#send()
    else this.#cancelTimer ??= this.#deps.clock.after(collectMs, () => this.#send())
  }

  /** Resolves when no request is pending; does not wait for collected spans or for retries. */
  async idle(): Promise<void> {
    if (this.#sending) await this.#asking.promise
  }

  /** Sends the remaining spans, if that is quick. */
  async close(): Promise<void> {
    this.#stopping.abort()
    this.#send()
    await atMost(this.#deps.clock, lastWordsMs, this.#sending ?? Promise.resolve(), undefined)
    this.#closing.abort()
    await this.#sending
    await this.#agent.destroy()
  }

  #send(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    if (this.#waiting.length > 0) this.#sending ??= this.#sendAll()
  }

  async #sendAll(): Promise<void> {
    this.#asking = Promise.withResolvers()
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, maxConcurrent)
      const lost = await this.#deliver(batch)
      this.#sent += batch.length - lost
      this.#dropped += lost
    }
    this.#sending = undefined
    this.#asking.resolve()
  }

  /** Returns the number of lost spans. */
  async #deliver(batch: readonly Span[]): Promise<number> {
    const { clock, resource } = this.#deps
    const body = await this.#packed(otlpJson(resource, batch))
    for (let tries = 1; ; tries++) {
      const outcome = await this.#post(body)
      this.#note(outcome)
      if (outcome.taken) return Math.min(outcome.rejected, batch.length)
      if (!outcome.again || tries === maxAttempts || this.#stopping.signal.aborted) return batch.length
      this.#asking.resolve()
      await sleep(clock, outcome.pauseMs ?? Math.min(firstPauseMs * 2 ** (tries - 1), maxPauseMs), this.#stopping.signal)
      this.#asking = Promise.withResolvers()
    }
  }

  /** The fastest compression makes it a tenth longer than the best one. */
  #packed(json: string): Promise<Buffer> {
    return this.#deps.compress ? compressed(json, { level: 1 }) : Promise.resolve(Buffer.from(json))
  }

  async #post(body: Buffer): Promise<Outcome> {
    const { clock, timeoutMs } = this.#deps
    try {
      return await within(clock, timeoutMs, this.#closing.signal, (signal) => this.#exchange(body, signal))
    } catch (error) {
      return { taken: false, again: true, why: error instanceof Error ? (codeOf(error) ?? error.message) : 'unknown' }
    }
  }

  async #exchange(body: Buffer, signal: AbortSignal): Promise<Outcome> {
    const { clock, url, headers: own, compress } = this.#deps
    const headers = { ...own, 'content-type': 'application/json', ...(compress && { 'content-encoding': 'gzip' }) }
    const reply = await request(url, { dispatcher: this.#agent, method: 'POST', headers, body, signal })
    const {
      statusCode: status,
      headers: { 'retry-after': retryAfter },
    } = reply
    const text = await boundedText(reply.body, maxAnswerLength)
    return readAnswer({ status, retryAfter: retryAfter?.toString(), text }, clock.now())
  }

  /** Reported once, however often it is retried. */
  #note(outcome: Outcome): void {
    if (this.#closing.signal.aborted) return
    const { onFailing, onRecovered } = this.#deps
    if (!outcome.taken && !this.#failing) onFailing(outcome.why)
    if (outcome.taken && this.#failing) onRecovered(this.#dropped)
    this.#failing = !outcome.taken
  }
}

const codeOf = (error: Error): string | undefined => (error as NodeJS.ErrnoException).code

/** Common attributes of all spans of this process. */
interface Resource {
  attributes: SpanAttributes
  /** The program that made them. */
  scope: { name: string; version: string }
}

/** Constants of opentelemetry.proto.trace.v1. */
const kinds = { internal: 1, server: 2, client: 3 } as const
const failed = 2

/** Body of an OTLP/HTTP request: ExportTraceServiceRequest as JSON. */
const otlpJson = ({ attributes, scope }: Resource, spans: readonly Span[]): string =>
  JSON.stringify({
    resourceSpans: [{ resource: { attributes: pairs(attributes) }, scopeSpans: [{ scope, spans: spans.map(otlpSpan) }] }],
  })

const otlpSpan = ({ traceId, spanId, parentId, name, kind, startedAt, endedAt, attributes, events, error }: Span) => ({
  traceId,
  spanId,
  ...(parentId !== undefined && { parentSpanId: parentId }),
  name,
  kind: kinds[kind],
  startTimeUnixNano: nanoseconds(startedAt),
  endTimeUnixNano: nanoseconds(Math.max(startedAt, endedAt)),
  attributes: pairs(error === undefined ? attributes : { ...attributes, 'error.type': error }),
  ...(events && {
    events: events.map((event) => ({ name: event.name, timeUnixNano: nanoseconds(event.at), attributes: pairs(event.attributes ?? {}) })),
  }),
  ...(error !== undefined && { status: { code: failed, message: error } }),
})

/** Exceeds the precision of a number: written as a string, as the format requires. */
const nanoseconds = (ms: number): string => `${Math.round(ms * 1000)}000`

const pairs = (attributes: SpanAttributes): object[] =>
  Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : { key, value: otlpValue(value) }))

const otlpValue = (value: string | number | boolean | readonly string[]): object => {
  if (typeof value === 'object') return { arrayValue: { values: value.map(otlpValue) } }
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

/** Result of a request: a collector may accept it and still reject some of its spans. */
type Outcome = { taken: true; rejected: number } | { taken: false; why: string; again: boolean; pauseMs?: number }

interface OtlpAnswer {
  status: number
  retryAfter: string | undefined
  text: string
}

/** The retryable statuses of OTLP: others will not succeed later. */
const transient = [429, 502, 503, 504]
/** Maximum pause, even if a collector requests a longer one. */
const maxRestMs = 300_000

const readAnswer = ({ status, retryAfter, text }: OtlpAnswer, now: number): Outcome => {
  if (status >= 200 && status < 300) return { taken: true, rejected: rejectedIn(text) }
  const pauseMs = retryAfter === undefined ? undefined : restOf(retryAfter, now)
  return { taken: false, why: `HTTP ${status}`, again: transient.includes(status), ...(pauseMs !== undefined && { pauseMs }) }
}

/** `partialSuccess` of ExportTraceServiceResponse; its numbers may be strings. */
const rejectedIn = (text: string): number => {
  try {
    const { partialSuccess } = JSON.parse(text) as { partialSuccess?: { rejectedSpans?: unknown } }
    return Math.max(0, Number(partialSuccess?.rejectedSpans ?? 0) || 0)
  } catch {
    return 0 // the form of a success does not matter
  }
}

/** Seconds, or a date. */
const restOf = (retryAfter: string, now: number): number | undefined => {
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), maxRestMs)
}
