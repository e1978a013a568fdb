import type { ReceiptState } from '#core/kernel/ports/sms-routes.ts'
import type { StoredSms } from '#core/kernel/ports/store/message/messages.ts'
import type { Flag, Json } from './columns.ts'

export interface MessageSchema {
  sms: {
    account_id: string
    id: string
    direction: StoredSms['direction']
    listed: Flag
    user_id: string | null
    sms_id: string | null
    sender: string
    recipient: string
    body: string
    segments: number
    state: StoredSms['state']
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
