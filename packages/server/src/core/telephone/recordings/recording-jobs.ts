import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { RecordingFiles } from '#core/kernel/ports/files.ts'
import type { HistoryEntry } from '#core/kernel/ports/store/call.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import { DeferredError, type Task } from '#core/kernel/work/worker.ts'
import { type EraseJob, eraseJob, eraseRecordings, recordingIdsOf } from './erase-recordings.ts'

const accountJob = 'recording.erase-account'
const userJob = 'recording.erase-user'
/** A machine that comes back later erases the file by its own sweep. */
const maxAwayMs = 30 * 24 * 3_600_000
const awayRetryMs = 10 * 60_000
/** Rows per transaction: writers queue behind it. */
const batchSize = 100

/** Part of the transaction that closes the account: erases all its recordings. */
export const eraseOfAccount = (tables: Tables, accountId: string, at: number): Promise<void> =>
  tables.jobs.schedule({ id: `${accountJob}:${accountId}`, kind: accountJob, payload: { accountId }, dueAt: at })

/** Part of the transaction that removes a user's data: erases recordings only they could hear. */
export const eraseOfUser = (tables: Tables, accountId: string, userId: string, at: number): Promise<void> =>
  tables.jobs.schedule({ id: `${userJob}:${accountId}:${userId}`, kind: userJob, payload: { accountId, userId }, dueAt: at })

interface RecordingJobsDeps {
  store: Store
  clock: Clock
  files: RecordingFiles
  /** Erases related data of these entries in the same transaction. */
  alsoErase: (tables: Tables, accountId: string, entries: readonly HistoryEntry[]) => Promise<void>
}

export const recordingJobs = ({ store, clock, files, alsoErase }: RecordingJobsDeps): Record<string, Task> => ({
  [eraseJob]: async (payload) => {
    const { since = 0, ...file } = payload as EraseJob
    try {
      await files.erase(file)
    } catch (error) {
      const isAway = error instanceof Problem && error.code === 'unavailable' && file.place !== undefined
      if (!isAway || clock.now() > since + maxAwayMs) throw error
      throw new DeferredError('the machine that has the file is away', awayRetryMs)
    }
  },

  [accountJob]: async (payload) => {
    const { accountId } = payload as { accountId: string }
    const some = () =>
      store.write(async (tables) => {
        const recordings = await tables.recordings.list(accountId, batchSize)
        await eraseRecordings(tables, recordings, clock.now())
        return recordings.length
      })
    while ((await some()) === batchSize);
  },

  [userJob]: async (payload) => {
    const { accountId, userId } = payload as { accountId: string; userId: string }
    let after: HistoryEntry | undefined
    do {
      const page = { limit: batchSize, ...(after && { after }) }
      const entries = await store.read.history.list(accountId, { seenBy: { userId, extensions: [] } }, page)
      await store.write(async (tables) => {
        const own = entries.filter(isPrivate)
        await eraseOfEntries(tables, accountId, own, clock.now())
        await alsoErase(tables, accountId, own)
        for (const { sessionId } of own) await tables.timelines.remove(accountId, sessionId)
      })
      after = entries.length === batchSize ? entries.at(-1) : undefined
    } while (after)
  },
})

/** Recordings of groups and assistants stay: other users manage those. */
const isPrivate = ({ connectionIds }: HistoryEntry): boolean =>
  connectionIds.every((extension) => /^[a-y]\d+$/.test(extension) && !extension.startsWith('g'))

const eraseOfEntries = async (tables: Tables, accountId: string, entries: readonly HistoryEntry[], at: number): Promise<void> => {
  for (const id of entries.flatMap(recordingIdsOf)) {
    const recording = await tables.recordings.find(accountId, id)
    if (recording) await eraseRecordings(tables, [recording], at)
  }
}
