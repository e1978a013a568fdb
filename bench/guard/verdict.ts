/** What each thing costs, in pieces of the fixed work. */
export type Costs = Record<string, number>

export interface Line {
  row: string
  ratio: number
  limit: number
  kept: boolean
}

/** The best of several short rounds: whatever else the machine does only adds. */
export const best = (rounds: readonly number[]): number => {
  if (rounds.length === 0) throw new Error('no round went well')
  return Math.min(...rounds)
}

/** A row that has no limit, or a limit without a row, is a mistake, not a pass. */
export const verdict = (costs: Costs, limits: Costs): Line[] => {
  const strangers = Object.keys(limits).filter((row) => !(row in costs))
  if (strangers.length > 0) throw new Error(`there are limits for what is not measured: ${strangers.join(', ')}`)
  return Object.entries(costs).map(([row, cost]) => {
    const limit = limits[row]
    if (limit === undefined) throw new Error(`there is no limit for ${row}`)
    const ratio = Number(cost.toPrecision(3))
    return { row, ratio, limit, kept: ratio <= limit }
  })
}

/** A cost that doubles is noticed, noise is not. */
const room = 1.8

export const limitsFor = (costs: Costs): Costs =>
  Object.fromEntries(Object.entries(costs).map(([row, cost]) => [row, Number((cost * room).toPrecision(3))]))
