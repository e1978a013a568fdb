import { bargeInRule, type BargeInRule } from '@offhook/contract/assistant/barge-in.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { RecordedSpeech } from '#core/kernel/ports/lab/lab.ts'
import { utterancesOf } from '#core/speech/text-normalization/sentences.ts'
import { noBargeIn, type Cut } from '../session/conversation/barge-in.ts'
import type { SoundingSpeech } from '../session/floor/caller-turn.ts'
import { estimatedMs, heardText, type TimedWords } from '../session/speaking/heard-text.ts'
import { lastClauseFrom } from '../session/speaking/last-clause.ts'

/** A recorded speech of the assistant, of which nothing really plays: only how far it is counts. */
export class PlayedSpeech implements SoundingSpeech {
  readonly order: { rule: BargeInRule; protect: boolean }
  readonly recorded: RecordedSpeech
  readonly arrivedAt: number
  readonly #clock: Clock
  readonly #words: readonly TimedWords[]
  #playedMs = 0
  #since: number | undefined
  #started = false
  cutBy: Cut | undefined

  constructor(
    recorded: RecordedSpeech,
    { clock, language, bargeIn }: { clock: Clock; language: string; bargeIn: RecordedSpeech['bargeIn'] },
  ) {
    const { protect } = recorded
    this.recorded = recorded
    this.#clock = clock
    this.arrivedAt = clock.now()
    this.order = { protect, rule: protect ? noBargeIn : bargeInRule(recorded.bargeIn, bargeIn) }
    this.#words = timedWords(recorded, language)
  }

  get sounding(): boolean {
    return this.#since !== undefined
  }

  get suspended(): boolean {
    return this.#started && this.#since === undefined
  }

  get playedMs(): number {
    return this.#playedMs + (this.#since === undefined ? 0 : this.#clock.now() - this.#since)
  }

  get leftMs(): number {
    return Math.max(0, this.recorded.fullMs - this.playedMs)
  }

  start(): void {
    this.#started = true
    this.#since ??= this.#clock.now()
  }

  hold(): void {
    this.#playedMs = this.playedMs
    this.#since = undefined
  }

  cut(by: Cut): void {
    this.cutBy = by
  }

  heard(): { heardMs: number; heardText: string } {
    return { heardMs: Math.round(this.playedMs), heardText: heardText(this.#words, this.playedMs, this.recorded.fullMs) }
  }

  asked(playedMs: number): boolean {
    const from = lastClauseFrom(this.#words, this.recorded.wantsAnswer)
    return from !== undefined && playedMs >= from
  }
}

/** How long each of its utterances took is not known: they are spread as their letters are. */
const timedWords = ({ text, fullMs }: RecordedSpeech, language: string): TimedWords[] => {
  const utterances = utterancesOf(text, language)
  const scale =
    fullMs /
    Math.max(
      1,
      utterances.reduce((sum, one) => sum + estimatedMs(one), 0),
    )
  let at = 0
  return utterances.map((one) => {
    const fromMs = at
    at += scale * estimatedMs(one)
    return { text: one, fromMs, toMs: at }
  })
}
