import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Leg } from '#core/kernel/ports/telephony.ts'
import type { BargeInRule } from '@offhook/contract/assistant/barge-in.ts'
import type { Cut } from '../conversation/barge-in.ts'
import type { Making, Spoken } from '../conversation/conversation.ts'
import { heardText, type TimedWords } from './heard-text.ts'
import { lastClauseFrom } from './last-clause.ts'
import { Playout } from './playout.ts'
import type { SpeechPart } from './speech-parts.ts'

export interface SpeechOrder {
  eventId: string
  action: 'speak' | 'audio'
  rule: BargeInRule
  /** It has to be heard: neither the caller's words nor the endpoint end it or take its place. */
  protect: boolean
  /** Its text comes in pieces, under this name. */
  streamId: string | undefined
  /** The action says what it expects, so an answer is wanted, question mark or not. */
  wantsAnswer: boolean
  /** As in the action. */
  written: () => Pick<Spoken, 'text' | 'ssml'>
  parts: AsyncIterable<SpeechPart>
  /** Who says it; undefined for sound that is there already. */
  provider: () => string | undefined
  /** Ends whatever still makes parts or sound. */
  abandon: () => void
  /** Some of it could not be made into sound. */
  unsaid: () => boolean
  /** The caller knows why nothing more comes for a while. */
  rests?: () => boolean
  /** Sound that the endpoint sends while it is heard: it decides itself when to speak, also while the caller does. */
  live?: true
  /** It is no part of the conversation: only this is told, that it begins to sound. */
  aside?: () => void
}

/** One speech: its sound is made of its parts, a little ahead of what the caller hears. */
export class SpeechPlayout extends Playout {
  readonly order: SpeechOrder
  readonly arrivedAt: number
  /** All its sound is there. */
  readonly made: Promise<void>
  /** The first of its sound is there, or none will come. */
  readonly ready: Promise<void>
  /** It is over, and nothing of it is left. */
  readonly done: Promise<void>
  readonly #clock: Clock
  readonly #begin: () => void
  readonly #timeline: { part: SpeechPart; fromMs: number; toMs: number | undefined }[] = []
  #due: number | undefined
  #askedAt: number | undefined
  #madeAt: number | undefined
  readonly #firstSound = Promise.withResolvers<void>()
  /** The sound of a part is being made. */
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

  /** Why it, or a part of it, could not be heard. */
  override get failure(): Error | undefined {
    return this.#failure ?? super.failure
  }

  /** Over, and neither played to its end nor out of order: it was stopped, or the leg is gone. */
  get dropped(): boolean {
    return this.over && !this.playedToEnd && !super.failure
  }

  /** Why nothing of it may be there to be heard: it is being made, or nobody knows what is to be said. */
  get lacks(): 'sound' | 'text' {
    return this.#isMaking ? 'sound' : 'text'
  }

  /** How its first sound was made; undefined while there is none. */
  get making(): Making | undefined {
    if (this.#askedAt === undefined || this.#madeAt === undefined) return undefined
    return { provider: this.order.provider(), askedAt: this.#askedAt, madeAt: this.#madeAt }
  }

  /** Begins to make its sound, which waits for `start`. */
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

  /** What the caller heard of it until now. */
  heard(): { heardMs: number; heardText: string } {
    const heardMs = Math.round(this.playedMs)
    return { heardMs, heardText: heardText(this.#timedWords, this.playedMs, this.writtenMs) }
  }

  /** It is a question, or wants an answer otherwise, and when this much of it was played its last clause sounded. */
  asked(playedMs: number): boolean {
    const from = lastClauseFrom(this.#timedWords, this.order.wantsAnswer)
    return from !== undefined && playedMs >= from
  }

  /** Undefined when nothing of it sounded. */
  spoken(): Spoken | undefined {
    const { startedAt: begunAt, playedMs, playedToEnd } = this
    if (begunAt === undefined) return undefined
    const durationMs = Math.round(playedMs)
    return {
      eventId: this.order.eventId,
      ...this.order.written(),
      ...(this.order.streamId !== undefined && { streamId: this.order.streamId }),
      ...(this.order.protect && { protect: true }),
      startedAt: begunAt,
      durationMs,
      completed: playedToEnd,
      ...(this.#cutBy && { cutBy: this.#cutBy }),
      heardMs: durationMs,
      heardText: this.heard().heardText,
      firstSoundMs: begunAt - (this.#due ?? begunAt),
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
