// Generated from the migrations: npm run generate.

export interface ProgramsSchema {
  smpp_login: { account_id: string; sms_id: string; system_id: string; hash: string; created_at: number }
  smpp_part: {
    account_id: string
    sms_id: string
    sender: string
    recipient: string
    reference: number
    total: number
    number: number
    message_id: string
    body: string
    at: number
    done_at: number | null
  }
  smpp_note: {
    account_id: string
    id: string
    sms_id: string
    kind: 'MESSAGE' | 'RECEIPT'
    message_id: string
    part: number
    only_failure: number
    created_at: number
    due_at: number | null
  }
}
