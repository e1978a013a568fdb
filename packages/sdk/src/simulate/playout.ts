import { wordsWithin, type BargeInRule } from '@offhook/contract/assistant/barge-in.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** Speech or audio for the caller. */
export interface Speech {
  readonly action: 'speak' | 'audio'
  readonly turn: number
  readonly streamId: string | undefined
  readonly rule: BargeInRule
  /** Cannot be interrupted. */
  readonly protect: boolean
  /** Text received so far. */
  text: string
  /** Duration in milliseconds if it is audio. */
  readonly soundMs: number | undefined
  /** No more text follows. */
  complete: boolean
}

interface Playing extends Speech {
  /** It arrived while the caller spoke. */
  late: boolean
  started: boolean
  heardMs: number
}

export interface PlayoutObserver {
  began(speech: Speech): void
  ended(speech: Speech, heard: { completed: boolean; ms: number; text: string }): void
  /** Dropped without being heard. */
  dropped(speech: Speech): void
  /** The queue is empty. */
  quiet(): void
}

interface PlayoutDeps {
  clock: VirtualClock
  msPerCharacter: number
  observer: PlayoutObserver
}

/** Simulates playback, one speech after the other, in conversation time. */
export class Playout {
  readonly #deps: PlayoutDeps
  /** The first one is playing or about to. */
  #queue: Playing[] = []
  #soundsSince: number | undefined
  #cancel: () => void = () => {}
  #callerSpeaks = false
  #heardMs = 0

  constructor(deps: PlayoutDeps) {
    this.#deps = deps
  }

  /** Something is playing or queued. */
  get speaking(): boolean {
    return this.#queue.length > 0
  }

  /** The speech that the caller hears now. */
  get sounding(): Speech | undefined {
    const [first] = this.#queue
    return first && this.playedMs > 0 ? first : undefined
  }

  get callerSpeaks(): boolean {
    return this.#callerSpeaks
  }

  /** Milliseconds played of the current speech. */
  get playedMs(): number {
    return (this.#queue[0]?.heardMs ?? 0) + this.#sinceMs
  }

  /** A protected speech is queued, which must be heard before the call ends. */
  get protects(): boolean {
    return this.#queue.some(({ protect }) => protect)
  }

  /** Milliseconds heard since the last reset. */
  get heardMs(): number {
    return this.#heardMs + this.#sinceMs
  }

  /** Heard text of the current speech, whole words only. */
  get heardText(): string {
    return this.#heardOf(this.#queue[0], this.playedMs)
  }

  add(speech: Speech): void {
    this.#queue.push({ ...speech, late: this.#callerSpeaks, started: false, heardMs: 0 })
    if (this.#queue.length === 1) this.#play()
  }

  isStreaming(streamId: string): boolean {
    return this.#queue.some((speech) => speech.streamId === streamId && !speech.complete)
  }

  /** Appends text to a streamed speech. */
  extend(streamId: string, text: string, complete: boolean): void {
    const speech = this.#queue.find((one) => one.streamId === streamId && !one.complete)
    if (!speech) return
    this.#pause()
    speech.text += text
    speech.complete = complete
    this.#play()
  }

  /** Resets the heard milliseconds. */
  countAnew(): void {
    this.#heardMs = -this.#sinceMs
  }

  /** No speech starts while the caller speaks, except those that need not wait. */
  callerBegins(): void {
    this.#callerSpeaks = true
  }

  /** Drops speeches that have not started: they answer earlier words. Keeps those queued behind one that still plays. */
  callerEnds(): void {
    const stillSounds = this.sounding !== undefined
    this.drop(({ started, rule, protect, late }) => {
      if (started || protect || rule.strategy === 'none') return false
      return late || (!stillSounds && rule.strategy !== 'manual')
    })
    this.#callerSpeaks = false
    if (this.#soundsSince === undefined) this.#play()
  }

  /** Stops the current speech and removes queued ones that match. */
  drop(unwanted: (speech: Playing) => boolean): void {
    const [first] = this.#queue
    if (!first) return
    this.#pause()
    const dropped = this.#queue.filter(unwanted)
    this.#queue = this.#queue.filter((speech) => !dropped.includes(speech))
    for (const speech of dropped) {
      const { heardMs: ms } = speech
      if (ms > 0) this.#deps.observer.ended(speech, { completed: false, ms, text: this.#heardOf(speech, ms) })
      else this.#deps.observer.dropped(speech)
    }
    if (this.speaking) this.#play()
    else this.#deps.observer.quiet()
  }

  get #sinceMs(): number {
    return this.#soundsSince === undefined ? 0 : this.#deps.clock.elapsed() - this.#soundsSince
  }

  #play(): void {
    this.#cancel()
    const [speech] = this.#queue
    if (!speech || this.#mustWait(speech)) return
    const left = this.#lasts(speech) - speech.heardMs
    if (left <= 0 && !speech.complete) return // more text is still coming
    if (!speech.started && speech.text.trim() !== '') this.#deps.observer.began(speech)
    speech.started = true
    this.#soundsSince = this.#deps.clock.elapsed()
    this.#cancel = this.#deps.clock.after(left, () => this.#ran(speech))
  }

  /** The available part was played. */
  #ran(speech: Playing): void {
    this.#pause()
    if (!speech.complete) return
    this.#queue.shift()
    const { heardMs: ms, text } = speech
    if (text.trim() !== '') this.#deps.observer.ended(speech, { completed: true, ms, text: text.trim() })
    if (this.speaking) this.#play()
    else this.#deps.observer.quiet()
  }

  #pause(): void {
    const [speech] = this.#queue
    if (speech) speech.heardMs += this.#sinceMs
    this.#heardMs += this.#sinceMs
    this.#soundsSince = undefined
    this.#cancel()
  }

  #mustWait({ started, rule }: Playing): boolean {
    return this.#callerSpeaks && !started && rule.strategy !== 'none' && rule.strategy !== 'manual'
  }

  #lasts({ text, soundMs }: Speech): number {
    return soundMs ?? Math.round(text.trimEnd().length * this.#deps.msPerCharacter)
  }

  #heardOf(speech: Speech | undefined, ms: number): string {
    if (!speech || ms <= 0) return ''
    return wordsWithin(speech.text.trimEnd(), ms / this.#lasts(speech)).trim()
  }
}
