import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Leg } from '#core/kernel/ports/telephony.ts'
import type { BargeInRule } from '@offhook/contract/assistant/barge-in.ts'
import type { Cut, Making, Spoken } from '../conversation.ts'
import { heardText, type TimedWords, Playout, lastClauseFrom } from './playout.ts'
import type { SpeechPart } from './speech-parts.ts'

export interface SpeechOrder {
  eventId: string
  action: 'speak' | 'audio'
  rule: BargeInRule
  /** Protected: neither the caller's words nor the endpoint can end or replace it. */
  protect: boolean
  /** Stream id if its text arrives in parts. */
  streamId: string | undefined
  /** The action states an expectation, so an answer is wanted, with or without a question mark. */
  wantsAnswer: boolean
  /** Text or SSML as in the action. */
  written: () => Pick<Spoken, 'text' | 'ssml'>
  parts: AsyncIterable<SpeechPart>
  /** TTS provider; undefined for existing audio. */
  provider: () => string | undefined
  /** Stops the synthesis of parts and audio. */
  abandon: () => void
  /** True if some of it could not be synthesized. */
  unsaid: () => boolean
  /** True if the caller knows the reason for a pause. */
  rests?: () => boolean
  /** Live audio from the endpoint: it decides itself when to speak, even while the caller does. */
  live?: true
  /** Set for speech outside the conversation; called when it begins to sound, and reported in no other way. */
  aside?: () => void
}

/** One speech: synthesizes its parts a little ahead of playback. */
export class SpeechPlayout extends Playout {
  readonly order: SpeechOrder
  readonly arrivedAt: number
  /** Resolves when all its audio is there. */
  readonly made: Promise<void>
  /** Resolves when its first audio is there, or none will arrive. */
  readonly ready: Promise<void>
  /** Resolves when it is over and released. */
  readonly done: Promise<void>
  readonly #clock: Clock
  readonly #begin: () => void
  readonly #timeline: { part: SpeechPart; fromMs: number; toMs: number | undefined }[] = []
  #due: number | undefined
  #askedAt: number | undefined
  #madeAt: number | undefined
  readonly #firstSound = Promise.withResolvers<void>()
  /** A part is being synthesized. */
  #isMaking = false
  #failure: Error | undefined
  #cutBy: Cut | undefined

  constructor(order: SpeechOrder, leg: Leg, clock: Clock) {
    super(leg, clock)
    this.order = order
    this.#clock = clock
    this.arrivedAt = clock.now()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#begin = resolve
    this.made = promise.then(() => this.#make())
    this.ready = Promise.race([this.#firstSound.promise, this.made])
    this.done = this.#untilOver()
  }

  /** Reason why it, or a part of it, could not be heard. */
  override get failure(): Error | undefined {
    return this.#failure ?? super.failure
  }

  /** Over, but neither played to its end nor failed: it was stopped, or the leg is gone. */
  get dropped(): boolean {
    return this.over && !this.playedToEnd && !super.failure
  }

  /** Reason for missing audio: synthesis is running, or the text is missing. */
  get lacks(): 'sound' | 'text' {
    return this.#isMaking ? 'sound' : 'text'
  }

  /** Synthesis of its first audio; undefined while there is none. */
  get making(): Making | undefined {
    if (this.#askedAt === undefined || this.#madeAt === undefined) return undefined
    return { provider: this.order.provider(), askedAt: this.#askedAt, madeAt: this.#madeAt }
  }

  /** Starts synthesis; playback waits for `start`. */
  prepare(): void {
    this.#begin()
  }

  override start(): void {
    this.#due ??= this.#clock.now()
    super.start()
  }

  override hold(): void {
    if (this.startedAt === undefined) this.#due = undefined
    super.hold()
  }

  override stop(): void {
    super.stop()
    this.order.abandon()
  }

  /** The caller's words end it; `stop` follows. */
  cut(by: Cut): void {
    this.#cutBy = by
  }

  get isCut(): boolean {
    return this.#cutBy !== undefined
  }

  /** Part that the caller has heard so far. */
  heard(): { heardMs: number; heardText: string } {
    const heardMs = Math.round(this.playedMs)
    return { heardMs, heardText: heardText(this.#timedWords, this.playedMs, this.writtenMs) }
  }

  /** True if it wants an answer and its last clause was audible at this played position. */
  asked(playedMs: number): boolean {
    const from = lastClauseFrom(this.#timedWords, this.order.wantsAnswer)
    return from !== undefined && playedMs >= from
  }

  /** Undefined if no part of it was audible. */
  spoken(): Spoken | undefined {
    const { startedAt, playedMs, playedToEnd } = this
    if (startedAt === undefined) return undefined
    const durationMs = Math.round(playedMs)
    return {
      eventId: this.order.eventId,
      ...this.order.written(),
      ...(this.order.streamId !== undefined && { streamId: this.order.streamId }),
      ...(this.order.protect && { protect: true }),
      startedAt: startedAt,
      durationMs,
      completed: playedToEnd,
      ...(this.#cutBy && { cutBy: this.#cutBy }),
      heardMs: durationMs,
      heardText: this.heard().heardText,
      firstSoundMs: startedAt - (this.#due ?? startedAt),
    }
  }

  get #timedWords(): TimedWords[] {
    return this.#timeline.map(({ part, fromMs, toMs }) => ({ text: part.words(), fromMs, toMs }))
  }

  async #make(): Promise<void> {
    try {
      for await (const part of this.order.parts) {
        await this.wantsMore()
        if (this.over) break
        await this.#makePart(part)
      }
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error))
    }
    this.end()
  }

  async #makePart(part: SpeechPart): Promise<void> {
    const entry = { part, fromMs: this.writtenMs, toMs: undefined as number | undefined }
    this.#timeline.push(entry)
    this.#askedAt ??= this.#clock.now()
    this.#isMaking = true
    for await (const piece of part.sound(Math.round(this.writtenMs - this.playedMs))) {
      if (this.over) return
      this.#madeAt ??= this.#clock.now()
      if ('silenceMs' in piece) this.writeSilence(piece.silenceMs)
      else this.write(piece)
      this.#firstSound.resolve()
    }
    this.#isMaking = false
    entry.toMs = this.writtenMs
  }

  async #untilOver(): Promise<void> {
    await this.finished
    this.order.abandon()
    this.#begin()
    await this.made
  }
}
