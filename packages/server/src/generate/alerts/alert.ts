import type { Area } from '#core/operate/metrics/families/table.ts'

/** One Prometheus rule. Prometheus fills in `{{ … }}` in the summary. */
export interface Alert {
  /** PromQL; the alert fires while this has a result. */
  expr: string
  /** Duration of the condition before the alert fires. */
  for?: string
  /** `page`: wakes somebody, because calls fail or soon will. `ticket`: somebody looks at it on a working day. */
  severity: 'page' | 'ticket'
  summary: string
  /** Fault behind the alert. */
  meaning: string
  /** Action for the operator. */
  action: string
}

export type Alerts = Record<`Offhook${string}`, Alert>

export type AlertsByArea = Record<Area, Alerts>
