import type { Dialect } from '../schema/dialect.ts'

/** Lowers the database cost of calls. */
export const costs = (dialect: Dialect): string[] => [
  // Waiting entries are at the beginning of an index, whatever else waits or was sent.
  `drop index outbox_due`,
  `create index outbox_waiting on outbox (kind, due_at) where state = 'PENDING'`,
  `create index job_kind_due on job (kind, due_at)`,
  // Start of the call: by it whole days are dropped. Pieces of an earlier version have none.
  `alter table timeline_piece add column started_at bigint not null default 0`,
  ...(dialect === 'postgres' ? partitioned : []),
]

/**
 * One partition per day. Existing rows become the first partition unchanged; rows without a day go to the last one. Names and columns stay,
 * so that the previous version continues to work: it writes no `started_at`, which defaults to the current time.
 */
const partitioned = [
  `alter table delivery rename to delivery_before`,
  `create table delivery (like delivery_before including defaults including constraints) partition by range (at)`,
  `create unique index delivery_key on delivery (id, at)`,
  `create index delivery_by_flow on delivery (flow_id, id)`,
  `create index delivery_by_trouble on delivery (flow_id, state, id) where state <> 'delivered'`,
  `create index delivery_by_session on delivery (session_id, id)`,
  `create index delivery_by_event on delivery (event_id, id)`,
  `create index delivery_by_age on delivery (at)`,
  `create table delivery_rest partition of delivery default`,

  `alter table timeline_piece rename to timeline_piece_before`,
  `create table timeline_piece (like timeline_piece_before including defaults) partition by range (started_at)`,
  `alter table timeline_piece alter column started_at set default (extract(epoch from now()) * 1000)::bigint`,
  `create unique index timeline_piece_key on timeline_piece (account_id, call_id, first, started_at)`,
  `alter table timeline_piece add foreign key (account_id, call_id) references timeline on delete cascade`,
  `create table timeline_piece_rest partition of timeline_piece default`,

  `do $$
  declare
    today bigint := extract(epoch from now())::bigint / 86400;
    part text;
  begin
    foreach part in array array['delivery', 'timeline_piece'] loop
      execute format('alter table %I attach partition %I for values from (minvalue) to (%s)', part, part || '_before', (today + 1) * 86400000);
      for day in today + 1 .. today + 8 loop
        execute format('create table %I partition of %I for values from (%s) to (%s)',
          part || to_char(to_timestamp(day::bigint * 86400) at time zone 'UTC', '_YYYYMMDD'), part, day::bigint * 86400000, (day::bigint + 1) * 86400000);
      end loop;
    end loop;
  end $$`,
]
