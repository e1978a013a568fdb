import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { MeasuredRecording, RecordingFiles } from '#core/kernel/ports/files.ts'
import type { HistoryEntry } from '#core/kernel/ports/store/call.ts'
import type { StoredRecording } from '#core/kernel/ports/store/recording.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { RecordingFile } from '#core/kernel/ports/audio.ts'
import type { RecurringWork } from '#core/kernel/work/recurring.ts'
import { eraseFile, forgetRecording } from './erase-recordings.ts'
import type { RetentionKind } from '@offhook/contract/v1/settings/retention.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** Longer than a running recording stays without a write. */
const silentMs = 10 * minuteMs
/** Rows per transaction: writers queue behind it. */
const recordingsPerTransaction = 50

interface RecordingSweepDeps {
  store: Store
  clock: Clock
  /** Clock of file timestamps. */
  wallClock: Clock
  files: RecordingFiles
  /** 0: forever. */
  retentionDays: number
  /** How long a file of a lost machine is awaited. */
  waitHours: number
}

/** Erases recordings past their retention, and orphaned files; measures files of machines that have come back. */
export const recordingSweeps = (deps: RecordingSweepDeps): RecurringWork[] => [
  { kind: 'recording.sweep', intervalMs: hourMs, work: () => eraseOldRecordings(deps) },
  { kind: 'recording.strays', intervalMs: dayMs, work: () => settleOrphans(deps) },
  { kind: 'recording.awaited', intervalMs: 5 * minuteMs, work: () => lookForAwaited(deps) },
]

const eraseOldRecordings = ({ store, clock, files, retentionDays }: RecordingSweepDeps): Promise<void> =>
  eraseOld({
    store,
    clock,
    retentionDays,
    listBefore: (at, limit) => store.read.recordings.listBefore(at, limit),
    eraseFiles: (recording) => files.erase(recording),
    forget: forgetOld,
  })

/** Erases a voicemail together with its transcription. */
const forgetOld = async (tables: Tables, recording: StoredRecording, at: number): Promise<void> => {
  const { accountId, callId, kind } = recording
  await forgetRecording(tables, recording, at)
  if (kind !== 'VOICEMAIL') return
  for (const entry of await tables.history.listBySession(accountId, callId))
    if (entry.type === 'VOICEMAIL') await eraseText(tables, accountId, entry, at)
}

/** Erases older recordings of one account; each file has its own job. Yields after each transaction. */
export async function* eraseRecordingsBefore(
  { store, clock }: Pick<RecordingSweepDeps, 'store' | 'clock'>,
  accountId: string,
  kind: StoredRecording['kind'],
  before: number,
): AsyncGenerator<void> {
  const some = () =>
    store.write(async (tables) => {
      const old = await tables.recordings.listOfBefore(accountId, kind, before, recordingsPerTransaction)
      for (const recording of old) {
        await forgetOld(tables, recording, clock.now())
        await eraseFile(tables, recording, clock.now())
      }
      return old.length
    })
  while ((await some()) === recordingsPerTransaction) yield
  yield
}

type OrphanDeps = Pick<RecordingSweepDeps, 'store' | 'wallClock' | 'files'>

/**
 * Handles files without a row. A call may still run, may have to be ended for a dead node, or an entry of an earlier version may name the
 * file. Otherwise it belongs to no call and is erased after a day.
 */
export const settleOrphans = async (deps: OrphanDeps): Promise<void> => {
  const { store, wallClock, files } = deps
  const now = wallClock.now()
  for await (const file of files.list()) {
    if (file.changedAt > now - silentMs) continue
    const known = await store.read.recordings.find(file.accountId, file.id)
    if (known?.bytes === 0 && !known.awaited) await fill(deps, file)
    if (known) continue
    if ((await store.read.runningCalls.haveRecording(file.id)) || (await adopt(deps, file))) continue
    if (file.changedAt < now - dayMs) await files.erase(file)
  }
}

/** The file was on another machine when its call was written. */
const fill = async ({ store, files }: OrphanDeps, file: RecordingFile): Promise<void> => {
  const measured = await files.measure(file)
  if (measured) await store.write((tables) => tables.recordings.fill(file.accountId, file.id, { ...measured, awaited: false }))
}

