import type { Dialect } from '#adapters/store/schema/dialect.ts'

/**
 * Journal of erasures, and append-only tables that an erasure may pseudonymise: every column that counts stays unchanged, and a text may
 * only change to one that marks it as erased.
 */
export const erasures = (dialect: Dialect): string[] => [
  `create table erasure (id text primary key, at bigint not null, subject_sealed text not null, done_at bigint)`,
  ...Object.entries(pseudonymised).flatMap(([table, columns]) => onlyPseudonyms(dialect, table, columns)),
  // Index entries are deleted with their text, not by a later merge.
  ...(dialect === 'sqlite' ? [`insert into history_words (history_words, rank) values ('secure-delete', 1)`] : []),
]

interface Columns {
  fixed: readonly string[]
  texts: readonly string[]
}

const pseudonymised: Record<string, Columns> = {
  ledger_entry: {
    fixed: ['id', 'idempotency_key', 'account_id', 'session_id', 'actor', 'at', 'purpose', 'user_ext', 'country', 'seconds', 'units'],
    texts: ['reason', 'number'],
  },
  audit: { fixed: ['chain', 'seq', 'at', 'actor', 'action'], texts: ['target', 'detail'] },
  statement: { fixed: ['account_id', 'month', 'kind', 'number', 'created_at'], texts: ['content'] },
}

const onlyPseudonyms = (dialect: Dialect, table: string, { fixed, texts }: Columns): string[] => {
  const same = dialect === 'sqlite' ? 'is' : 'is not distinct from'
  const allowed = [
    ...fixed.map((column) => `new.${column} ${same} old.${column}`),
    ...texts.map((column) => `(new.${column} ${same} old.${column} or new.${column} like '%erased%')`),
  ].join(' and ')
  if (dialect === 'sqlite')
    return [
      `drop trigger ${table}_no_update`,
      `create trigger ${table}_no_update before update on ${table} when not (${allowed}) begin select raise(abort, '${table} is append-only'); end`,
    ]
  return [
    `drop trigger ${table}_append_only on ${table}`,
    `create trigger ${table}_append_only before delete or truncate on ${table} for each statement execute function refuse_change()`,
    `create trigger ${table}_no_update before update on ${table} for each row when (not (${allowed})) execute function refuse_change()`,
  ]
}
