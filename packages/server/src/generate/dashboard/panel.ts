import type { Area } from '#core/operate/metrics/families/family.ts'

/** As Grafana names them. */
export type Unit = 'short' | 's' | 'bytes' | 'percentunit' | 'cps' | 'pps' | 'none' | 'dateTimeFromNow'

export interface Query {
  expr: string
  /** `{{label}}` is filled in by Grafana. */
  legend: string
}

/** One picture of the dashboard. */
export interface Panel {
  title: string
  unit: Unit
  queries: readonly Query[]
  /** A line over time unless given. */
  kind?: 'timeseries' | 'stat'
  /** From here on it is drawn in yellow and red; falling when the second is the smaller one. */
  thresholds?: readonly [yellow: number, red: number]
  /** Values are drawn on top of each other. */
  stacked?: true
}

export type PanelsByArea = Record<Area, readonly Panel[]>

/** The processes that are chosen at the top of the dashboard. */
export const chosen = 'instance=~"$instance"'

export const one = (title: string, unit: Unit, expr: string, legend = '{{instance}}'): Panel => ({
  title,
  unit,
  queries: [{ expr, legend }],
})

/** Half, nineteen of twenty and ninety-nine of a hundred values are below these. */
export const quantiles = (title: string, name: string, unit: Unit = 's'): Panel => ({
  title,
  unit,
  queries: [0.5, 0.95, 0.99].map((part) => ({
    expr: `histogram_quantile(${part}, sum by (le) (rate(${name}_bucket{${chosen}}[$__rate_interval])))`,
    legend: `p${part * 100}`,
  })),
})

export const rate = (name: string, by: string): string => `sum by (${by}) (rate(${name}{${chosen}}[$__rate_interval]))`
