import type { Dialect } from '../schema/dialect.ts'

/** What calls cost the database becomes less. */
export const costs = (_dialect: Dialect): string[] => [
  // What waits is found at the beginning of an index, whatever else waits or was sent.
  `drop index outbox_due`,
  `create index outbox_waiting on outbox (kind, due_at) where state = 'PENDING'`,
  `create index job_kind_due on job (kind, due_at)`,
]
