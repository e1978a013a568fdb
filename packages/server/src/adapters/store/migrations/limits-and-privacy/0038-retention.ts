/** Retention in days per account, and the indexes of the sweep. */
export const retention = (): string[] => [
  `create table retention (
    account_id text not null references account, kind text not null, days integer not null,
    swept_to bigint not null default 0, primary key (account_id, kind))`,
  `create index recording_account_age on recording (account_id, kind, created_at)`,
  `create index timeline_account_age on timeline (account_id, started_at)`,
  `create index call_result_account_age on call_result (account_id, started_at)`,
  `drop index call_result_account`,
  // Time at which the words of a timeline were erased; null while they exist.
  `alter table timeline add column words_erased_at bigint`,
]
