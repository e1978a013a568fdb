// Generated from the migrations: npm run generate.
import type { Flag, Json, ReceiptState } from './columns.ts'

export interface MessagesSchema {
  sms: {
    account_id: string
    id: string
    direction: 'OUTGOING' | 'INCOMING'
    listed: Flag
    user_id: string | null
    sms_id: string | null
    sender: string
    recipient: string
    body: string
    segments: number
    state: 'SCHEDULED' | 'PENDING' | 'SENT' | 'DELIVERED' | 'FAILED' | 'RECEIVED'
    route: string | null
    reason: string | null
    created_at: number
    changed_at: number
    send_at: number
    give_up_at: number
  }
  sms_part: { account_id: string; id: string; number: number; route: string; route_id: string; state: ReceiptState }
  sms_early_receipt: { route: string; route_id: string; recipient: string; state: ReceiptState; error: string; at: number }
  sms_fragment: {
    route: string
    sender: string
    recipient: string
    reference: number
    total: number
    parts: Json
    at: number
    done_at: number | null
  }
}
