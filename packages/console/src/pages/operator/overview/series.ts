import type { OutputOf } from '#api/use-service.ts'

export type Metrics = OutputOf<'readMetrics'>
type Point = Metrics['points'][number]

export const chartNames = ['perSecond', 'running', 'turn', 'setUp', 'endpoint', 'http', 'failures'] as const
export type ChartName = (typeof chartNames)[number]

/** A line for each; null where there is nothing to draw. */
export type Series = (number | null)[][]

const both = (points: readonly Point[], of: (point: Point) => { p50: number; p95: number } | undefined): Series => [
  points.map((point) => of(point)?.p50 ?? null),
  points.map((point) => of(point)?.p95 ?? null),
]

/** What each chart draws. */
const drawn: Record<ChartName, (metrics: Metrics) => Series> = {
  perSecond: ({ points, stepSeconds }) => [points.map(({ callsStarted }) => callsStarted / stepSeconds)],
  running: ({ points }) => [points.map(({ callsRunning }) => callsRunning)],
  turn: ({ points }) => both(points, ({ turnMs }) => turnMs),
  setUp: ({ points }) => both(points, ({ setUpMs }) => setUpMs),
  endpoint: ({ points }) => both(points, ({ endpointMs }) => endpointMs),
  http: ({ points }) => both(points, ({ httpMs }) => httpMs),
  failures: ({ points }) => [
    points.map(({ callsFailed }) => callsFailed),
    points.map(({ endpointFailures }) => endpointFailures),
    points.map(({ httpFailures }) => httpFailures),
  ],
}

export const seriesOf = (metrics: Metrics, name: ChartName): Series => drawn[name](metrics)

export const isDuration = (name: ChartName): boolean => name === 'turn' || name === 'setUp' || name === 'endpoint' || name === 'http'

export const highestOf = (series: Series): number => Math.max(0, ...series.flat().map((value) => value ?? 0))

export const isEmpty = (series: Series): boolean => series.flat().every((value) => value === null || value === 0)
