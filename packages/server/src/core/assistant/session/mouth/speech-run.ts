import type { Clock } from '#core/kernel/ports/clock.ts'
import type { BargeInRule } from '../talk/barge-in.ts'
import { heardText, type TimedWords } from './heard-text.ts'
import type { SoundLine } from './sound-line.ts'
import type { SpeechPart } from './speech-parts.ts'
import type { Spoken } from '../talk/talk.ts'

export interface SpeechOrder {
  eventId: string
  action: 'speak' | 'audio'
  rule: BargeInRule
  /** As the customer wrote it. */
  written: () => Pick<Spoken, 'text' | 'ssml'>
  parts: AsyncIterable<SpeechPart>
  line: SoundLine
  /** Ends whatever still makes parts or sound. */
  abandon: () => void
}

/** One speech on its way from words to sound. */
export class SpeechRun {
  readonly order: SpeechOrder
  readonly arrivedAt: number
  /** All its sound is there. */
  readonly made: Promise<void>
  /** It is over, and nothing of it is left. */
  readonly done: Promise<void>
  readonly #clock: Clock
  readonly #begin: () => void
  readonly #timeline: { part: SpeechPart; fromMs: number; toMs: number | undefined }[] = []
  #due: number | undefined
  #failure: Error | undefined

  constructor(order: SpeechOrder, clock: Clock) {
    this.order = order
    this.#clock = clock
    this.arrivedAt = clock.now()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#begin = resolve
    this.made = promise.then(() => this.#make())
    this.done = this.#untilOver()
  }

  get line(): SoundLine {
    return this.order.line
  }

  /** Why it, or a part of it, could not be heard. */
  get failure(): Error | undefined {
    return this.#failure ?? this.line.failure
  }

  /** Begins to make its sound, which waits until the line starts. */
  prepare(): void {
    this.#begin()
  }

  /** It is its turn to sound. */
  start(): void {
    this.#due ??= this.#clock.now()
    this.line.start()
  }

  /** It has to wait; `start` goes on. */
  hold(): void {
    if (this.line.begunAt === undefined) this.#due = undefined
    this.line.hold()
  }

  stop(): void {
    this.line.stop()
    this.order.abandon()
  }

  /** What the caller heard of it until now. */
  heard(): { heardMs: number; heardText: string } {
    const timeline = this.#timeline.map(({ part, fromMs, toMs }): TimedWords => ({ text: part.words(), fromMs, toMs }))
    const heardMs = Math.round(this.line.playedMs)
    return { heardMs, heardText: heardText(timeline, this.line.playedMs, this.line.writtenMs) }
  }

  /** Over, and neither played to its end nor out of order: somebody stopped it, or the leg is gone. */
  get dropped(): boolean {
    return this.line.over && !this.line.playedToEnd && !this.line.failure
  }

  /** Undefined when nothing of it sounded. */
  spoken(): Spoken | undefined {
    const { begunAt, playedMs, playedToEnd } = this.line
    if (begunAt === undefined) return undefined
    const durationMs = Math.round(playedMs)
    return {
      eventId: this.order.eventId,
      ...this.order.written(),
      startedAt: begunAt,
      durationMs,
      completed: playedToEnd,
      heardMs: durationMs,
      heardText: this.heard().heardText,
      firstSoundMs: begunAt - (this.#due ?? begunAt),
    }
  }

  async #make(): Promise<void> {
    try {
      for await (const part of this.order.parts) {
        await this.line.wantsMore()
        if (this.line.over) break
        await this.#makePart(part)
      }
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error))
    }
    this.line.end()
  }

  async #makePart(part: SpeechPart): Promise<void> {
    const entry = { part, fromMs: this.line.writtenMs, toMs: undefined as number | undefined }
    this.#timeline.push(entry)
    for await (const piece of part.sound(Math.round(this.line.writtenMs - this.line.playedMs))) {
      if (this.line.over) return
      if ('silenceMs' in piece) this.line.writeSilence(piece.silenceMs)
      else this.line.write(piece)
    }
    entry.toMs = this.line.writtenMs
  }

  async #untilOver(): Promise<void> {
    await this.line.done
    this.order.abandon()
    this.#begin()
    await this.made
  }
}
