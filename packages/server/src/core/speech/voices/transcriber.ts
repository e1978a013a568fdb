import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Speech, SpeechProvider, Stt, SttOptions, SttStream, Transcript } from '#core/kernel/ports/speech.ts'
import type { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { providerNamed } from './providers.ts'
import { sleep } from '#core/kernel/work/sleep.ts'
import { within } from '#core/kernel/work/within.ts'

/** A recogniser that has not answered for this long has failed. */
const answerTimeoutMs = 8000
/** Pause before an overloaded recogniser is tried again; doubled before each further try. */
const retryDelayMs = 200
const maxFailures = 4

export interface TranscriberObserver {
  /** What was understood until now, from recognisers that listen all the time. */
  partial(text: string): void
  /** For the account: why another recogniser is used. */
  problem(message: string): void
  /** No recogniser is left. */
  lost(error: Error): void
}

interface Listening {
  provider: SpeechProvider
  stream: SttStream
}

/** Writes down what is said on a track: with the recogniser that is wanted, and when that fails with the embedded one. */
export class Transcriber {
  readonly #speech: Pick<Speech, 'stt'>
  readonly #clock: Clock
  readonly #track: SoundTrack
  readonly #observer: TranscriberObserver
  #options: SttOptions = { languages: [], vocabulary: [] }
  #listening: Listening | undefined
  /** In a row. */
  #failures = 0
  #emitsPartials = false
  #lost = false
  #closed = false

  constructor(parts: { speech: Pick<Speech, 'stt'>; clock: Clock }, track: SoundTrack, observer: TranscriberObserver) {
    this.#speech = parts.speech
    this.#clock = parts.clock
    this.#track = track
    this.#observer = observer
  }

  /** Who listens. */
  get provider(): string | undefined {
    return this.#listening?.provider
  }

  /** It says by itself what it understood; asking it in between is not needed. */
  get emitsPartials(): boolean {
    return this.#emitsPartials
  }

  /** Listens with the first of these that can. That none can is reported only when the caller speaks. */
  listen(wanted: readonly string[], options: SttOptions): void {
    this.#options = options
    this.#failures = 0
    for (const name of new Set([...wanted, 'embedded'])) if (this.#openedOrTold(name)) return
    // No recogniser knows the language: perhaps something is understood all the same.
    this.#options = { ...options, languages: [] }
    if (!this.#speech.stt('embedded') || !this.#openedOrTold('embedded')) this.#stop()
  }

  /** Of several languages this one is spoken. Providers that listen all the time find out themselves, and their connection stays. */
  keepTo(language: string): void {
    if (this.#listening?.provider !== 'embedded' || this.#options.languages.length < 2) return
    this.#options = { ...this.#options, languages: [language] }
    this.#openedOrTold('embedded')
  }

  /** Rejects when it was aborted, or when no recogniser is left; the observer was told of the latter already. */
  async transcribe(from: number, to: number, signal: AbortSignal): Promise<Transcript> {
    for (;;) {
      const listening = this.#listening
      if (!listening) throw this.#lose(new Error('there is no recogniser'))
      try {
        const transcript = await this.#ask(listening, from, to, signal)
        this.#failures = 0
        return transcript
      } catch (error) {
        signal.throwIfAborted()
        this.#failed(listening, error instanceof Error ? error : new Error(String(error)))
        await sleep(this.#clock, retryDelayMs * 2 ** (this.#failures - 1), signal)
        signal.throwIfAborted()
      }
    }
  }

  /** While the caller still speaks: without words when it cannot be known now. */
  async guess(from: number, to: number, signal: AbortSignal): Promise<Transcript> {
    const listening = this.#listening
    return listening ? this.#ask(listening, from, to, signal).catch(() => ({ text: '' })) : { text: '' }
  }

  /** It can be looked at what is said without anybody waiting for it, and without a price. */
  get glances(): boolean {
    return this.#listening?.stream.glance !== undefined
  }

  /** While the caller still speaks: without words when it cannot be known now, or others wait for the recogniser. */
  async glance(from: number, to: number, signal: AbortSignal): Promise<Transcript> {
    const { stream } = this.#listening ?? {}
    const seen = within(this.#clock, answerTimeoutMs, signal, async (stop) => stream?.glance?.(from, to, stop))
    return (await seen.catch(() => undefined)) ?? { text: '' }
  }

  close(): void {
    this.#closed = true
    this.#stop()
  }

  #ask({ stream }: Listening, from: number, to: number, signal: AbortSignal): Promise<Transcript> {
    return within(this.#clock, answerTimeoutMs, signal, (stop) => stream.transcribe(from, to, stop))
  }

  #openedOrTold(name: string): boolean {
    const problem = this.#tryToOpen(name)
    if (problem !== undefined) this.#observer.problem(problem)
    return problem === undefined
  }

  /** Gives why not. */
  #tryToOpen(name: string): string | undefined {
    const provider = providerNamed(name)
    const stt = provider && this.#speech.stt(provider)
    if (!provider) return `stt.provider: "${name}" is not known`
    if (!stt) return `stt.provider: "${name}" is not set up here`
    const [language] = this.#options.languages
    if (provider !== 'embedded' && language !== undefined && !stt.hears(language)) return `stt: "${name}" does not understand "${language}"`
    try {
      this.#open(provider, stt)
      return undefined
    } catch (error) {
      return `stt: "${name}" failed (${error instanceof Error ? error.message : 'unknown'})`
    }
  }

  #open(provider: SpeechProvider, stt: Stt): void {
    this.#stop()
    const ours = (): boolean => this.#listening === listening && !this.#closed
    const stream = stt.open(this.#track, this.#options, {
      partial: (text) => {
        if (!ours()) return
        this.#emitsPartials = true
        this.#observer.partial(text)
      },
      failed: (error) => this.#failed(listening, error),
    })
    const listening: Listening = { provider, stream }
    this.#listening = listening
  }

  /** A recogniser that fails is replaced by the embedded one, that one is opened anew; too often without a word is the end. */
  #failed(listening: Listening, error: Error): void {
    if (this.#listening !== listening || this.#closed) return
    this.#observer.problem(`stt: "${listening.provider}" failed (${error.message})`)
    this.#failures += 1
    const problem = this.#failures === maxFailures ? error.message : this.#tryToOpen('embedded')
    if (problem !== undefined) this.#lose(new Error(`nobody can understand the caller: ${problem}`))
  }

  #lose(error: Error): Error {
    this.#stop()
    if (!this.#lost && !this.#closed) this.#observer.lost(error)
    this.#lost = true
    return error
  }

  #stop(): void {
    this.#emitsPartials = false
    const { stream } = this.#listening ?? {}
    this.#listening = undefined
    stream?.close()
  }
}
