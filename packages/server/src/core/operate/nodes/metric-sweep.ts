import { maxSilenceMs } from './node-state.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { RecurringWork } from '#core/kernel/work/recurring.ts'

const hour = 60 * 60 * 1000
const retentionMs = 24 * hour + 10 * 60 * 1000

/** Forgets figures of the day before, and processes that were lost. Both go by the real time. */
export const metricSweep = (store: Store, wallClock: Clock): RecurringWork => ({
  kind: 'metric.sweep',
  everyMs: 6 * hour,
  work: () =>
    store.write(async ({ metrics, nodes }) => {
      await metrics.removeBefore(wallClock.now() - retentionMs)
      await nodes.removeSilentSince(wallClock.now() - maxSilenceMs)
    }),
})
