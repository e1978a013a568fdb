/** Resource usage after a number of calls. */
export interface Reading {
  calls: number
  /** Amounts that must not keep growing. */
  held: Record<string, number>
}

/** Growth per 1,000 calls by least squares, so that a single outlier does not decide. */
export const slopePerThousand = (points: readonly { calls: number; value: number }[]): number => {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
  const [meanCalls, meanValue] = [mean(points.map(({ calls }) => calls)), mean(points.map(({ value }) => value))]
  let [together, alone] = [0, 0]
  for (const { calls, value } of points) {
    together += (calls - meanCalls) * (value - meanValue)
    alone += (calls - meanCalls) ** 2
  }
  return alone === 0 ? NaN : (together / alone) * 1000
}

/** Share of readings to skip as warm-up: caches fill, code is compiled, the heap finds its size. */
const warmUpShare = 1 / 4

export const settled = (readings: readonly Reading[]): readonly Reading[] => readings.slice(Math.floor(readings.length * warmUpShare))

export const slopes = (readings: readonly Reading[]): Record<string, number> => {
  const names = [...new Set(readings.flatMap(({ held }) => Object.keys(held)))]
  const pointsOf = (name: string) => readings.map(({ calls, held }) => ({ calls, value: held[name] ?? 0 }))
  return Object.fromEntries(names.map((name) => [name, Number(slopePerThousand(pointsOf(name)).toPrecision(3))]))
}

/** Messages for exceeded limits, and for limits without readings. */
export const broken = (found: Record<string, number>, limits: Record<string, number>): string[] =>
  Object.entries(limits).flatMap(([name, limit]) => {
    const slope = found[name]
    if (slope === undefined || Number.isNaN(slope)) return [`${name} was not measured`]
    return slope > limit ? [`${name} grows by ${slope} with 1,000 calls, limit ${limit}`] : []
  })
