/** Test conversations of flows and their results. Runs are stored here so that every process can find them. */
export const scenarios = (): string[] => [
  `create table scenario (
    flow_id text not null references flow on delete cascade, name text not null, account_id text not null references account,
    content text not null, required integer not null, updated_at bigint not null, primary key (flow_id, name))`,
  `create table test_run (
    id text primary key, flow_id text not null references flow on delete cascade, account_id text not null references account,
    state text not null check (state in ('running','passed','failed')), choice text, total integer not null, started_at bigint not null)`,
  `create index test_run_flow on test_run (flow_id, started_at)`,
  `create index test_run_running on test_run (account_id) where state = 'running'`,
  `create table test_report (
    run_id text not null references test_run on delete cascade, nth integer not null, report text not null, primary key (run_id, nth))`,
]
