// Generated from the migrations: npm run generate.
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
  sip_subscription: {
    id: string
    account_id: string
    device: string
    kind: 'messages' | 'calls'
    name: string
    way: Json
    place: string
    expires_at: number
  }
  metric: { step_ms: number; at: number; node_id: string; figures: Json }
}
