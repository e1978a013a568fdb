import type { Recurring } from './recurring.ts'

const day = 24 * 60 * 60 * 1000
/** How long a dead letter can be revived, and what was sent can be looked up. */
const retentionDays = 30

export const outboxSweep: Recurring = {
  kind: 'outbox.sweep',
  everyMs: day,
  run: ({ outbox }, now) => outbox.removeEndedBefore(now - retentionDays * day),
}
