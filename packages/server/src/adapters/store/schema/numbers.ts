// Generated from the migrations: npm run generate.
import type { Fixed, Flag, Json, Serial } from './columns.ts'

export interface NumbersSchema {
  flow: { id: string; account_id: Fixed<string>; name: string; settings: Json; created_at: number; updated_at: number }
  phone_number: {
    id: Fixed<string>
    account_id: string
    e164: string | null
    short: string | null
    type: 'MOBILE' | 'LANDLINE' | 'QUICKDIAL' | 'INTERNATIONAL'
    endpoint: string | null
    flow_id: string | null
    address_id: number | null
    state: 'ACTIVE' | 'ADDRESS_PENDING' | 'DEACTIVATED' | 'PORTING_IN' | 'PORTED_OUT'
    approved_place: string | null
    mnp_released_until: number | null
    decide_by: number | null
    created_at: number
    variables: Json | null
  }
  carrier: { code: string; name: string; url: string; secret_sealed: string; created_at: number }
  porting: {
    id: Serial
    account_id: string
    direction: 'IN' | 'OUT'
    status: number
    port_date: string | null
    wished_date: string | null
    carrier: string | null
    holder: Json
    pre_agreement_id: string | null
    optin_email: string
    optin_hash: string | null
    optin_expires: number | null
    cancel_requested: Flag
    correction: Json | null
    reason: string
    created_at: number
    updated_at: number
  }
  porting_number: { porting_id: number; number_id: string; e164: string }
  porting_event: {
    id: Serial
    porting_id: number
    at: number
    from_status: number | null
    event: string
    to_status: number
    codes: Json
    actor: string
  }
  carrier_message: { id: string; carrier: string; direction: string; type: string; at: number }
  stock_number: {
    id: string
    e164: string
    country: string
    area: string
    price: number
    number_id: string | null
    free_from: number
    added_at: number
  }
  porting_document: {
    id: string
    account_id: string
    porting_id: number
    name: string
    content_sealed: string
    bytes: number
    added_at: number
  }
}
