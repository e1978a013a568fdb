// Generated from the migrations: npm run generate.
import type { Generated } from 'kysely'
import type { Fixed, Flag, Json, Serial } from './columns.ts'

export interface AccountSchema {
  tariff: { id: string; name: string; currency: string; created_at: number }
  account: {
    id: Fixed<string>
    company: string
    main_product_type: string
    logo_url: string
    verified: Flag
    verification_code_hash: string | null
    domain: string
    locale: string
    country: string
    tariff_id: string | null
    tacs_accepted_at: number | null
    welcome_enabled: Flag
    outbound_enabled: Flag
    created_at: number
    closed_at: number | null
    second_factor: Generated<Flag>
  }
  account_feature: { account_id: string; feature: string; booked_at: number }
  outbound_review: { id: Serial; account_id: string; enabled: Flag; reviewer: string; reason: string; at: number }
  address: {
    id: Serial
    account_id: Fixed<string>
    po_box: string
    extended_address: string
    street: string
    house_number: string
    locality: string
    region: string
    postal_code: string
    country: string
    updated_at: number
  }
  app_event: { id: Serial; account_id: string; type: string; name: string; payload: Json; created_at: number }
  contact: {
    id: string
    account_id: string
    owner: string
    shared: Flag
    name: string
    emails: Json
    numbers: Json
    created_at: number
    folded: Generated<string>
  }
  /** The numbers of each contact, to name callers by; kept by the database itself. */
  contact_number: { account_id: string; e164: string; contact_id: string }
  push_settings: {
    account_id: string
    incoming_url: string
    outgoing_url: string
    log: Flag
    whitelist: Json | null
    format: Generated<'form' | 'json'>
  }
  retention: { account_id: string; kind: string; days: number; swept_to: Generated<number> }
  setting: { name: string; value: string }
}
