import { percentile } from '../../shared/percentiles.ts'

/** A sound of the caller while the assistant spoke. */
export interface InterruptionOutcome {
  hasWords: boolean
  /** Milliseconds since the caller's voice began; undefined: the assistant went on. */
  stoppedAfterMs: number | undefined
  duckedAfterMs: number | undefined
  /** The endpoint was told what the caller said. */
  told: boolean
}

export interface InterruptionScore {
  wordless: number
  falseStops: number
  words: number
  stops: number
  /** Neither was the assistant stopped, nor the endpoint told. */
  missed: number
  reactionMs: { p50: number; p95: number }
  /** Made the assistant softer, with and without words; how soon is told of words. */
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
