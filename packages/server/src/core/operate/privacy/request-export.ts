import { Problem } from '@offhook/contract/problem.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { ExportArchives, DataSubject } from '#core/kernel/ports/account.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { StoredExport } from '#core/kernel/ports/store/account.ts'
import { buildJob, buildJobId } from './build-export.ts'
import { referenceOf, sealSubject, typeOfSubject } from './subject.ts'

const retentionMs = 7 * 24 * 3_600_000
/** Limited, since archives can be large. */
const maxExportsOfRequester = 5
const maxExportsOfAccount = 20

/** Part of a transaction. */
export const requestExport = async (
  tables: Tables,
  { clock, vault }: { clock: Clock; vault: Vault },
  { id, subject, requestedBy }: { id: string; subject: DataSubject; requestedBy: string },
): Promise<StoredExport> => {
  const { accountId } = subject
  await tables.accounts.lock(accountId)
  const ofAccount = await tables.dataExports.count(accountId)
  const ofRequester = await tables.dataExports.count(accountId, requestedBy)
  if (ofAccount >= maxExportsOfAccount || ofRequester >= maxExportsOfRequester) throw new Problem('export_limit_reached')
  const requestedAt = clock.now()
  const request = {
    id,
    subjectType: typeOfSubject(subject),
    reference: referenceOf(vault, subject),
    subjectSealed: sealSubject(vault, subject),
    requestedBy,
    requestedAt,
    state: 'PENDING',
    expiresAt: requestedAt + retentionMs,
  } as const
  await tables.dataExports.insert(accountId, request)
  await tables.jobs.schedule(buildJob({ accountId, id }, requestedAt))
  return { ...request, accountId, readyAt: undefined, archive: undefined }
}

/** Removes the archive first: an export without its archive can be removed again, an archive without its export is not found. */
export const removeExport = async (
  { store, archives }: { store: Store; archives: ExportArchives },
  { accountId, id }: Pick<StoredExport, 'accountId' | 'id'>,
  note?: (tables: Tables) => Promise<void>,
): Promise<void> => {
  await archives.remove({ accountId, exportId: id })
  await store.write(async (tables) => {
    await tables.dataExports.remove(accountId, id)
    await tables.jobs.cancel(buildJobId(id))
    await note?.(tables)
  })
}
