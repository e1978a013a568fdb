import type { Clock } from '#core/kernel/ports/clock.ts'
import type { RecordingFiles } from '#core/kernel/ports/recording-files.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { RecordingFile } from '#core/kernel/ports/telephony.ts'
import type { RecurringWork } from '#core/kernel/work/recurring.ts'
import { eraseOld } from './erase-old.ts'
import { forgetRecording } from './erase-recordings.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
/** Longer than anything stays unwritten that a running call records. */
const silentMs = 10 * minute

export interface RecordingSweepDeps {
  store: Store
  clock: Clock
  /** What the time of files is. */
  wallClock: Clock
  files: RecordingFiles
  /** 0: for ever. */
  keptDays: number
}

/** Erases what is older than it may be, and files of which nothing tells. */
export const recordingSweeps = (deps: RecordingSweepDeps): RecurringWork[] => [
  { kind: 'recording.sweep', everyMs: hour, work: () => eraseOldRecordings(deps) },
  { kind: 'recording.strays', everyMs: day, work: () => settleOrphans(deps) },
]

const eraseOldRecordings = ({ store, clock, files, keptDays: retentionDays }: RecordingSweepDeps): Promise<void> =>
  eraseOld({
    store,
    clock,
    keptDays: retentionDays,
    listBefore: (at, limit) => store.read.recordings.listBefore(at, limit),
    eraseFiles: (recording) => files.erase(recording),
    forget: forgetRecording,
  })

/**
 * A file without a row: a call may run, or may have to be ended for a process that is gone, or an entry may tell of it, as those of earlier
 * versions do. Otherwise it belongs to no call, and goes after a day.
 */
const settleOrphans = async (deps: RecordingSweepDeps): Promise<void> => {
  const { store, wallClock, files } = deps
  const now = wallClock.now()
  for await (const file of files.list()) {
    if (file.changedAt > now - silentMs) continue
    const known = await store.read.recordings.find(file.accountId, file.id)
    if (known?.bytes === 0) await fill(deps, file)
    if (known) continue
    if ((await store.read.runningCalls.haveRecording(file.id)) || (await adopt(deps, file))) continue
    if (file.changedAt < now - day) await files.erase(file)
  }
}

/** It lay on another machine when its call was written down. */
const fill = async ({ store, files }: RecordingSweepDeps, file: RecordingFile): Promise<void> => {
  const measured = await files.measure(file)
  if (measured) await store.write((tables) => tables.recordings.fill(file.accountId, file.id, measured))
}

const adopt = async ({ store, files }: RecordingSweepDeps, file: RecordingFile & { changedAt: number }): Promise<boolean> => {
  const { accountId, id, changedAt } = file
  const entry = await store.read.history.findByRecording(accountId, id)
  const measured = entry && (await files.measure(file))
  if (!entry || !measured) return false
  const kind = entry.type === 'VOICEMAIL' ? 'VOICEMAIL' : 'CALL'
  const createdAt = changedAt - measured.durationMs
  await store.write((tables) =>
    tables.recordings.insert({ id, accountId, callId: entry.sessionId, kind, createdAt, ...measured, truncated: false }),
  )
  return true
}
