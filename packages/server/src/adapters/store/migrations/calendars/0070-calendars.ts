/**
 * Calendars and their bookings. The primary key of `booking_cell` keeps two bookings of a person apart: a booking takes all its cells of five
 * minutes, or none. `busy_from`, `busy_to`: with what stays free before and after it, in whole cells.
 */
export const calendars = (): string[] => [
  `create table calendar (
    id text primary key, account_id text not null references account, name text not null, settings text not null, updated_at bigint not null)`,
  `create index calendar_account on calendar (account_id, name)`,
  `create table booking (
    id text primary key, account_id text not null references account, calendar_id text not null references calendar on delete cascade,
    service text not null, person text not null, starts_at bigint not null, ends_at bigint not null, busy_from bigint not null,
    busy_to bigint not null, state text not null check (state in ('HELD','CONFIRMED','CANCELLED')), hold_until bigint, name text, phone text,
    email text, note text, call_id text, revision integer not null default 0, created_at bigint not null, changed_at bigint not null)`,
  `create index booking_calendar on booking (calendar_id, busy_to)`,
  `create index booking_account on booking (account_id)`,
  `create index booking_held on booking (hold_until) where state = 'HELD'`,
  `create index booking_ended on booking (ends_at)`,
  `create table booking_cell (
    calendar_id text not null, person text not null, cell bigint not null, booking_id text not null references booking on delete cascade,
    primary key (calendar_id, person, cell))`,
  `create index booking_cell_booking on booking_cell (booking_id)`,
]
