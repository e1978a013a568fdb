import { median } from '../shared/child.ts'
import { rounded } from '../shared/percentiles.ts'

/** One measurement of one candidate. */
export interface Round {
  /** Failed calls. */
  failed: number
  /** Load average of the machine at the end. */
  load: number
  /** Share of the RTP packets received, if RTP is sent. */
  heard?: number
  figures: Record<string, number>
}

export interface Range {
  median: number
  lowest: number
  highest: number
}

/** All rounds of one candidate. */
export interface Sum {
  rounds: number
  /** Reasons for discarded rounds. */
  thrownAway: string[]
  figures: Record<string, Range>
}

const minHeard = 0.99

/** Reason to discard a round. */
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

/** Ratio of Offhook's to the other's value, for every figure that both have. */
export const ratios = (ours: Sum, theirs: Sum): Record<string, number> =>
  Object.fromEntries(
    Object.entries(ours.figures).flatMap(([name, { median: our }]) => {
      const their = theirs.figures[name]?.median
      return their === undefined ? [] : [[name, significant(our / their)]]
    }),
  )

/** Three significant digits: figures range from thousandths to hundreds. */
export const significant = (value: number): number => Number(value.toPrecision(3))
