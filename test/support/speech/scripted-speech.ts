import type { Clock } from '#core/kernel/ports/platform.ts'
import type { VadStream, Speech, Stt, SttStream, Transcript, Tts, Utterance, Vad, VadObserver } from '#core/kernel/ports/speech.ts'
import type { LegSound } from '#core/kernel/ports/audio.ts'
import { samplesPerMs, SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { Outside } from '../chance/outside.ts'

/** Detection delay in milliseconds. */
const detectionMs = 60
const millisecondsPerCharacter = 40
const chunkSamples = 2_000

/** Caller who speaks on the test's command; without sound. */
export class ScriptedCaller implements VadStream {
  readonly track = SoundTrack.of(30)
  closed = false
  readonly #clock: Clock
  readonly #sound: LegSound
  readonly #observer: VadObserver
  readonly #since: number
  readonly #utterances: { text: string; at: number }[] = []
  #speaks = false
  #cancel: () => void = () => {}

  constructor(clock: Clock, sound: LegSound, observer: VadObserver) {
    this.#clock = clock
    this.#sound = sound
    this.#observer = observer
    this.#since = clock.now()
  }

  /** Speaks for `ms`. Without words it is a noise like a voice. */
  says(text: string, ms = 200 + 40 * text.length): void {
    if (this.closed || this.#speaks) return
    const from = this.#place()
    this.#speaks = true
    this.#utterances.push({ text, at: from + (ms * samplesPerMs) / 2 })
    this.#later(detectionMs, () => {
      this.#place()
      this.#observer.started(from)
      this.#later(ms, () => this.#stop(from + ms * samplesPerMs))
    })
  }

  loses(): void {
    if (!this.closed) this.#observer.lost()
  }

  between(from: number, to: number): string {
    const spoken = this.#utterances.filter(({ at }) => at >= from && at < to)
    return spoken.map(({ text }) => text).join(' ')
  }

  close(): void {
    this.closed = true
    this.#cancel()
    this.#sound.close()
  }

  #stop(to: number): void {
    this.#place()
    this.#speaks = false
    this.#observer.stopped(to)
  }

  /** Position on the track, which follows the clock. */
  #place(): number {
    const missing = (this.#clock.now() - this.#since) * samplesPerMs - this.track.length
    if (missing > 0) this.track.write(new Int16Array(missing))
    return this.track.length
  }

  #later(ms: number, task: () => void): void {
    this.#cancel = this.#clock.after(ms, () => this.closed || task())
  }
}

/** Scripted speech: recognises callers verbatim, synthesis takes time, and everything can fail. */
export class ScriptedSpeech implements Speech {
  readonly callers: ScriptedCaller[] = []
  readonly vad: Vad
  recognitionMs = 40
  readonly #clock: Clock
  readonly #outside: Outside

  constructor(clock: Clock, outside = new Outside()) {
    this.#clock = clock
    this.#outside = outside
    this.vad = {
      listen: (sound, observer) => {
        outside.step('vad.listen')
        const caller = new ScriptedCaller(clock, sound, observer)
        this.callers.push(caller)
        return caller
      },
    }
  }

  async prepare(): Promise<void> {}

  stt(provider: string): Stt | undefined {
    if (provider !== 'embedded') return undefined
    return { name: 'scripted', hears: () => true, open: (track) => this.#listenTo(track) }
  }

  tts(provider: string): Tts | undefined {
    if (provider !== 'embedded') return undefined
    const synthesize = (utterance: Utterance, signal: AbortSignal): AsyncIterable<Int16Array> => this.#speak(utterance, signal)
    return { name: 'scripted', rate: 8000, ssml: false, speaks: () => true, synthesize }
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  #listenTo(track: SoundTrack): SttStream {
    this.#outside.step('stt.open')
    const caller = this.callers.find((one) => one.track === track)
    const transcribe = async (from: number, to: number, signal: AbortSignal): Promise<Transcript> => {
      this.#outside.step('stt.transcribe')
      await this.#pause(this.recognitionMs, signal)
      signal.throwIfAborted()
      return { text: caller?.between(from, to) ?? '' }
    }
    return { transcribe, close: () => {} }
  }

  async *#speak({ text }: Utterance, signal: AbortSignal): AsyncGenerator<Int16Array> {
    const samples = text.length * millisecondsPerCharacter * samplesPerMs
    for (let at = 0; at < samples && !signal.aborted; at += chunkSamples) {
      await this.#pause(10, signal)
      this.#outside.step('tts.synthesize')
      yield new Int16Array(Math.min(chunkSamples, samples - at))
    }
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = this.#clock.after(ms, resolve)
    const stop = (): void => resolve()
    signal.addEventListener('abort', stop)
    return promise.finally(() => {
      cancel()
      signal.removeEventListener('abort', stop)
    })
  }
}
