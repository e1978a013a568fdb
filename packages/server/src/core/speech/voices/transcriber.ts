import type { Clock } from '#core/kernel/ports/platform.ts'
import type { ExpectedAnswer, Speech, SpeechProvider, Stt, SttOptions, SttStream, Transcript } from '#core/kernel/ports/speech.ts'
import type { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { providerNamed } from './voices.ts'
import { sleep, within } from '#core/kernel/work/waiting.ts'

/** Timeout of a recogniser in milliseconds. */
const answerTimeoutMs = 8000
/** Delay before an overloaded recogniser is retried; doubled before each further try. */
const retryDelayMs = 200
const maxFailures = 4

interface TranscriberObserver {
  /** Partial transcript of streaming recognisers. */
  partial(text: string): void
  /** For the account: reason for using another recogniser. */
  problem(message: string): void
  /** No recogniser is left. */
  lost(error: Error): void
}

interface Listening {
  provider: SpeechProvider
  stream: SttStream
}

/** Transcribes a track with the requested recogniser, and with the embedded one if that fails. */
export class Transcriber {
  readonly #speech: Pick<Speech, 'stt'>
  readonly #clock: Clock
  readonly #track: SoundTrack
  readonly #observer: TranscriberObserver
  #options: SttOptions = { languages: [], vocabulary: [] }
  #listening: Listening | undefined
  /** Consecutive failures. */
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

  /** Provider of the current recogniser. */
  get provider(): string | undefined {
    return this.#listening?.provider
  }

  /** The recogniser emits partials itself; polling it is unnecessary. */
  get emitsPartials(): boolean {
    return this.#emitsPartials
  }

  /** Opens the first usable one. The lack of any is reported only when the caller speaks. */
  listen(wanted: readonly string[], options: SttOptions): void {
    this.#options = options
    this.#failures = 0
    for (const name of new Set([...wanted, 'embedded'])) if (this.#openedOrTold(name)) return
    // No recogniser supports the language: some speech may be recognised anyway.
    this.#options = { ...options, languages: [] }
    if (!this.#speech.stt('embedded') || !this.#openedOrTold('embedded')) this.#stop()
  }

  /** Restricts recognition to the spoken one of several languages. Streaming providers detect it themselves, and their connection stays. */
  keepTo(language: string): void {
    if (this.#listening?.provider !== 'embedded' || this.#options.languages.length < 2) return
    this.#options = { ...this.#options, languages: [language] }
    this.#openedOrTold('embedded')
  }

  /** Rejects if aborted, or if no recogniser is left, which the observer already knows. */
  async transcribe(from: number, to: number, signal: AbortSignal, expected?: ExpectedAnswer): Promise<Transcript> {
    for (;;) {
      const listening = this.#listening
      if (!listening) throw this.#lose(new Error('there is no recogniser'))
      try {
        const transcript = await this.#ask(listening, from, to, signal, expected)
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

  /** Transcript while the caller is still speaking; empty if unavailable now. */
  async guess(from: number, to: number, signal: AbortSignal): Promise<Transcript> {
    const listening = this.#listening
    return listening ? this.#ask(listening, from, to, signal).catch(() => ({ text: '' })) : { text: '' }
  }

  /** The recogniser supports partials without delaying others and without a charge. */
  get glances(): boolean {
    return this.#listening?.stream.glance !== undefined
  }

  /** Transcript while the caller is still speaking; empty if unavailable now or if others wait for the recogniser. */
  async glance(from: number, to: number, signal: AbortSignal): Promise<Transcript> {
    const { stream } = this.#listening ?? {}
    const seen = within(this.#clock, answerTimeoutMs, signal, async (stop) => stream?.glance?.(from, to, stop))
    return (await seen.catch(() => undefined)) ?? { text: '' }
  }

  close(): void {
    this.#closed = true
    this.#stop()
  }

  #ask({ stream }: Listening, from: number, to: number, signal: AbortSignal, expected?: ExpectedAnswer): Promise<Transcript> {
    return within(this.#clock, answerTimeoutMs, signal, (stop) => stream.transcribe(from, to, stop, expected))
  }

  #openedOrTold(name: string): boolean {
    const problem = this.#tryToOpen(name)
    if (problem !== undefined) this.#observer.problem(problem)
    return problem === undefined
  }

  /** Returns the reason for a failure. */
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

  /** Replaces a failed recogniser with the embedded one, and reopens that one; gives up after too many consecutive failures. */
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
