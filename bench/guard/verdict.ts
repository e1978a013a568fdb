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
  const unknownSources = Object.keys(limits).filter((row) => !(row in costs))
  if (unknownSources.length > 0) throw new Error(`there are limits for what is not measured: ${unknownSources.join(', ')}`)
  return Object.entries(costs).map(([row, cost]) => {
    const limit = limits[row]
    if (limit === undefined) throw new Error(`there is no limit for ${row}`)
    const ratio = Number(cost.toPrecision(3))
    return { row, ratio, limit, kept: ratio <= limit }
  })
}

/** Of two measurements what each row took at its best. */
export const cheaperOf = (lines: readonly Line[], again: Costs): Costs =>
  Object.fromEntries(lines.map(({ row, ratio }) => [row, Math.min(ratio, again[row] ?? Infinity)]))

/** A kind of processor that nobody has measured has the widest limits of all. */
export const limitsOf = (limits: Record<string, Costs>, kind: string): Costs => {
  const known = limits[kind]
  if (known) return known
  const widest: Costs = {}
  for (const [row, limit] of Object.values(limits).flatMap((costs) => Object.entries(costs)))
    widest[row] = Math.max(widest[row] ?? 0, limit)
  return widest
}

/** A cost that doubles is noticed, noise is not. */
const room = 1.8

export const limitsFor = (costs: Costs): Costs =>
  Object.fromEntries(Object.entries(costs).map(([row, cost]) => [row, Number((cost * room).toPrecision(3))]))
