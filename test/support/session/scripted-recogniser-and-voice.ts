import type {
  SpokenWord,
  Stt,
  SttObserver,
  SttOptions,
  SttStream,
  Transcript,
  Tts,
  Utterance,
  Vad,
  VadObserver,
  ExpectedAnswer,
} from '#core/kernel/ports/speech.ts'
import { samplesPerMs, SoundTrack } from '#core/kernel/sound/sound-track.ts'
import type { VirtualClock } from '../clock/virtual-clock.ts'

const stepMs = 10
/** Detection delay in milliseconds. */
const detectionMs = { started: 60, stopped: 40 }

/** Maximum counter value: samples have 16 bits. */
export const countsTo = 30_000

interface Word {
  text: string
  from: number
  to: number
}

/** VAD whose caller follows the test's script, in the time of its clock. */
export class ScriptedVad implements Vad {
  readonly track = SoundTrack.of(30)
  observer: VadObserver | undefined
  open = 0
  /** Additional delay of detections in milliseconds, as on a busy machine. */
  tellsLaterMs = 0
  /** Caller's words with their position. */
  readonly words: Word[] = []
  readonly #clock: VirtualClock

  constructor(clock: VirtualClock) {
    this.#clock = clock
  }

  listen(sound: { close(): void }, observer: VadObserver): { track: SoundTrack; close: () => void } {
    this.observer = observer
    this.open += 1
    return {
      track: this.track,
      close: () => {
        this.open -= 1
        sound.close()
      },
    }
  }

  /** Advances time in silence. */
  async silent(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) {
      this.track.write(new Int16Array(stepMs * samplesPerMs))
      await this.#clock.advance(stepMs)
    }
  }

  /** The caller speaks for `ms`; empty `text`: a noise like a voice. */
  async speaks(text: string, ms = Math.max(200, text.length * 60)): Promise<void> {
    const from = this.track.length
    this.#clock.after(detectionMs.started, () => this.track.voiceBegan(from))
    this.#clock.after(detectionMs.started + this.tellsLaterMs, () => this.observer?.started(from))
    this.#place(text, from, ms)
    await this.silent(ms)
    const to = this.track.length
    this.#clock.after(detectionMs.stopped + this.tellsLaterMs, () => this.observer?.stopped(to))
  }

  /** Words that lie mostly between two positions, as far as they are still on the track. */
  heardBetween(from: number, to: number): string {
    const kept = Math.min(to, this.track.length) - this.track.read(from, to).length
    return this.words
      .filter((word) => (word.from + word.to) / 2 >= kept && (word.from + word.to) / 2 < to)
      .map(({ text }) => text)
      .join(' ')
  }

  timesBetween(from: number, to: number): SpokenWord[] {
    const heard = this.words.filter((word) => word.from >= from && word.to <= to)
    return heard.map((word) => ({ text: word.text, startMs: (word.from - from) / samplesPerMs, endMs: (word.to - from) / samplesPerMs }))
  }

  #place(text: string, from: number, ms: number): void {
    const words = text.split(' ').filter((word) => word !== '')
    const each = (ms * samplesPerMs) / words.length
    for (const [index, word] of words.entries()) this.words.push({ text: word, from: from + index * each, to: from + (index + 1) * each })
  }
}

/** Recognises the scripted caller's words after a delay. */
export class ScriptedStt implements Stt {
  readonly name = 'scripted'
  answersAfterMs = 30
  confidence = 0.9
  snrDb: number | undefined
  /** Number of requests that fail. */
  failures = 0
  /** Text that it does not recognise when nothing else is said. */
  deafTo = ''
  languages: readonly string[] = ['en', 'de']
  /** Detected language of callers. */
  language = 'en'
  /** Expected words of each request. */
  readonly expected: (readonly string[])[] = []
  readonly expectedAnswers: (ExpectedAnswer | undefined)[] = []
  /** Answered requests. */
  readonly asked: { from: number; to: number; text: string }[] = []
  /** Partial transcripts. */
  readonly glances: { text: string }[] = []
  /** Other requests are waiting. */
  busy = false
  timesWords = false
  readonly observers: SttObserver[] = []
  streams = 0
  pending = 0
  readonly #ear: ScriptedVad
  readonly #clock: VirtualClock

