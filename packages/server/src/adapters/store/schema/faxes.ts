// Generated from the migrations: npm run generate.
import type { Generated } from 'kysely'
import type { Flag, Json } from './columns.ts'

export interface FaxesSchema {
  fax: {
    account_id: string
    id: string
    direction: 'OUTGOING' | 'INCOMING'
    user_id: string | null
    faxline_id: string
    sender: string
    recipient: string
    filename: string
    resend_of: string | null
    state: 'PENDING' | 'SENDING' | 'SENT' | 'FAILED' | 'SCHEDULED' | 'RECEIVED'
    pages: number
    pages_done: number
    tries: number
    talk_seconds: number
    bit_rate: number
    error_correction: Flag
    carried_by: 't38' | 'audio' | null
    station: string
    reason: string | null
    owner: string | null
    answered_at: number | null
    dialog: Json | null
    created_at: number
    changed_at: number
    due_at: number | null
    bytes: Generated<number>
  }
}
