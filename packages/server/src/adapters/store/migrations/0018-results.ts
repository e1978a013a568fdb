/** Results of assistant calls. `search`: all searchable words in lower case. */
export const results = (): string[] => [
  `create table call_result (
    call_id text primary key, account_id text not null, flow_id text not null, version integer, started_at bigint not null,
    duration_ms bigint, end_reason text, turns integer not null default 0, interruptions integer not null default 0, transferred_to text,
    first_sound_ms integer, messages text not null default '[]', prompt_tokens bigint not null default 0,
    completion_tokens bigint not null default 0, cost_micros bigint not null default 0, currency text, outcome text, told text,
    search text not null default '', webhook_url text, event_id text,
    delivery text not null default 'none' check (delivery in ('none','pending','delivered','failed')))`,
  `create index call_result_flow on call_result (flow_id, started_at, call_id)`,
  `create index call_result_account on call_result (account_id)`,
  `create index call_result_age on call_result (started_at)`,
]
