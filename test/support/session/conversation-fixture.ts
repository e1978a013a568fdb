import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { OutboundHttp } from '#core/kernel/ports/outbound-http.ts'
import type {
  Speech,
  SpeechProvider,
  Stt,
  SttObserver,
  SttOptions,
  SttStream,
  Transcript,
  Tts,
  Utterance,
  Vad,
  VadObserver,
} from '#core/kernel/ports/speech.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant/flows.ts'
import { openConversation } from '#core/assistant/session/floor/open-conversation.ts'
import type {
  Said,
  Spoken,
  Conversation,
  ConversationObserver,
  ConversationProblem,
} from '#core/assistant/session/conversation/conversation.ts'
import { samplesPerMs, SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { SpeechCache } from '#core/speech/voices/speech-cache.ts'
import { Outside } from '../chance/outside.ts'
import { ScriptedLeg } from '../ports/scripted-leg.ts'
import { VirtualClock } from '../clock/virtual-clock.ts'

const stepMs = 10
/** How much later than it happens the detector tells it. */
const detectionMs = { started: 60, stopped: 40 }

/** Samples have 16 bits. */
const countsTo = 30_000

interface Word {
  text: string
  from: number
  to: number
}

/** An ear whose caller does what the test says, in the time of its clock. */
export class ScriptedEar implements Vad {
  readonly track = SoundTrack.of(30)
  observer: VadObserver | undefined
  open = 0
  /** What the caller said, and where. */
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

  /** Time passes in silence. */
  async silent(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) {
      this.track.write(new Int16Array(stepMs * samplesPerMs))
      await this.#clock.advance(stepMs)
    }
  }

  /** The caller speaks for `ms`; `text` may be empty: a noise like a voice. */
  async speaks(text: string, ms = Math.max(200, text.length * 60)): Promise<void> {
    const from = this.track.length
    this.#clock.after(detectionMs.started, () => this.observer?.started(from))
    this.#place(text, from, ms)
    await this.silent(ms)
    const to = this.track.length
    this.#clock.after(detectionMs.stopped, () => this.observer?.stopped(to))
  }

  /** The words whose greater part lies between two places. */
  heardBetween(from: number, to: number): string {
    return this.words
      .filter((word) => (word.from + word.to) / 2 >= from && (word.from + word.to) / 2 < to)
      .map(({ text }) => text)
      .join(' ')
  }

  #place(text: string, from: number, ms: number): void {
    const words = text.split(' ').filter((word) => word !== '')
    const each = (ms * samplesPerMs) / words.length
    for (const [index, word] of words.entries()) this.words.push({ text: word, from: from + index * each, to: from + (index + 1) * each })
  }
}

/** Understands what the scripted caller said, after a while. */
export class ScriptedStt implements Stt {
  readonly name = 'scripted'
  answersAfterMs = 30
  /** How many times it fails instead of answering. */
  failures = 0
  languages: readonly string[] = ['en', 'de']
  /** Every question that was answered. */
  readonly asked: { from: number; to: number; text: string }[] = []
  readonly observers: SttObserver[] = []
  streams = 0
  pending = 0
  readonly #ear: ScriptedEar
  readonly #clock: VirtualClock

  constructor(ear: ScriptedEar, clock: VirtualClock) {
    this.#ear = ear
    this.#clock = clock
  }

  hears(language: string): boolean {
    return this.languages.includes(language.slice(0, 2))
  }

  open(_track: SoundTrack, _options: SttOptions, observer: SttObserver): SttStream {
    this.streams += 1
    this.observers.push(observer)
    return { transcribe: (from, to, signal) => this.#transcribe(from, to, signal), close: () => void (this.streams -= 1) }
  }

  #transcribe(from: number, to: number, signal: AbortSignal): Promise<Transcript> {
    const { promise, resolve, reject } = Promise.withResolvers<Transcript>()
    this.pending += 1
    const cancel = this.#clock.after(this.answersAfterMs, () => {
      if (this.failures > 0) {
        this.failures -= 1
        return reject(new Error('out of order'))
      }
      const text = this.#ear.heardBetween(from, to)
      this.asked.push({ from, to, text })
      resolve({ text, confidence: 0.9, language: 'en' })
    })
    signal.addEventListener('abort', () => {
      cancel()
      reject(signal.reason)
    })
    return promise.finally(() => (this.pending -= 1))
  }
}

