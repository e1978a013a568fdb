import { promisify } from 'node:util'
import { gzip, type ZlibOptions } from 'node:zlib'
import { Agent, request } from 'undici'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Span } from '#core/kernel/trace/tracer.ts'
import { atMost } from '#core/kernel/work/at-most.ts'
import { sleep } from '#core/kernel/work/sleep.ts'
import { within } from '#core/kernel/work/within.ts'
import { otlpJson, type Resource } from './otlp-json.ts'
import { readAnswer, type Outcome } from './otlp-answer.ts'

export interface OtlpExporterDeps {
  clock: Clock
  url: string
  headers: Readonly<Record<string, string>>
  /** For one request. */
  timeoutMs: number
  compress: boolean
  resource: Resource
  /** The collector begins to refuse or to be away … */
  onFailing: (why: string) => void
  /** … and takes spans again. */
  onRecovered: (dropped: number) => void
}

/** How long spans are collected for one request … */
const collectMs = 5_000
/** … and how many at most: while they are written down nothing else happens, for about two milliseconds. */
const maxConcurrent = 256
/** More do not wait: two megabytes or so. */
const maxQueued = 2_048
/** How often the same spans are sent before they are given up. */
const maxAttempts = 5
const firstPauseMs = 1_000
const maxPauseMs = 30_000
/** How long the service waits for the last spans when it stops. */
const lastWordsMs = 2_000
const maxAnswerLength = 65_536

const compressed = promisify<string, ZlibOptions, Buffer>(gzip)

/** Sends spans over OTLP/HTTP, many at once and behind the back of whoever tells them. What nobody takes is counted and forgotten. */
export class OtlpExporter {
  readonly #deps: OtlpExporterDeps
  readonly #agent = new Agent({ connections: 1, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 })
  /** Nothing is tried again any more … */
  readonly #stopping = new AbortController()
  /** … and no answer is waited for. */
  readonly #closing = new AbortController()
  #waiting: Span[] = []
  /** Spans are being collected. */
  #cancelTimer: (() => void) | undefined
  #sending: Promise<void> | undefined
  /** Resolves when the collector is not being asked any more: everything is sent, or the next try is later. */
  #asking = Promise.withResolvers<void>()
  #failing = false
  #sent = 0
  #dropped = 0

  constructor(deps: OtlpExporterDeps) {
    this.#deps = deps
  }

  /** How many spans the collector took, and how many are lost. */
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

  /** Resolves when no request is under way; what is collected, or waits for another try, is not waited for. */
  async idle(): Promise<void> {
    if (this.#sending) await this.#asking.promise
  }

  /** What is left is sent, if that is quick. */
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

  /** Gives how many of them are lost. */
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

  /** The fastest way makes it a tenth longer than the best one. */
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
    const text = await boundedText(reply.body)
    return readAnswer({ status, retryAfter: retryAfter?.toString(), text }, clock.now())
  }

  /** Said once, however often it is tried. */
  #note(outcome: Outcome): void {
    if (this.#closing.signal.aborted) return
    const { onFailing, onRecovered } = this.#deps
    if (!outcome.taken && !this.#failing) onFailing(outcome.why)
    if (outcome.taken && this.#failing) onRecovered(this.#dropped)
    this.#failing = !outcome.taken
  }
}

/** Leaving the loop early destroys the stream and with it the connection. */
const boundedText = async (body: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxAnswerLength) break
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

const codeOf = (error: Error): string | undefined => (error as NodeJS.ErrnoException).code
