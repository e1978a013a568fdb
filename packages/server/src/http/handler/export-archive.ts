import { Problem } from '@offhook/contract/problem.ts'
import type { ExportArchives } from '#core/kernel/ports/account.ts'
import type { StoredExport } from '#core/kernel/ports/store/account.ts'
import type { FileReply } from '../reply/send-file.ts'

/** `note` writes the access to the audit log, before any archive is sent. */
export const archiveReply = async (
  archives: ExportArchives,
  { accountId, id, state, requestedAt }: StoredExport,
  note: () => Promise<void>,
): Promise<FileReply> => {
  if (state !== 'READY') throw new Problem('export_not_ready')
  const file = await archives.open({ accountId, exportId: id })
  if (!file) throw new Problem('export_not_found')
  try {
    await note()
  } catch (error) {
    await file.close()
    throw error
  }
  return { file, name: `export-${new Date(requestedAt).toISOString().slice(0, 10)}.tar`, tag: id }
}
