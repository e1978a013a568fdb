import { wordsWithin, type BargeInRule } from '@offhook/contract/assistant/barge-in.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** Something that the caller is to hear. */
export interface Speech {
  readonly action: 'speak' | 'audio'
  readonly turn: number
  readonly streamId: string | undefined
  readonly rule: BargeInRule
  /** It is heard to its end. */
  readonly protect: boolean
  /** What is known of it. */
  text: string
  /** How long it sounds if it is no words. */
  readonly soundMs: number | undefined
  /** Nothing more of it comes. */
  complete: boolean
}

interface Playing extends Speech {
  /** It came while the caller spoke. */
  late: boolean
  started: boolean
  heardMs: number
}

export interface PlayoutObserver {
  began(speech: Speech): void
  ended(speech: Speech, heard: { completed: boolean; ms: number; text: string }): void
  /** Nothing of it was heard. */
  dropped(speech: Speech): void
  /** Everything was said. */
  quiet(): void
}

export interface PlayoutDeps {
  clock: VirtualClock
  msPerCharacter: number
  observer: PlayoutObserver
}

/** What a loudspeaker would do, one speech after the other, in the time of the conversation. */
export class Playout {
  readonly #deps: PlayoutDeps
  /** The first of them sounds, or is about to. */
  #queue: Playing[] = []
  #soundsSince: number | undefined
  #cancel: () => void = () => {}
  #callerSpeaks = false
  #heardMs = 0

  constructor(deps: PlayoutDeps) {
    this.#deps = deps
  }

  /** Something sounds or waits. */
  get speaking(): boolean {
    return this.#queue.length > 0
  }

  /** What the caller hears right now. */
  get sounding(): Speech | undefined {
    const [first] = this.#queue
    return first && this.playedMs > 0 ? first : undefined
  }

  get callerSpeaks(): boolean {
    return this.#callerSpeaks
  }

  /** Of what sounds. */
  get playedMs(): number {
    return (this.#queue[0]?.heardMs ?? 0) + this.#sinceMs
  }

  /** What has to be heard before the call ends. */
  get protects(): boolean {
    return this.#queue.some(({ protect }) => protect)
  }

  /** Of all that was said since it is counted. */
  get heardMs(): number {
    return this.#heardMs + this.#sinceMs
  }

  /** Of what sounds, whole words only. */
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

  /** More of a speech that has begun to come. */
  extend(streamId: string, text: string, complete: boolean): void {
    const speech = this.#queue.find((one) => one.streamId === streamId && !one.complete)
    if (!speech) return
    this.#pause()
    speech.text += text
    speech.complete = complete
    this.#play()
  }

  /** What is heard is counted from now. */
  countAnew(): void {
    this.#heardMs = -this.#sinceMs
  }

  /** Nothing begins while the caller speaks, unless it need not wait for that. */
  callerBegins(): void {
    this.#callerSpeaks = true
  }

  /** What has not begun to sound answers what was said before. What waits behind something that still sounds is kept. */
  callerEnds(): void {
    const stillSounds = this.sounding !== undefined
    this.drop(({ started, rule, protect, late }) => {
      if (started || protect || rule.strategy === 'none') return false
      return late || (!stillSounds && rule.strategy !== 'manual')
    })
    this.#callerSpeaks = false
    if (this.#soundsSince === undefined) this.#play()
  }

  /** Ends what sounds, and forgets what waits. */
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
    if (left <= 0 && !speech.complete) return // more of it is being written
    if (!speech.started && speech.text.trim() !== '') this.#deps.observer.began(speech)
    speech.started = true
    this.#soundsSince = this.#deps.clock.elapsed()
    this.#cancel = this.#deps.clock.after(left, () => this.#ran(speech))
  }

  /** What is there of it was heard. */
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
