/** Limits of spending and destinations. The row with the empty account is the installation's: the default for accounts without a limit. */
export const limits = (): string[] => [
  `create table spending_limit (
    account_id text primary key, per_day bigint check (per_day >= 0), own_per_day bigint check (own_per_day >= 0),
    paid_calls integer check (paid_calls >= 0), opened text not null)`,
  // Days are in UTC, counted from 1970. `warned` is the percentage of the last warning.
  `create table spend_day (
    account_id text not null references account, day integer not null, amount bigint not null, warned integer not null,
    primary key (account_id, day))`,
  `create index reservation_open on reservation (account_id, created_at) where state = 'OPEN'`,
]
