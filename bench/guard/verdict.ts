/** Cost of each row, in units of the fixed work. */
export type Costs = Record<string, number>

export interface Line {
  row: string
  ratio: number
  limit: number
  kept: boolean
}

/** Minimum of several short rounds: other load on the machine only adds. */
export const best = (rounds: readonly number[]): number => {
  if (rounds.length === 0) throw new Error('no round went well')
  return Math.min(...rounds)
}

/** Fails a row without a limit and a limit without a row. */
export const verdict = (costs: Costs, limits: Costs): Line[] => {
  const unknownSources = Object.keys(limits).filter((row) => !(row in costs))
  if (unknownSources.length > 0) throw new Error(`there are limits for what is not measured: ${unknownSources.join(', ')}`)
  return Object.entries(costs).map(([row, cost]) => {
    const limit = limits[row]
    if (limit === undefined) throw new Error(`there is no limit for ${row}`)
    const ratio = Number(cost.toPrecision(3))
    return { row, ratio, limit, kept: ratio <= limit }
  })
}

/** The lower of two measurements for each row. */
export const cheaperOf = (lines: readonly Line[], again: Costs): Costs =>
  Object.fromEntries(lines.map(({ row, ratio }) => [row, Math.min(ratio, again[row] ?? Infinity)]))

/** An unknown processor type gets the widest limits. */
export const limitsOf = (limits: Record<string, Costs>, kind: string): Costs => {
  const known = limits[kind]
  if (known) return known
  const widest: Costs = {}
  for (const [row, limit] of Object.values(limits).flatMap((costs) => Object.entries(costs)))
    widest[row] = Math.max(widest[row] ?? 0, limit)
  return widest
}

/** Tolerance factor: detects a doubled cost, ignores noise. */
const room = 1.8

export const limitsFor = (costs: Costs): Costs =>
  Object.fromEntries(Object.entries(costs).map(([row, cost]) => [row, Number((cost * room).toPrecision(3))]))
