import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store/index.ts'
import type { Task } from './worker.ts'

const day = 24 * 60 * 60 * 1000
/** So long a dead letter can be revived, and what was sent can be looked up. */
const keptDays = 30
const sweep = 'outbox.sweep'

export const outboxJobs = (store: Store, clock: Clock): Record<string, Task> => ({
  [sweep]: async () => {
    await scheduleOutboxSweep(store, clock, day) // first of all, so that a failure cannot end the series
    await store.write(({ outbox }) => outbox.removeEndedBefore(clock.now() - keptDays * day))
  },
})

/** To be called at every start. */
export const scheduleOutboxSweep = (store: Store, clock: Clock, inMs = 0): Promise<void> =>
  store.write(({ jobs }) => jobs.schedule({ id: sweep, kind: sweep, payload: {}, dueAt: clock.now() + inMs }))
