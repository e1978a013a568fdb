import type { Clock } from '#core/kernel/ports/clock.ts'
import type { FaxFiles } from '#core/kernel/ports/fax-papers.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { eraseOld } from '#core/telephone/recordings/erase-old.ts'
import type { RecurringWork } from '#core/kernel/work/recurring.ts'
import { forgetFax } from './erase-fax.ts'

const hour = 3_600_000
const day = 24 * hour

export interface FaxSweepDeps {
  store: Store
  clock: Clock
  /** The clock that file times go by. */
  wallClock: Clock
  files: FaxFiles
  /** 0: for ever. */
  keptDays: number
}

/** Erases what is older than it may be, and files of which nothing tells. */
export const faxSweeps = (deps: FaxSweepDeps): RecurringWork[] => [
  { kind: 'fax.sweep', everyMs: hour, work: () => eraseOldFaxes(deps) },
  { kind: 'fax.strays', everyMs: day, work: () => eraseOrphans(deps) },
]

const eraseOldFaxes = ({ store, clock, files, keptDays: retentionDays }: FaxSweepDeps): Promise<void> =>
  eraseOld({
    store,
    clock,
    keptDays: retentionDays,
    listBefore: (at, limit) => store.read.faxes.listOverBefore(at, limit),
    eraseFiles: ({ accountId, id }) => files.erase(accountId, id),
    forget: forgetFax,
  })

/** Files of orders whose process was lost before they were written. */
const eraseOrphans = async ({ store, wallClock, files }: FaxSweepDeps): Promise<void> => {
  for await (const { accountId, faxId, changedAt } of files.list()) {
    if (changedAt > wallClock.now() - day || (await store.read.faxes.find(accountId, faxId))) continue
    await files.erase(accountId, faxId)
  }
}
