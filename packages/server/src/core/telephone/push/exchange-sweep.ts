import type { Recurring } from '#core/kernel/work/recurring.ts'

const hour = 60 * 60 * 1000
const retentionMs = 7 * 24 * hour
/** Of each account. */
const keptExchanges = 200

export const exchangeSweep: Recurring = {
  kind: 'push.sweep',
  everyMs: hour,
  run: ({ pushExchanges }, now) => pushExchanges.sweep(now - retentionMs, keptExchanges),
}
