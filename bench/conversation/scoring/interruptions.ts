import { percentile } from '../../shared/percentiles.ts'

/** Sound of the caller while the assistant spoke. */
export interface InterruptionOutcome {
  hasWords: boolean
  /** Milliseconds since the caller's voice began; undefined: the assistant kept speaking. */
  stoppedAfterMs: number | undefined
  duckedAfterMs: number | undefined
  /** The endpoint received the caller's words. */
  told: boolean
}

export interface InterruptionScore {
  wordless: number
  falseStops: number
  words: number
  stops: number
  /** The assistant was not stopped and the endpoint was not notified. */
  missed: number
  reactionMs: { p50: number; p95: number }
  /** Ducked the assistant's voice, with and without words; the delay is reported for words only. */
  ducked: { words: number; wordless: number }
  duckedMs: { p50: number; p95: number }
}

export const scoreInterruptions = (outcomes: readonly InterruptionOutcome[]): InterruptionScore => {
  const [real, noises] = [outcomes.filter(({ hasWords }) => hasWords), outcomes.filter(({ hasWords }) => !hasWords)]
  const reactions = real.flatMap(({ stoppedAfterMs }) => stoppedAfterMs ?? [])
  const duckedAfter = (some: readonly InterruptionOutcome[]): number[] => some.flatMap(({ duckedAfterMs }) => duckedAfterMs ?? [])
  const ducked = duckedAfter(real)
  return {
    wordless: noises.length,
    falseStops: noises.filter(({ stoppedAfterMs }) => stoppedAfterMs !== undefined).length,
    words: real.length,
    stops: reactions.length,
    missed: real.filter(({ stoppedAfterMs, told: notified }) => stoppedAfterMs === undefined && !notified).length,
    reactionMs: { p50: percentile(reactions, 0.5), p95: percentile(reactions, 0.95) },
    ducked: { words: ducked.length, wordless: duckedAfter(noises).length },
    duckedMs: { p50: percentile(ducked, 0.5), p95: percentile(ducked, 0.95) },
  }
}
