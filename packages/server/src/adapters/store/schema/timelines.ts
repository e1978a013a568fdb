// Generated from the migrations: npm run generate.
import type { Generated } from 'kysely'
import type { Json } from './columns.ts'

export interface TimelinesSchema {
  timeline: {
    account_id: string
    call_id: string
    flow_id: string | null
    user_ids: Json
    owner: string
    started_at: number
    changed_at: number
    last_sequence: number
    ended_at: number | null
    closed_at: number | null
    source: string | null
    target: string | null
    end_reason: string | null
    trunk_id: string | null
    words_erased_at: number | null
  }
  timeline_piece: { account_id: string; call_id: string; first: number; last: number; entries: Json; started_at: Generated<number> }
}
