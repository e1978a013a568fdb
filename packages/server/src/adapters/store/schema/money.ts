import type { Flag, Json, Serial } from './columns.ts'

export interface MoneySchema {
  tariff_rate: {
    id: Serial
    tariff_id: string
    service: 'CALL' | 'FAX' | 'SMS' | 'SIM'
    prefix: string
    blocked: Flag
    connect_fee: number
    rate_per_minute: number
    min_seconds: number
    increment_seconds: number
    per_unit: number
    valid_from: number
    valid_until: number | null
  }
  balance: { account_id: string; currency: string; amount: number; reserved: number; credit_limit: number }
  reservation: {
    session_id: string
    account_id: string
    service: string
    amount: number
    state: 'OPEN' | 'COMMITTED' | 'RELEASED'
    detail: Json
    created_at: number
    expires_at: number
  }
  ledger_entry: {
    id: string
    idempotency_key: string
    account_id: string
    reason: string
    session_id: string | null
    actor: string
    at: number
  }
  ledger_posting: { id: Serial; entry_id: string; account_id: string; book: string; amount: number }
  idempotency: {
    account_id: string
    key: string
    operation: string
    body_hash: string
    reply: Json | null
    created_at: number
  }
}
