import { more, type Recurring } from '#core/kernel/work/recurring.ts'

const day = 24 * 60 * 60 * 1000
/** How long accounts can look up what was sent to their endpoint. */
const retentionDays = 30
/** In one transaction: writers queue behind it. */
const concurrency = 1_000

export const deliverySweep: Recurring = {
  kind: 'delivery.sweep',
  everyMs: day,
  run: async ({ deliveries }, now) => {
    const removed = await deliveries.removeBefore(now - retentionDays * day, concurrency)
    return removed === concurrency ? more : undefined
  },
}
