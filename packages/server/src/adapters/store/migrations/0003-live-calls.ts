/** Calls that run, files with sound, and what accounts' own software was asked. The same rules for columns as before. */
export const liveCalls = (): string[] => [
  `create table running_call (call_id text primary key, owner text not null, lease_until bigint not null, snapshot text not null)`,
  `create index running_call_lease on running_call (lease_until)`,
  `create index running_call_owner on running_call (owner)`,
  `create table recording (
    account_id text not null references account, id text not null, call_id text not null,
    kind text not null check (kind in ('CALL','VOICEMAIL')), created_at bigint not null, duration_ms integer not null, bytes bigint not null,
    truncated integer not null, primary key (account_id, id))`,
  `create index recording_call on recording (account_id, call_id)`,
  `create index recording_age on recording (created_at)`,
  `create table push_exchange (
    id text primary key, account_id text not null references account, line text, event text not null, call_id text not null,
    at bigint not null, url text not null, request text not null, response text not null, xml_error text, status integer)`,
  `create index push_exchange_account on push_exchange (account_id, id)`,
  `create index push_exchange_age on push_exchange (at)`,
]
