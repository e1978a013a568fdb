import type { Dialect } from '../schema/dialect.ts'

/** Spending by purpose and user, limits per call, warnings, and monthly statements. */
export const statements = (dialect: Dialect): string[] => [
  // Purpose of an entry: null for entries of the previous version and for payments.
  `alter table ledger_entry add column purpose text`,
  `alter table ledger_entry add column number text`,
  `alter table ledger_entry add column user_ext text`,
  `alter table ledger_entry add column country text`,
  `alter table ledger_entry add column seconds integer`,
  `alter table ledger_entry add column units integer`,
  `create index ledger_entry_time on ledger_entry (account_id, at)`,
  `alter table spending_limit add column per_call bigint`,
  `alter table spending_limit add column warn_below bigint`,
  // The balance is below the threshold, and the warning was sent.
  `alter table spending_limit add column low_told integer`,
  `create table statement (
    account_id text not null references account, month text not null, kind text not null check (kind in ('STATEMENT','INVOICE')),
    number integer not null, content text not null, hash text not null, created_at bigint not null, primary key (account_id, month),
    unique (kind, number))`,
  `create table statement_series (kind text primary key, last integer not null)`,
  ...unchanging(dialect),
]

/** Immutable like the ledger that it is made of, for any program. */
const unchanging = (dialect: Dialect): string[] =>
  dialect === 'sqlite'
    ? ['update', 'delete'].map(
        (verb) =>
          `create trigger statement_no_${verb} before ${verb} on statement begin select raise(abort, 'statement is append-only'); end`,
      )
    : [
        `create trigger statement_append_only before update or delete or truncate on statement for each statement execute function refuse_change()`,
      ]
