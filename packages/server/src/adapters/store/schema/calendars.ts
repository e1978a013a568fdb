// Generated from the migrations: npm run generate.
import type { Generated } from 'kysely'
import type { Json } from './columns.ts'

export interface CalendarsSchema {
  calendar: { id: string; account_id: string; name: string; settings: Json; updated_at: number }
  booking: {
    id: string
    account_id: string
    calendar_id: string
    service: string
    person: string
    starts_at: number
    ends_at: number
    busy_from: number
    busy_to: number
    state: 'HELD' | 'CONFIRMED' | 'CANCELLED'
    hold_until: number | null
    name: string | null
    phone: string | null
    email: string | null
    note: string | null
    call_id: string | null
    revision: Generated<number>
    created_at: number
    changed_at: number
  }
  booking_cell: { calendar_id: string; person: string; cell: number; booking_id: string }
}
