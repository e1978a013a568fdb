import { median } from '../shared/child.ts'
import { rounded } from '../shared/percentiles.ts'

/** One measurement of one of both. */
export interface Round {
  /** Calls that did not go as they should. */
  failed: number
  /** What the machine had to do when it was over. */
  load: number
  /** Part of the packets that came through, where sound is sent. */
  heard?: number
  figures: Record<string, number>
}

export interface Range {
  median: number
  lowest: number
  highest: number
}

/** All rounds of one of both in a row. */
export interface Sum {
  rounds: number
  /** Why rounds do not count. */
  thrownAway: string[]
  figures: Record<string, Range>
}

const minHeard = 0.99

/** Why a round proves nothing. */
export const fault = ({ failed, load, heard }: Round, maxLoad: number): string | undefined => {
  if (failed > 0) return `${failed} calls failed`
  if (heard !== undefined && heard < minHeard) return `${rounded((1 - heard) * 100)} % of the sound was lost`
  if (load > maxLoad) return `the load was ${rounded(load)}`
  return undefined
}

export const summedUp = (rounds: readonly Round[], maxLoad: number): Sum => {
  const good = rounds.filter((round) => fault(round, maxLoad) === undefined)
  const names = Object.keys(good[0]?.figures ?? {})
  return {
    rounds: good.length,
    thrownAway: rounds.flatMap((round) => fault(round, maxLoad) ?? []),
    figures: Object.fromEntries(names.map((name) => [name, rangeOf(good.map(({ figures }) => figures[name] ?? NaN))])),
  }
}

const rangeOf = (values: readonly number[]): Range => ({
  median: significant(median([...values])),
  lowest: significant(Math.min(...values)),
  highest: significant(Math.max(...values)),
})

/** Ours to theirs, of every figure that both have. */
export const ratios = (ours: Sum, theirs: Sum): Record<string, number> =>
  Object.fromEntries(
    Object.entries(ours.figures).flatMap(([name, { median: our }]) => {
      const their = theirs.figures[name]?.median
      return their === undefined ? [] : [[name, significant(our / their)]]
    }),
  )

/** Figures of a thousandth and of hundreds stand in one line. */
export const significant = (value: number): number => Number(value.toPrecision(3))
