/** Built-in assistants: drafts, published versions, the version for calls, and usage. */
export const assistants = (): string[] => [
  `create table assistant_draft (
    flow_id text primary key references flow on delete cascade, account_id text not null references account, settings text not null,
    revision integer not null, changed_at bigint not null)`,
  `create table assistant_version (
    flow_id text not null references flow on delete cascade, version integer not null, account_id text not null references account,
    settings text not null, created_at bigint not null, created_by text not null, note text, calls integer not null default 0,
    primary key (flow_id, version))`,
  `create table assistant_rollout (
    flow_id text primary key references flow on delete cascade, account_id text not null references account, stable integer not null,
    candidate integer, percent integer not null, chosen_by text not null check (chosen_by in ('caller','call')), previous integer)`,
  `create table assistant_day (
    flow_id text not null references flow on delete cascade, day integer not null, account_id text not null references account,
    tokens bigint not null, primary key (flow_id, day))`,
  // Version of a session, chosen at its start, and number of SMS sent by its assistant.
  `alter table session add column assistant_version text`,
  `alter table session add column assistant_sms integer not null default 0`,
]
