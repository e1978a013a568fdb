import { maxSilenceMs } from './node-state.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { RecurringWork } from '#core/kernel/work/recurring.ts'

const hour = 60 * 60 * 1000
const retentionMs = 24 * hour + 10 * 60 * 1000

/** Removes figures older than a day, and lost processes. Both use real time. */
export const metricSweep = (store: Store, wallClock: Clock): RecurringWork => ({
  kind: 'metric.sweep',
  intervalMs: 6 * hour,
  work: () =>
    store.write(async ({ metrics, nodes }) => {
      await metrics.removeBefore(wallClock.now() - retentionMs)
      await nodes.removeSilentSince(wallClock.now() - maxSilenceMs)
    }),
})
