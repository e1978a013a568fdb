import type { SpokenWord, Transcript } from '#core/kernel/ports/speech.ts'
import { samplesPerMs } from '#core/kernel/sound/sound-track.ts'
import type { Heard, HeardWord } from './live-connection.ts'

/** Longer than anything can be asked for: a track keeps half a minute. */
const remembered = 60_000 * samplesPerMs
/** How exactly providers say where a word is. */
const blur = 100 * samplesPerMs

/** What a provider has said about a track. */
export class HeardSoFar {
  readonly #start: number
  readonly #final: Heard[] = []
  #preliminary: Heard | undefined

  constructor(start: number) {
    this.#start = start
  }

  add(heard: Heard): void {
    if (!heard.final) {
      this.#preliminary = heard
      return
    }
    if (this.#preliminary && this.#preliminary.from < heard.to) this.#preliminary = undefined
    this.#final.push(heard)
    if ((this.#final[0]?.to ?? Infinity) < heard.to - remembered) this.#final.shift()
  }

  /** It will be said again. */
  forgetPreliminary(): void {
    this.#preliminary = undefined
  }

  get finalUntil(): number {
    return this.#final.at(-1)?.to ?? this.#start
  }

  get until(): number {
    return Math.max(this.finalUntil, this.#preliminary?.to ?? this.#start)
  }

  all(): Heard[] {
    return this.#preliminary ? [...this.#final, this.#preliminary] : this.#final
  }
}

/** The words between two places. */
export const heardBetween = (all: readonly Heard[], from: number, to: number): Transcript => {
  const parts = all.map((heard) => partBetween(heard, from, to)).filter(({ text }) => text !== '')
  const confidences = parts.map(({ confidence }) => confidence).filter((confidence) => confidence !== undefined)
  const language = parts.findLast((part) => part.language !== undefined)?.language
  const timed = parts.length > 0 && parts.every(({ words }) => words !== undefined)
  return {
    text: parts.map(({ text }) => text).join(' '),
    ...(confidences.length > 0 && { confidence: confidences.reduce((sum, one) => sum + one, 0) / confidences.length }),
    ...(language !== undefined && { language }),
    ...(timed && { words: parts.flatMap(({ words = [] }) => words.map((word) => spokenWord(word, from))) }),
  }
}

const partBetween = (heard: Heard, from: number, to: number): Heard => {
  if (!heard.words) return { ...heard, text: heard.to > from + blur && heard.from < to ? heard.text : '' }
  const words = heard.words.filter((word) => {
    const middle = (word.from + word.to) / 2
    return middle >= from - blur && middle <= to + blur
  })
  // The whole text is better than its words: numbers and the like are written as one expects.
  const text = words.length === heard.words.length ? heard.text : words.map((word) => word.text).join(' ')
  return { ...heard, text, words }
}

const spokenWord = ({ text, from, to, confidence }: HeardWord, start: number): SpokenWord => {
  const msAt = (place: number): number => Math.max(0, Math.round((place - start) / samplesPerMs))
  return { text, startMs: msAt(from), endMs: msAt(to), ...(confidence !== undefined && { confidence }) }
}
