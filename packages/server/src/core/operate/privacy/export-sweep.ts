import type { Clock } from '#core/kernel/ports/platform.ts'
import type { ExportArchives } from '#core/kernel/ports/account.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { RecurringWork } from '#core/kernel/work/recurring.ts'
import { removeExport } from './request-export.ts'

const hourMs = 3_600_000
const batch = 50

interface ExportSweepDeps {
  store: Store
  clock: Clock
  archives: ExportArchives
}

/** Removes expired exports, and archives without an export. */
export const exportSweeps = (deps: ExportSweepDeps): RecurringWork[] => [
  { kind: 'personal-data.sweep', intervalMs: hourMs, work: () => removeExpired(deps) },
  { kind: 'personal-data.strays', intervalMs: 24 * hourMs, work: () => removeStrays(deps) },
]

const removeExpired = async (deps: ExportSweepDeps): Promise<void> => {
  const { store, clock } = deps
  for (;;) {
    const expired = await store.read.dataExports.listExpired(clock.now(), batch)
    for (const one of expired) await removeExport(deps, one)
    if (expired.length < batch) return
  }
}

const removeStrays = async ({ store, archives }: ExportSweepDeps): Promise<void> => {
  await archives.removeLeftovers()
  for await (const name of archives.list())
    if (!(await store.read.dataExports.find(name.accountId, name.exportId))) await archives.remove(name)
}
