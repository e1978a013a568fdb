import type { Area } from '#core/operate/metrics/families/family.ts'

/** One rule for Prometheus. `{{ … }}` in the summary is filled in by Prometheus. */
export interface Alert {
  /** PromQL; it fires while this has a result. */
  expr: string
  /** How long that has to be so. */
  for?: string
  /** `page`: somebody is woken, because calls fail or soon will. `ticket`: somebody looks at it on a working day. */
  severity: 'page' | 'ticket'
  summary: string
  /** What is wrong, … */
  meaning: string
  /** … and what to do. */
  action: string
}

export type Alerts = Record<`Offhook${string}`, Alert>

export type AlertsByArea = Record<Area, Alerts>