/** Says everything in samples that count up, so that each can be found again. */
export class ScriptedTts implements Tts {
  readonly name: string
  readonly rate: 8000 | 16000
  readonly ssml: boolean
  languages: readonly string[] = ['en', 'de']
  msPerCharacter = 50
  /** Until the first sound, and between pieces. */
  firstMs = 100
  /** Fails after this many pieces of an utterance. */
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

export interface ConversationFixtureOptions {
  settings?: FlowSettings
  language?: string
  outbound?: OutboundHttp
  cache?: SpeechCache
  outside?: Outside
  /** Beside the embedded ones. */
  stts?: (caller: ScriptedEar, clock: VirtualClock) => Partial<Record<SpeechProvider, Stt>>
  ttss?: (clock: VirtualClock) => Partial<Record<SpeechProvider, Tts>>
}

type ObserverCall =
  | { told: 'speechStarted' }
  | { told: 'falseAlarm' }
  | { told: 'quiet' }
  | { told: 'beep' }
  | ({ told: 'said' } & Said)
  | ({ told: 'spoke' } & Spoken)
  | { told: 'discarded'; eventId: string; action: string }
  | ({ told: 'problem' } & ConversationProblem)
  | { told: 'lost'; error: Error }

/** A conversation with a scripted caller, recogniser and voice; everything that is told is written down. */
export class ConversationFixture {
  readonly clock = new VirtualClock(0)
  readonly leg: ScriptedLeg
  readonly caller = new ScriptedEar(this.clock)
  readonly stt = new ScriptedStt(this.caller, this.clock)
  readonly tts = new ScriptedTts(this.clock)
  readonly cache: SpeechCache
  readonly conversation: Conversation
  readonly told: (ObserverCall & { at: number })[] = []
  /** Called with everything that is told. */
  onTold: (told: ObserverCall) => void = () => {}

  constructor(options: ConversationFixtureOptions = {}) {
    const {
      settings = {},
      language = 'en',
      outbound = noOutbound,
      cache = new SpeechCache(),
      outside = new Outside(),
      stts,
      ttss,
    } = options
    this.leg = new ScriptedLeg(this.clock, outside)
    this.cache = cache
    const allStts: Partial<Record<SpeechProvider, Stt>> = { embedded: this.stt, ...stts?.(this.caller, this.clock) }
    const allTtss: Partial<Record<SpeechProvider, Tts>> = { embedded: this.tts, ...ttss?.(this.clock) }
    const speech: Speech = {
      vad: this.caller,
      stt: (provider) => allStts[provider],
      tts: (provider) => allTtss[provider],
      prepare: () => {},
      close: () => Promise.resolve(),
    }
    const flow = { id: 'flow', name: 'flow', settings }
    this.conversation = openConversation({ leg: this.leg, speech, clock: this.clock, outbound, cache, flow, language }, this.#observer())
  }

  say(text: string, more: Partial<ActionOf<'speak'>> = {}, eventId = 'event'): void {
    this.conversation.say({ type: 'speak', session_id: 'session', text, ...more }, eventId)
  }

  /** In order, as words: `said hello`, `spoke`, `cut`. */
  get story(): string[] {
    return this.told.flatMap((one) => {
      if (one.told === 'said') return [`said ${one.text}${one.bargedIn ? ' (barged in)' : ''}`]
      if (one.told === 'spoke') return [one.completed ? 'spoke' : 'cut']
      return one.told === 'problem' ? [] : [one.told === 'discarded' ? `discarded ${one.eventId}` : one.told]
    })
  }

  all<T extends ObserverCall['told']>(told: T): (Extract<ObserverCall, { told: T }> & { at: number })[] {
    return this.told.filter((one): one is Extract<ObserverCall, { told: T }> & { at: number } => one.told === told)
  }

  get problems(): string[] {
    return this.all('problem').map(({ message }) => message)
  }

  /** Every sample that the phone has heard, in order. */
  get heard(): number[] {
    return this.leg.feeds.flatMap((feed) => [...feed.samples.subarray(0, Math.round((feed.playedMs() * feed.rate) / 1000))])
  }

  /** Whether the phone has heard every sample of the one voice once, from the first on. */
  get heardInOrder(): boolean {
    return this.heard.every((sample, index) => sample === (index % countsTo) + 1)
  }

  /** Closes it and gives what is left over. */
  async close(): Promise<object> {
    await this.conversation.close()
    await this.clock.advance(0)
    const { clock, stt, tts, caller, leg } = this
    const feeds = leg.feeds.filter(({ result }) => !result).length
    return { timers: clock.pending(), streams: stt.streams, questions: stt.pending, voices: tts.running, ears: caller.open, feeds }
  }

  #observer(): ConversationObserver {
    const write = (told: ObserverCall): void => {
      this.told.push({ ...told, at: this.clock.now() })
      this.onTold(told)
    }
    return {
      speechStarted: () => write({ told: 'speechStarted' }),
      said: (said) => write({ told: 'said', ...said }),
      falseAlarm: () => write({ told: 'falseAlarm' }),
      spoke: (spoken) => write({ told: 'spoke', ...spoken }),
      discarded: (discarded) => write({ told: 'discarded', ...discarded }),
      quiet: () => write({ told: 'quiet' }),
      problem: (problem) => write({ told: 'problem', ...problem }),
      beep: () => write({ told: 'beep' }),
      lost: (error) => write({ told: 'lost', error }),
    }
  }
}

export const nothingLeft = { timers: 0, streams: 0, questions: 0, voices: 0, ears: 0, feeds: 0 }

const noOutbound: OutboundHttp = { request: () => Promise.reject(new Error('no network')), close: () => Promise.resolve() }
