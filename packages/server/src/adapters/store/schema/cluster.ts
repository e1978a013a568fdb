import type { Flag, Json } from './columns.ts'

export interface ClusterSchema {
  node: {
    id: string
    name: string
    version: string
    http: string
    sip: string
    started_at: number
    seen_at: number
    /** What the operator wants … */
    drain: Flag
    /** … and what the process does. */
    draining: Flag
    stopping: Flag
    work: Json
  }
  metric: { step_ms: number; at: number; node_id: string; figures: Json }
}
