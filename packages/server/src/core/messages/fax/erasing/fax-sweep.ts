import type { Clock } from '#core/kernel/ports/clock.ts'
import type { FaxFiles } from '#core/kernel/ports/fax-papers.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { eraseOld } from '#core/telephone/recordings/erase-old.ts'
import type { RecurringWork } from '#core/kernel/work/recurring.ts'
import { forgetFax } from './erase-fax.ts'

const hour = 3_600_000
const day = 24 * hour

export interface FaxSweepParts {
  store: Store
  clock: Clock
  /** The clock that file times go by. */
  wallClock: Clock
  files: FaxFiles
  /** 0: for ever. */
  keptDays: number
}

/** Erases what is older than it may be, and files of which nothing tells. */
export const faxSweeps = (parts: FaxSweepParts): RecurringWork[] => [
  { kind: 'fax.sweep', everyMs: hour, work: () => eraseOldFaxes(parts) },
  { kind: 'fax.strays', everyMs: day, work: () => eraseStrays(parts) },
]

const eraseOldFaxes = ({ store, clock, files, keptDays }: FaxSweepParts): Promise<void> =>
  eraseOld({
    store,
    clock,
    keptDays,
    listBefore: (at, limit) => store.read.faxes.listOverBefore(at, limit),
    eraseFiles: ({ accountId, id }) => files.erase(accountId, id),
    forget: forgetFax,
  })

/** Files of orders whose process was lost before they were written. */
const eraseStrays = async ({ store, wallClock, files }: FaxSweepParts): Promise<void> => {
  for await (const { accountId, faxId, changedAt } of files.list()) {
    if (changedAt > wallClock.now() - day || (await store.read.faxes.find(accountId, faxId))) continue
    await files.erase(accountId, faxId)
  }
}