  constructor(ear: ScriptedVad, clock: VirtualClock) {
    this.#ear = ear
    this.#clock = clock
  }

  hears(language: string): boolean {
    return this.languages.includes(language.slice(0, 2))
  }

  open(_track: SoundTrack, { languages }: SttOptions, observer: SttObserver): SttStream {
    this.expected.push(languages)
    this.streams += 1
    this.observers.push(observer)
    return {
      transcribe: (from, to, signal, answer) => {
        this.expectedAnswers.push(answer)
        return this.#transcribe(from, to, signal)
      },
      glance: async (from, to) => {
        if (this.busy) return undefined
        const text = this.#ear.heardBetween(from, to)
        this.glances.push({ text })
        return { text }
      },
      close: () => void (this.streams -= 1),
    }
  }

  #transcribe(from: number, to: number, signal: AbortSignal): Promise<Transcript> {
    const { promise, resolve, reject } = Promise.withResolvers<Transcript>()
    this.pending += 1
    const cancel = this.#clock.after(this.answersAfterMs, () => {
      if (this.failures > 0) {
        this.failures -= 1
        return reject(new Error('out of order'))
      }
      const said = this.#ear.heardBetween(from, to)
      const text = said === this.deafTo ? '' : said
      this.asked.push({ from, to, text })
      const words = this.timesWords && { words: this.#ear.timesBetween(from, to) }
      const level = this.snrDb !== undefined && { snrDb: this.snrDb }
      resolve({ text, confidence: this.confidence, language: this.language, ...level, ...words })
    })
    signal.addEventListener('abort', () => {
      cancel()
      reject(signal.reason)
    })
    return promise.finally(() => (this.pending -= 1))
  }
}

/** Speaks in samples that count up, so that each is identifiable. */
export class ScriptedTts implements Tts {
  readonly name: string
  readonly rate: 8000 | 16000
  readonly ssml: boolean
  /** If set, its sound is always the same. */
  known: string | undefined
  languages: readonly string[] = ['en', 'de']
  msPerCharacter = 50
  /** Milliseconds until the first sound, and between chunks. */
  firstMs = 100
  /** Fails after this many chunks of an utterance. */
  failsAfter = Infinity
  readonly said: Utterance[] = []
  running = 0
  #count = 0
  readonly #clock: VirtualClock

  constructor(clock: VirtualClock, { name = 'scripted', rate = 8000, ssml = false }: Partial<Pick<Tts, 'name' | 'rate' | 'ssml'>> = {}) {
    this.#clock = clock
    this.name = name
    this.rate = rate
    this.ssml = ssml
  }

  version(): string | undefined {
    return this.known
  }

  speaks(language: string): boolean {
    return this.languages.includes(language.slice(0, 2))
  }

  async *synthesize(utterance: Utterance, signal: AbortSignal): AsyncGenerator<Int16Array> {
    this.said.push(utterance)
    this.running += 1
    try {
      await this.#wait(this.firstMs, signal)
      const samples = (utterance.text.length * this.msPerCharacter * this.rate) / 1000
      const piece = this.rate / 4
      for (let at = 0, pieces = 0; at < samples; at += piece, pieces++) {
        if (pieces >= this.failsAfter) throw new Error('out of order')
        if (signal.aborted) return
        yield Int16Array.from({ length: Math.min(piece, samples - at) }, () => (this.#count++ % countsTo) + 1)
        await this.#wait(10, signal)
      }
    } finally {
      this.running -= 1
    }
  }

  #wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(ms, resolve)
      signal.addEventListener('abort', () => {
        cancel()
        resolve()
      })
    })
  }
}
