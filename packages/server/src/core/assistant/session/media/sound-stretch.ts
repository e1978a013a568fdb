import type { Clock } from '#core/kernel/ports/clock.ts'
import { msOf, type SoundPiece } from '../speaking/playout.ts'
import type { SpeechPart } from '../speaking/speech-parts.ts'
import type { SpeechPlayout } from '../speaking/speech-playout.ts'

/** Sound that comes after a longer silence is another stretch: it is told apart, and others may speak in between. */
const maxGapMs = 300
/** What is heard is known no better. */
const frameMs = 20
/** How often it is looked at while it does not sound. */
const recheckMs = 200

export interface SoundStretchDeps {
  clock: Clock
  /** All sound that came before the mark was heard. */
  reached: (name: string) => void
}

/** Sound of the endpoint without a longer silence in it, played while it comes. */
export class SoundStretch {
  readonly #deps: SoundStretchDeps
  #speech: SpeechPlayout | undefined
  readonly #pieces: SoundPiece[] = []
  readonly #marks: { name: string; atMs: number }[] = []
  #addedMs = 0
  #ended = false
  #finished = false
  #change = Promise.withResolvers<void>()
  #cancelTimer: (() => void) | undefined

  constructor(deps: SoundStretchDeps) {
    this.#deps = deps
  }

  /** It is played as this speech. */
  set speech(speech: SpeechPlayout) {
    this.#speech = speech
    void speech.begun.then(() => this.#attend())
  }

  get isOpen(): boolean {
    return !this.#ended
  }

  get playedMs(): number {
    return Math.min(this.#speech?.playedMs ?? 0, this.#addedMs)
  }

  /** Came, and was not heard yet. */
  get aheadMs(): number {
    return this.#finished ? 0 : this.#addedMs - this.playedMs
  }

  add(piece: SoundPiece): void {
    this.#pieces.push(piece)
    this.#addedMs += msOf(piece.samples.length, piece.rate)
    this.#changed()
    if (!this.#cancelTimer) this.#attend()
  }

  mark(name: string): void {
    this.#marks.push({ name, atMs: this.#addedMs })
    this.#attend()
  }

  /** Nothing more comes. */
  end(): void {
    this.#ended = true
    this.#changed()
  }

  /** It was heard, and all marks with it; or it was cut off, and nothing more of it is told. */
  finish(heard: boolean): void {
    if (this.#finished) return
    this.#finished = true
    this.end()
    this.#cancelTimer?.()
    if (heard) for (const { name } of this.#marks) this.#deps.reached(name)
  }

  async *parts(): AsyncGenerator<SpeechPart> {
    yield { words: () => '', sound: () => this.#sound() }
  }

  async *#sound(): AsyncGenerator<SoundPiece> {
    for (;;) {
      const next = this.#pieces.shift()
      if (next) yield next
      else if (this.#ended) return
      else await this.#change.promise
    }
  }

  /** Tells the marks that are reached, ends it when it has run dry, and looks again when either may be so. */
  #attend(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    if (this.#finished) return
    const { playedMs } = this
    while (this.#marks[0] && this.#marks[0].atMs <= playedMs) this.#deps.reached(this.#marks.shift()!.name)
    const silentSince = this.#speech?.silentSince
    const gapMs = silentSince === undefined ? 0 : this.#deps.clock.now() - silentSince
    if (gapMs >= maxGapMs) return this.end()
    const lastsMs = this.#speech?.lastsMs
    const untilMark = this.#marks[0] ? this.#marks[0].atMs - playedMs : Infinity
    const nextMs = Math.min(untilMark, lastsMs === undefined ? recheckMs : lastsMs + maxGapMs - gapMs)
    this.#cancelTimer = this.#deps.clock.after(Math.max(frameMs, nextMs), () => this.#attend())
  }

  #changed(): void {
    this.#change.resolve()
    this.#change = Promise.withResolvers()
  }
}
