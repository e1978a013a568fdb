// Generated from the migrations: npm run generate.
import type { Book, Fixed, Flag, Json, Purpose, Serial } from './columns.ts'

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
  spending_limit: {
    account_id: string
    per_day: number | null
    own_per_day: number | null
    paid_calls: number | null
    opened: Json
    per_call: number | null
    warn_below: number | null
    low_told: number | null
  }
  spend_day: { account_id: string; day: number; amount: number; warned: number }
  reservation: {
    session_id: string
    account_id: string
    purpose: Purpose
    amount: number
    state: 'OPEN' | 'COMMITTED' | 'RELEASED'
    detail: Json
    created_at: number
    expires_at: number
    claimed_by: string | null
    leash: string | null
    paid: number | null
  }
  ledger_entry: {
    id: Fixed<string>
    idempotency_key: Fixed<string>
    account_id: Fixed<string>
    reason: Fixed<string>
    session_id: Fixed<string | null>
    actor: Fixed<string>
    at: Fixed<number>
    purpose: Fixed<string | null>
    number: Fixed<string | null>
    user_ext: Fixed<string | null>
    country: Fixed<string | null>
    seconds: Fixed<number | null>
    units: Fixed<number | null>
  }
  ledger_posting: { id: Serial; entry_id: Fixed<string>; account_id: Fixed<string>; book: Fixed<Book>; amount: Fixed<number> }
  idempotency: {
    account_id: string
    key: string
    operation: string
    body_hash: string
    effect_id: string
    reply: Json | null
    created_at: number
  }
  statement: {
    account_id: Fixed<string>
    month: Fixed<string>
    kind: Fixed<'STATEMENT' | 'INVOICE'>
    number: Fixed<number>
    content: Fixed<string>
    hash: Fixed<string>
    created_at: Fixed<number>
  }
  statement_series: { kind: string; last: number }
}
