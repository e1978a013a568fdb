// Generated from the migrations: npm run generate.

export interface PushSchema {
  push_exchange: {
    id: string
    account_id: string
    line: string | null
    event: 'newCall' | 'answer' | 'hangup' | 'dtmf' | 'sound'
    call_id: string
    at: number
    url: string
    request: string
    response: string
    xml_error: string | null
    status: number | null
  }
  push_secret: { account_id: string; id: string; sealed: string; created_at: number; expires_at: number | null }
}
