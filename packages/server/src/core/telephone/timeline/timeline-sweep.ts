import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import { more, type Recurring } from '#core/kernel/work/recurring.ts'
import type { Task } from '#core/kernel/work/worker.ts'

const hour = 3_600_000
const day = 24 * hour
/** In one transaction: writers queue behind it, and each may be long. */
const concurrency = 20

const accountJob = 'timeline.erase-account'
/** By then what began in the last moment is written, too. */
const lastMomentMs = 60_000

/** `keptDays` undefined: for ever; 0: none is kept, and what was kept before goes. */
export const timelineSweep = (retentionDays: number | undefined): Recurring => ({
  kind: 'timeline.sweep',
  everyMs: hour,
  run: async ({ timelines }, now) => {
    if (retentionDays === undefined) return undefined
    return (await timelines.removeBefore(now - retentionDays * day, concurrency)) === concurrency ? more : undefined
  },
})

/** Part of the transaction that closes the account. */
export const eraseTimelinesOf = (tables: Tables, accountId: string, at: number): Promise<void> =>
  tables.jobs.schedule({ id: `${accountJob}:${accountId}`, kind: accountJob, payload: { accountId }, dueAt: at + lastMomentMs })

export const timelineJobs = ({ store }: { store: Store }): Record<string, Task> => ({
  [accountJob]: async (payload) => {
    const { accountId } = payload as { accountId: string }
    while ((await store.write(({ timelines }) => timelines.removeOf(accountId, concurrency))) === concurrency);
  },
})
