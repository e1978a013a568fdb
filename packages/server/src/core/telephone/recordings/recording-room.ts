import type { RecordingFiles } from '#core/kernel/ports/files.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'

export type CapacityExceeded = 'recording_disk_full' | 'recording_quota_reached'

/** Why the account cannot record or receive a fax now; undefined when it can. */
export type MayRecord = (accountId: string) => Promise<CapacityExceeded | undefined>

/** Disk space reserved for the rest of the service. */
const minFreeShare = 0.05
const minFreeBytes = 512 * 1024 * 1024

/** Counts recordings and faxes together. Running recordings are not interrupted; their size counts when they end. */
export const mayRecord =
  (store: Store, files: RecordingFiles, quotaBytes: number): MayRecord =>
  async (accountId) => {
    const { recordings, faxes } = store.read
    const [{ bytes, free }, recorded, faxed] = await Promise.all([
      files.room(),
      recordings.totalBytes(accountId),
      faxes.totalBytes(accountId),
    ])
    if (free < minFreeBytes || free < bytes * minFreeShare) return 'recording_disk_full'
    return recorded + faxed >= quotaBytes ? 'recording_quota_reached' : undefined
  }
