import type { Utterance } from './conversation.ts'
import type { StepTime } from './turn-steps.ts'

export type TimesOfTurns = ReadonlyMap<number, readonly StepTime[]>

interface SentRow {
  utterance: Utterance
  /** Wait of the caller for it. */
  waited?: readonly StepTime[] | undefined
}

/** Puts the wait before the answer, after problems in between. `waiting`: of an answer that has started and is not recorded yet. */
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
