import type { CleanUps } from '#core/kernel/ports/account/clean-ups.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { Task } from '#core/kernel/work/worker.ts'

const accountJob = 'assistant.erase-account'
/** By then what ended in the last moment is written, too. */
const lastMomentMs = 60_000

/** What assistants found out goes with the account. */
export const assistantCleanUps = (clock: Clock): Pick<CleanUps, 'accountCloses'> => ({
  accountCloses: (tables, accountId) =>
    tables.jobs.schedule({
      id: `${accountJob}:${accountId}`,
      kind: accountJob,
      payload: { accountId },
      dueAt: clock.now() + lastMomentMs,
    }),
})

export const assistantEraseJobs = ({ store }: { store: Store }): Record<string, Task> => ({
  [accountJob]: async (payload) => {
    const { accountId } = payload as { accountId: string }
    await store.write((tables: Tables) => tables.results.removeOf(accountId))
  },
})
