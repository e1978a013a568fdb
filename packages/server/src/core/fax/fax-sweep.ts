import type { Clock } from '../ports/clock.ts'
import type { FaxFiles } from '../ports/fax-papers.ts'
import type { Store } from '../ports/store/index.ts'
import type { RecurringWork } from '../work/recurring.ts'
import { forgetFax } from './erase-fax.ts'

const hour = 3_600_000
const day = 24 * hour
/** In one transaction: writers queue behind it. */
const atOnce = 100

export interface FaxSweepParts {
  store: Store
  clock: Clock
  /** What files go by. */
  wallClock: Clock
  files: FaxFiles
  /** 0: for ever. */
  keptDays: number
}

/** Erases what is older than it may be, and files of which nothing tells. */
export const faxSweeps = (parts: FaxSweepParts): RecurringWork[] => [
  { kind: 'fax.sweep', everyMs: hour, work: () => eraseOld(parts) },
  { kind: 'fax.strays', everyMs: day, work: () => eraseStrays(parts) },
]

const eraseOld = async (parts: FaxSweepParts): Promise<void> => {
  if (parts.keptDays === 0) return
  while ((await eraseOldest(parts)) === atOnce);
}

/** Files first: a row whose files could not be erased is found again the next time. Gives how many there were. */
const eraseOldest = async ({ store, clock, files, keptDays }: FaxSweepParts): Promise<number> => {
  const at = clock.now()
  const old = await store.read.faxes.listOverBefore(at - keptDays * day, atOnce)
  const outcomes = await Promise.allSettled(old.map(({ accountId, id }) => files.erase(accountId, id)))
  await store.write(async (tables) => {
    for (const [index, fax] of old.entries()) if (outcomes[index]?.status === 'fulfilled') await forgetFax(tables, fax, at)
  })
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed) throw failed.reason
  return old.length
}

/** Of orders that came to nothing when a process did. */
const eraseStrays = async ({ store, wallClock, files }: FaxSweepParts): Promise<void> => {
  for await (const { accountId, faxId, changedAt } of files.list()) {
    if (changedAt > wallClock.now() - day || (await store.read.faxes.find(accountId, faxId))) continue
    await files.erase(accountId, faxId)
  }
}
