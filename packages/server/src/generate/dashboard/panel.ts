import type { Area } from '#core/operate/metrics/families/table.ts'

/** Grafana's unit names. */
type Unit = 'short' | 's' | 'bytes' | 'percentunit' | 'cps' | 'pps' | 'none' | 'dateTimeFromNow'

interface Query {
  expr: string
  /** Grafana fills in `{{label}}`. */
  legend: string
}

/** One panel of the dashboard. */
export interface Panel {
  title: string
  unit: Unit
  queries: readonly Query[]
  /** Default: a time series. */
  kind?: 'timeseries' | 'stat'
  /** Yellow and red from these values on; descending if the second is smaller. */
  thresholds?: readonly [yellow: number, red: number]
  /** Whether values are stacked. */
  stacked?: true
}

export type PanelsByArea = Record<Area, readonly Panel[]>

/** Filter for the instances chosen at the top of the dashboard. */
export const chosen = 'instance=~"$instance"'

export const one = (title: string, unit: Unit, expr: string, legend = '{{instance}}'): Panel => ({
  title,
  unit,
  queries: [{ expr, legend }],
})

/** 50th, 95th and 99th percentiles. */
export const quantiles = (title: string, name: string, unit: Unit = 's'): Panel => ({
  title,
  unit,
  queries: [0.5, 0.95, 0.99].map((part) => ({
    expr: `histogram_quantile(${part}, sum by (le) (rate(${name}_bucket{${chosen}}[$__rate_interval])))`,
    legend: `p${part * 100}`,
  })),
})

export const rate = (name: string, by: string): string => `sum by (${by}) (rate(${name}{${chosen}}[$__rate_interval]))`
