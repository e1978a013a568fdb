import 'uplot/dist/uPlot.min.css'
import { Box, useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef } from 'react'
import UPlot, { type AlignedData, type Options, type Series as PlotSeries } from 'uplot'
import classes from './chart.module.css'
import type { OutputOf } from '#api/use-service.ts'

interface ChartProps {
  /** For screen readers: subject and key figures. */
  label: string
  /** Seconds since the epoch. */
  times: readonly number[]
  timeLabel: string
  lines: readonly string[]
  series: Series
  /** Draws single values as dots. */
  dotted: boolean
  /** Minimum of the scale's upper end. */
  min: number
  inWords: (value: number) => string
  clock: (seconds: number) => string
}

const palettes = {
  light: { lines: ['#0b7d66', '#b35c00', '#c02b2b'], text: '#5b6663', grid: '#e2e6e4' },
  dark: { lines: ['#4fb499', '#f0b75c', '#ff8b8b'], text: '#9faba7', grid: '#29322f' },
}

const height = 190

/** Lines over time. The cursor is synchronised between all charts of the page. */
export const Chart = (props: ChartProps) => {
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<UPlot>(undefined)
  const scheme = useComputedColorScheme()
  const { label, times, series, lines } = props
  const latest = useRef(props)
  useEffect(() => {
    latest.current = props
  })
  useEffect(() => {
    const element = place.current
    if (!element) return undefined
    const drawn = new UPlot(
      optionsFor(() => latest.current, lines, palettes[scheme], element.clientWidth),
      dataOf(latest.current),
      element,
    )
    plot.current = drawn
    const observer = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      drawn.destroy()
    }
  }, [scheme, lines])
  useEffect(() => plot.current?.setData(dataOf({ times, series })), [times, series])
  return <Box ref={place} className={classes.chart} role="img" aria-label={label} />
}

const dataOf = ({ times, series }: Pick<ChartProps, 'times' | 'series'>): AlignedData => [[...times], ...series]

type Palette = (typeof palettes)['light']

const optionsFor = (props: () => ChartProps, lines: readonly string[], palette: Palette, width: number): Options => {
  const axis = { stroke: palette.text, grid: { stroke: palette.grid, width: 1 }, ticks: { show: false }, font: '11px system-ui' }
  return {
    width: Math.max(width, 100),
    height,
    cursor: { sync: { key: 'operator' }, drag: { x: false, y: false }, points: { size: 6 } },
    // A visual table only: its cells have values while a pointer is over the chart.
    legend: { live: true, mount: (_plot, table) => table.setAttribute('role', 'presentation') },
    scales: { y: { range: (_plot, _low, high) => [0, Math.max((high ?? 0) * 1.15, props().min)] } },
    axes: [
      { ...axis, size: 28, values: (_plot, seconds) => seconds.map((at) => props().clock(at)) },
      { ...axis, size: 58, values: (_plot, values) => values.map((value) => props().inWords(value)) },
    ],
    series: [timeSeries(props), ...lines.map((name, index) => lineSeries(props, name, palette.lines[index] ?? palette.text))],
  }
}

const timeSeries = (props: () => ChartProps): PlotSeries => ({
  label: props().timeLabel,
  value: (_plot, at: number | null) => (at === null ? '' : props().clock(at)),
})

const lineSeries = (props: () => ChartProps, label: string, stroke: string): PlotSeries => ({
  label,
  stroke,
  width: 2,
  points: { show: props().dotted, size: 4, fill: stroke },
  value: (_plot, value: number | null) => (value === null ? '–' : props().inWords(value)),
})

export type Metrics = OutputOf<'readMetrics'>
type Point = Metrics['points'][number]

export const chartNames = ['perSecond', 'running', 'turn', 'setUp', 'endpoint', 'http', 'failures'] as const
export type ChartName = (typeof chartNames)[number]

/** One line per series; null for gaps. */
type Series = (number | null)[][]

const both = (points: readonly Point[], of: (point: Point) => { p50: number; p95: number } | undefined): Series => [
  points.map((point) => of(point)?.p50 ?? null),
  points.map((point) => of(point)?.p95 ?? null),
]

/** Series of each chart. */
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
