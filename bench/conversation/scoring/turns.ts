import type { TurnKind } from '../sets/turn-set.ts'

/** One recording of the turn set, and what became of it. */
export interface TurnOutcome {
  kind: TurnKind
  /** How long the service wanted silence before the first turn was over; undefined: it made no turn of it. */
  silenceMs: number | undefined
  /** From the last voice to the turn, of the last one. */
  delayMs: number | undefined
  turns: number
}

/** What people leave between two parts of a sentence. */
export const pausesMs = [300, 500, 700, 1_000, 1_500] as const

/** The detector notices so much later that the caller goes on. */
const startMs = 70

/** A pause of this length makes two turns of one. */
export const splitsAt = (silenceMs: number, pauseMs: number): boolean => silenceMs <= pauseMs + startMs

/** For each pause the share of turns that it would have cut in two; those without words cannot be cut. */
export const splitRates = (outcomes: readonly TurnOutcome[]): number[] => {
  const heard = outcomes.flatMap(({ silenceMs }) => silenceMs ?? [])
  return pausesMs.map((pause) => share(heard.filter((ms) => splitsAt(ms, pause)).length, heard.length))
}

export const meanSplitRate = (outcomes: readonly TurnOutcome[]): number => {
  const rates = splitRates(outcomes)
  return rates.reduce((sum, rate) => sum + rate, 0) / rates.length
}

/** Recordings of several sentences of which more than one turn was made at a pause that the speaker made. */
export const splitAtSentences = (outcomes: readonly TurnOutcome[]): { split: number; of: number } => {
  const several = outcomes.filter(({ kind }) => kind === 'two')
  return { split: several.filter(({ turns }) => turns > 1).length, of: several.length }
}

export const share = (count: number, of: number): number => (of === 0 ? 0 : count / of)
