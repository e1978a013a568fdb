import type { Utterance } from './conversation.ts'
import type { StepTime } from './turn-steps.ts'

export type TimesOfTurns = ReadonlyMap<number, readonly StepTime[]>

export interface SentRow {
  utterance: Utterance
  /** How long the caller waited for it. */
  waited?: readonly StepTime[] | undefined
}

/**
 * How long the caller waited stands before the answer, after what went wrong meanwhile. `waiting`: of an answer that has begun and is not
 * told yet.
 */
export const withWaits = (
  notified: readonly Utterance[],
  timesOf: TimesOfTurns,
): { rows: readonly SentRow[]; waiting: readonly StepTime[] | undefined } => {
  let waiting: readonly StepTime[] | undefined
  const rows = notified.map((utterance): SentRow => {
    if (utterance.who !== 'caller' && utterance.who !== 'assistant') return { utterance }
    const waited = waiting
    waiting = utterance.who === 'caller' ? timesOf.get(utterance.turn) : undefined
    return { utterance, waited }
  })
  return { rows, waiting }
}
