import type { Clock } from '#core/kernel/ports/platform.ts'
import { SpeechUnavailable, type Stt, type SttOptions, type Transcript } from '#core/kernel/ports/speech.ts'
import { resampleSound } from '#media/codec/resample.ts'
import { wavFile } from '#media/sound/wav.ts'
import { stoppableWait } from '#core/kernel/work/waiting.ts'

/** Milliseconds without requests after a provider was unreachable or rejected a request: otherwise each sentence would wait for it. */
const defaultRestMs = 10_000
const maxRestMs = 60_000

/** The provider works but rejects this request, perhaps because of the voice or the model. */
export class Refusal extends SpeechUnavailable {}

/** A provider's state and errors. Errors have its name, never its key, its address or the spoken text. */
export class Provider {
  readonly name: string
  readonly clock: Clock
  readonly #restMs: number
  #restUntil = 0
  #why: SpeechUnavailable | undefined

  constructor(name: string, clock: Clock, restMs = defaultRestMs) {
    this.name = name
    this.clock = clock
    this.#restMs = restMs
  }

  /** Requests fail without being sent. */
  get resting(): boolean {
    return this.#why !== undefined && this.clock.elapsed() < this.#restUntil
  }

  /** Throws while the provider is resting. */
  awake(): void {
    if (this.#why && this.resting) throw new SpeechUnavailable(`${this.#why.message}; it will be asked again in a moment`)
  }

  /** A fault of a single request. */
  fault(why: string, cause?: unknown): SpeechUnavailable {
    return new SpeechUnavailable(`${this.name} ${why}`, cause === undefined ? {} : { cause })
  }

  /** A fault that will affect the next sentence too. */
  outage(fault: SpeechUnavailable, ms = this.#restMs): SpeechUnavailable {
    this.#why = fault
    this.#restUntil = this.clock.elapsed() + Math.min(ms, maxRestMs)
    return fault
  }

  /** For an unexpected status. `detail` is the provider's error code, such as `model_not_found`. */
  refusal(
    status: number,
    { detail, retryAfter }: { detail?: string | undefined; retryAfter?: string | undefined } = {},
  ): SpeechUnavailable {
    const why = `${meaning(status)} (${status}${detail === undefined ? '' : `, ${detail}`})`
    if (status === 429) return this.outage(this.fault(why), restAfter(retryAfter))
    if (status === 401 || status === 402 || status === 403) return this.outage(this.fault(why))
    return status >= 400 && status < 500 ? new Refusal(`${this.name} ${why}`) : this.fault(why)
  }

  /** For a failed connection. */
  unreachable(error: unknown): SpeechUnavailable {
    return this.fault(`cannot be reached (${errorCode(error)})`, error)
  }
}

const meaning = (status: number): string => {
  if (status === 401) return 'does not accept the key'
  if (status === 402) return 'wants to be paid first'
  if (status === 403) return 'does not allow this to the key'
  if (status === 404) return 'does not know the model, the voice or the address'
  if (status === 429) return 'has had too many requests'
  if (status >= 500) return 'has a fault of its own'
  if (status >= 300 && status < 400) return 'points to another address, which is not followed'
  return status < 300 ? 'answers in an unexpected way' : 'does not accept the request'
}

const restAfter = (retryAfter: string | undefined): number =>
  retryAfter !== undefined && /^\d{1,4}$/.test(retryAfter) ? Math.max(1, Number(retryAfter)) * 1000 : defaultRestMs

const errorCode = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : 'no connection'
}

/**
 * The error code in a provider's error document, if there is one: only letters and underscores, so that neither a key nor a sentence can
 * match.
 */
export const faultWord = (text: string): string | undefined => {
  const candidates = (value: unknown, depth: number): string[] => {
    if (typeof value !== 'object' || value === null || depth > 2) return []
    const fields = value as Record<string, unknown>
    const own = ['code', 'status', 'err_code', 'type'].map((name) => fields[name]).filter((word) => typeof word === 'string')
    return [...own, ...candidates(fields['error'], depth + 1), ...candidates(fields['detail'], depth + 1)]
  }
  try {
    return candidates(JSON.parse(text), 0).find((word) => /^[A-Za-z_]{3,60}$/.test(word))
  } catch {
    return undefined
  }
}

/** The rate that servers with a single rate accept. */
const askedRate = 16_000

interface UtteranceStt {
  name: string
  hears: (language: string) => boolean
  /** `wav`: mono, 16 bit, 16 kHz. */
  ask: (wav: Uint8Array, options: SttOptions, signal: AbortSignal) => Promise<Transcript>
}

/** A recogniser that gets each finished utterance as a file. */
export const utteranceStt = ({ name, hears, ask }: UtteranceStt): Stt => ({
  name,
  hears,
  open(track, options) {
    const closed = new AbortController()
    return {
      async transcribe(from, to, signal) {
        const either = AbortSignal.any([signal, closed.signal])
        await stoppableWait(track.reaches(to), either)
        const samples = track.read(from, to)
        if (samples.length === 0) return { text: '' }
        return ask(wavFile(resampleSound(samples, 8000, askedRate), askedRate), options, either)
      },
      close: () => closed.abort(new Error('Closed')),
    }
  },
})
