import type { Clock } from '#core/kernel/ports/clock.ts'
import type { HistoryEntry } from '#core/kernel/ports/store/call/history.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { Task } from '#core/kernel/work/worker.ts'

const handOverJob = 'account.hand_over_history'
const concurrency = 100

interface HandOver {
  accountId: string
  from: string
  to: string
}

/** In a job, because there may be hundreds of thousands. */
export const handOverHistory = (tables: Tables, clock: Clock, handOver: HandOver): Promise<void> =>
  tables.jobs.schedule({
    id: `${handOverJob}:${handOver.accountId}:${handOver.from}`,
    kind: handOverJob,
    payload: handOver,
    dueAt: clock.now(),
  })

export const handOverJobs = ({ store, clock }: { store: Store; clock: Clock }): Record<string, Task> => ({
  [handOverJob]: async (payload) => {
    const { accountId, from, to } = payload as HandOver
    let after: HistoryEntry | undefined
    do {
      const page = { limit: concurrency, ...(after && { after }) }
      const entries = await store.read.history.list(accountId, { seenBy: { userId: from, extensions: [] } }, page)
      await store.write(async (tables) => {
        for (const { id, userId } of entries) if (userId === from) await tables.history.update(accountId, id, { userId: to }, clock.now())
      })
      after = entries.length === concurrency ? entries.at(-1) : undefined
    } while (after)
  },
})
