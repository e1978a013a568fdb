import type { TurnKind } from '../sets/turn-set.ts'

/** One recording of the turn set, and its result. */
export interface TurnOutcome {
  kind: TurnKind
  /** Silence that the service required before the end of the first turn, in milliseconds; undefined: no turn. */
  silenceMs: number | undefined
  /** Milliseconds from the last voiced sample to the end of the last turn. */
  delayMs: number | undefined
  turns: number
}

/** Typical pauses between two parts of a sentence. */
export const pausesMs = [300, 500, 700, 1_000, 1_500] as const

/** Delay of the detector after the caller resumes speaking, in milliseconds. */
const startMs = 70

/** True if a pause of this length splits a turn. */
export const splitsAt = (silenceMs: number, pauseMs: number): boolean => silenceMs <= pauseMs + startMs

/** Share of turns that each pause would split; turns without words cannot be split. */
export const splitRates = (outcomes: readonly TurnOutcome[]): number[] => {
  const heard = outcomes.flatMap(({ silenceMs }) => silenceMs ?? [])
  return pausesMs.map((pause) => share(heard.filter((ms) => splitsAt(ms, pause)).length, heard.length))
}

export const meanSplitRate = (outcomes: readonly TurnOutcome[]): number => {
  const rates = splitRates(outcomes)
  return rates.reduce((sum, rate) => sum + rate, 0) / rates.length
}

/** Recordings of several sentences that were split at a pause of the speaker. */
export const splitAtSentences = (outcomes: readonly TurnOutcome[]): { split: number; of: number } => {
  const several = outcomes.filter(({ kind }) => kind === 'two')
  return { split: several.filter(({ turns }) => turns > 1).length, of: several.length }
}

export const share = (count: number, of: number): number => (of === 0 ? 0 : count / of)
