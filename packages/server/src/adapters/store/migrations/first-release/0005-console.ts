import type { Dialect } from '#adapters/store/schema/dialect.ts'

/** Events may also go to a developer's machine. A check cannot be changed in SQLite: the table is recreated. */
const deliveriesToListeners = [
  `create table delivery_anew (
    id text primary key, account_id text not null, flow_id text not null, session_id text not null, event_id text not null,
    event_type text not null, sequence bigint not null, turn bigint not null, attempt integer not null,
    channel text not null check (channel in ('webhook','websocket','fallback','listener')), at bigint not null, duration_ms integer not null,
    state text not null check (state in ('delivered','failed','superseded','dead')), status integer, request_bytes integer not null,
    reply_bytes integer not null, actions text not null, problems text not null, error text)`,
  `insert into delivery_anew select * from delivery`,
  `drop table delivery`,
  `alter table delivery_anew rename to delivery`,
  `create index delivery_flow on delivery (flow_id, id)`,
  `create index delivery_trouble on delivery (flow_id, state, id) where state <> 'delivered'`,
  `create index delivery_session on delivery (session_id, id)`,
  `create index delivery_event on delivery (event_id, id)`,
  `create index delivery_age on delivery (at)`,
]

/** Tables for the console. The same column rules as before. */
export const console = (dialect: Dialect): string[] => [
  ...deliveriesToListeners,
  `create table node (
    id text primary key, name text not null, version text not null, http text not null, sip text not null, started_at bigint not null,
    seen_at bigint not null, drain integer not null, draining integer not null, stopping integer not null, work text not null)`,
  `create table metric (
    step_ms integer not null, at bigint not null, node_id text not null, figures text not null, primary key (step_ms, at, node_id))`,
  // Timeline of a call, from the view of each account involved. It contains spoken words.
  `create table timeline (
    account_id text not null references account, call_id text not null, flow_id text, user_ids text not null, owner text not null,
    started_at bigint not null, changed_at bigint not null, last_sequence integer not null, ended_at bigint, closed_at bigint,
    primary key (account_id, call_id))`,
  `create index timeline_age on timeline (started_at)`,
  `create index timeline_owner on timeline (owner) where closed_at is null`,
  // Processes poll for changes of others only when several share the database.
  ...(dialect === 'postgres' ? [`create index timeline_change on timeline (account_id, changed_at)`] : []),
  `create table timeline_piece (
    account_id text not null, call_id text not null, first integer not null, last integer not null, entries text not null,
    primary key (account_id, call_id, first), foreign key (account_id, call_id) references timeline on delete cascade)`,
]
