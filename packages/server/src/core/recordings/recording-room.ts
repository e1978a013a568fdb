import type { RecordingFiles } from '../ports/recording-files.ts'
import type { Store } from '../ports/store/index.ts'

export type NoRoom = 'recording_disk_full' | 'recording_quota_reached'

/** Why the account cannot record anything now; undefined when it can. */
export type MayRecord = (accountId: string) => Promise<NoRoom | undefined>

/** So much must be left for the rest of the service. */
const leastFreeShare = 0.05
const leastFreeBytes = 512 * 1024 * 1024

/** A recording that runs is not interrupted: what it grows by counts when it is over. */
export const mayRecord =
  (store: Store, files: RecordingFiles, quotaBytes: number): MayRecord =>
  async (accountId) => {
    const [{ bytes, free }, used] = await Promise.all([files.room(), store.read.recordings.totalBytes(accountId)])
    if (free < leastFreeBytes || free < bytes * leastFreeShare) return 'recording_disk_full'
    return used >= quotaBytes ? 'recording_quota_reached' : undefined
  }
