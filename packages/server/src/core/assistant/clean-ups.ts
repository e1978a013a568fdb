import { forgetDocuments } from '#core/account/flows/change-flow.ts'
import type { CleanUps } from '#core/kernel/ports/account.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Task } from '#core/kernel/work/worker.ts'

const accountJob = 'assistant.erase-account'
/** Delay after which last-moment records have been written too. */
const lastMomentMs = 60_000

/** Deletes assistants, their knowledge and their results with the account. */
export const assistantCleanUps = (clock: Clock): Pick<CleanUps, 'accountCloses'> => ({
  accountCloses: (tables, accountId) =>
    tables.jobs.schedule({
      id: `${accountJob}:${accountId}`,
      kind: accountJob,
      payload: { accountId },
      dueAt: clock.now() + lastMomentMs,
    }),
})

export const assistantEraseJobs = ({ store, clock }: { store: Store; clock: Clock }): Record<string, Task> => ({
  [accountJob]: async (payload) => {
    const { accountId } = payload as { accountId: string }
    await store.write(async (tables) => {
      await tables.results.removeOf(accountId)
      await forgetDocuments(tables, await tables.knowledge.listOf(accountId), clock.now())
      await tables.assistants.removeOf(accountId)
      await tables.flowVersions.removeOf(accountId)
      await tables.scenarios.removeOf(accountId)
      await tables.testRuns.removeOf(accountId)
    })
  },
})
