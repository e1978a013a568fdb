import type { RecordingFiles } from '#core/kernel/ports/recording-files.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'

export type CapacityExceeded = 'recording_disk_full' | 'recording_quota_reached'

/** Why the account cannot record, or fax, anything now; undefined when it can. */
export type MayRecord = (accountId: string) => Promise<CapacityExceeded | undefined>

/** How much must be left for the rest of the service. */
const minFreeShare = 0.05
const minFreeBytes = 512 * 1024 * 1024

/** Recordings and faxes together. What is under way is not interrupted: what it grows by counts when it is over. */
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
