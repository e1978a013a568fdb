/** Running calls, recordings, and requests to accounts' own software. The same column rules as before. */
export const liveCalls = (): string[] => [
  // One process runs an order, once.
  `alter table reservation add column claimed_by text`,
  // One lease per process instead of one per call or session.
  `create table lease (owner text primary key, until bigint not null)`,
  `insert into lease (owner, until) select owner, max(lease_until) from session where ended_at is null group by owner`,
  `update job set kind = 'lease', id = 'lease:' || substr(id, 15) where kind = 'session.lease'`,
  `drop index session_open`,
  `alter table session drop column lease_until`,
  `create table running_call (call_id text primary key, owner text not null, saved_at bigint not null, snapshot text not null)`,
  `create index running_call_owner on running_call (owner)`,
  `create table recording (
    account_id text not null references account, id text not null, call_id text not null,
    kind text not null check (kind in ('CALL','VOICEMAIL')), created_at bigint not null, duration_ms integer not null, bytes bigint not null,
    truncated integer not null, primary key (account_id, id))`,
  `create index recording_call on recording (account_id, call_id)`,
  `create index recording_age on recording (created_at)`,
  `create index recording_size on recording (account_id, bytes)`,
  `create table push_exchange (
    id text primary key, account_id text not null references account, line text, event text not null, call_id text not null,
    at bigint not null, url text not null, request text not null, response text not null, xml_error text, status integer)`,
  `create index push_exchange_account on push_exchange (account_id, id)`,
  `create index push_exchange_age on push_exchange (at)`,
  // Its predecessor was never used.
  `drop table push_log`,
  `create table push_secret (
    account_id text not null references account, id text not null, sealed text not null, created_at bigint not null, expires_at bigint,
    primary key (account_id, id))`,
  `create index outbox_dead on outbox (account_id, kind, created_at) where state = 'DEAD'`,
]
