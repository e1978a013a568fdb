import type { Clock } from '#core/kernel/ports/platform.ts'
import type { FaxFiles } from '#core/kernel/ports/messages.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { eraseOld } from '#core/telephone/recordings/recording-sweep.ts'
import type { RecurringWork } from '#core/kernel/work/recurring.ts'
import { eraseFax, forgetFax } from './erase-fax.ts'

const hour = 3_600_000
const day = 24 * hour
/** Faxes per transaction: writers queue behind it. */
const concurrency = 50

interface FaxSweepDeps {
  store: Store
  clock: Clock
  /** Clock of the file times. */
  wallClock: Clock
  files: FaxFiles
  /** Days; 0: unlimited. */
  retentionDays: number
}

/** Erases expired faxes and orphaned files. */
export const faxSweeps = (deps: FaxSweepDeps): RecurringWork[] => [
  { kind: 'fax.sweep', intervalMs: hour, work: () => eraseOldFaxes(deps) },
  { kind: 'fax.strays', intervalMs: day, work: () => eraseOrphans(deps) },
]

const eraseOldFaxes = ({ store, clock, files, retentionDays }: FaxSweepDeps): Promise<void> =>
  eraseOld({
    store,
    clock,
    retentionDays,
    listBefore: (at, limit) => store.read.faxes.listOverBefore(at, limit),
    eraseFiles: ({ accountId, id }) => files.erase(accountId, id),
    forget: forgetFax,
  })

/** Erases finished faxes of one account created before the time; separate jobs erase their files. Yields after each transaction. */
export async function* eraseFaxesBefore(
  { store, clock }: Pick<FaxSweepDeps, 'store' | 'clock'>,
  accountId: string,
  before: number,
): AsyncGenerator<void> {
  const some = () =>
    store.write(async (tables) => {
      const old = await tables.faxes.listOverOfBefore(accountId, before, concurrency)
      for (const fax of old) await eraseFax(tables, clock, fax)
      return old.length
    })
  while ((await some()) === concurrency) yield
  yield
}

/** Erases files of orders whose node crashed before writing them to the store. */
const eraseOrphans = async ({ store, wallClock, files }: FaxSweepDeps): Promise<void> => {
  for await (const { accountId, faxId, changedAt } of files.list()) {
    if (changedAt > wallClock.now() - day || (await store.read.faxes.find(accountId, faxId))) continue
    await files.erase(accountId, faxId)
  }
}