/** Files of lost nodes: their machines may have come back, or uploaded more. After the wait, what is there is all there is. */
const lookForAwaited = async (deps: RecordingSweepDeps): Promise<void> => {
  const list = (after: string): Promise<StoredRecording[]> => deps.store.read.recordings.listAwaited(after, recordingsPerTransaction)
  const failures: unknown[] = []
  for (let some = await list(''); some.length > 0; some = await list(some.at(-1)?.id ?? '')) {
    for (const recording of some) await lookFor(deps, recording).catch((error: unknown) => failures.push(error))
    if (some.length < recordingsPerTransaction) break
  }
  if (failures.length > 0) throw failures[0]
}

const lookFor = async ({ store, clock, files, waitHours }: RecordingSweepDeps, recording: StoredRecording): Promise<void> => {
  const { accountId, id, createdAt, durationMs, bytes } = recording
  const measured = await files.measure(recording).catch(unlessAway)
  const isComplete = measured !== undefined && !measured.partial
  const awaited = !isComplete && clock.now() < createdAt + waitHours * hourMs
  if (awaited && (measured?.bytes ?? bytes) === bytes) return
  if (!awaited && measured?.partial) await files.settle(recording)
  await store.write((tables) => tables.recordings.fill(accountId, id, { durationMs, bytes, ...lengthOf(measured), awaited }))
}

const lengthOf = (measured: MeasuredRecording | undefined) => measured && { durationMs: measured.durationMs, bytes: measured.bytes }

/** Undefined for a file at a machine that is away. */
export const unlessAway = (error: unknown): undefined => {
  if (!(error instanceof Problem && error.code === 'unavailable')) throw error
}

const adopt = async ({ store, files }: OrphanDeps, file: RecordingFile & { changedAt: number }): Promise<boolean> => {
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

/** Rows per transaction: writers queue behind it. */
const batchSize = 100

interface StoredThings<T> {
  store: Store
  clock: Clock
  /** 0: forever. */
  retentionDays: number
  listBefore: (at: number, limit: number) => Promise<T[]>
  eraseFiles: (thing: T) => Promise<void>
  forget: (tables: Tables, thing: T, at: number) => Promise<void>
}

/** Erases items past their retention. */
export const eraseOld = async <T>(things: StoredThings<T>): Promise<void> => {
  if (things.retentionDays === 0) return
  while ((await eraseOldest(things)) === batchSize);
}

/** Erases files first, so that failed ones are found again next time. Returns the number of items. */
const eraseOldest = async <T>({ store, clock, retentionDays, listBefore, eraseFiles, forget }: StoredThings<T>): Promise<number> => {
  const at = clock.now()
  const old = await listBefore(at - retentionDays * dayMs, batchSize)
  const outcomes = await Promise.allSettled(old.map(eraseFiles))
  await store.write(async (tables) => {
    for (const [index, thing] of old.entries()) if (outcomes[index]?.status === 'fulfilled') await forget(tables, thing, at)
  })
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed) throw failed.reason
  return old.length
}

/** Rows per transaction: writers queue behind it. */
const textsPerTransaction = 100

/** Erases the transcription of a message; the entry stays. */
const eraseText = async (tables: Tables, accountId: string, entry: HistoryEntry, at: number): Promise<void> => {
  const { transcription, messageText, ...detail } = entry.detail
  if (transcription !== undefined || messageText !== undefined) await tables.history.update(accountId, entry.id, { detail }, at)
}

/** Erases the texts of older messages, starting where the sweep for `kind` stopped. Yields after each transaction. */
export async function* eraseTextsBefore(
  { store, clock }: { store: Store; clock: Clock },
  accountId: string,
  before: number,
  kind: RetentionKind,
): AsyncGenerator<void> {
  const from = await store.read.retentions.sweptTo(accountId, kind)
  let after: HistoryEntry | undefined
  do {
    const page = { limit: textsPerTransaction, oldestFirst: true, ...(after && { after }) }
    const entries = await store.read.history.list(accountId, { types: ['VOICEMAIL'], from, to: before - 1 }, page)
    const last = entries.at(-1)
    await store.write(async (tables) => {
      for (const { id } of entries) {
        const entry = await tables.history.find(accountId, id)
        if (entry) await eraseText(tables, accountId, entry, clock.now())
      }
      if (last) await tables.retentions.noteSwept(accountId, kind, last.createdAt)
    })
    after = entries.length === textsPerTransaction ? last : undefined
    yield
  } while (after)
}
