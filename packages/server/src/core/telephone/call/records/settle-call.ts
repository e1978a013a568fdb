import type { Tables, JournalEntry, WriteEntry } from '#core/kernel/ports/store/index.ts'
import type { RunningCallRecord } from './running-call-record.ts'
import { type Payable, type Prepaid, wholeSeconds, settleMeter, type SavedMeter } from '../money/prepaid.ts'
import type { Side, StoredSound, RejectionCause } from '../state/call-details.ts'
import { writeOrJournal, writeWithRetry, type RecordWriter } from '#core/kernel/work/write-with-retry.ts'
import { scheduleMissedCallNotification } from '#core/account/notifications/schedule-notification.ts'
import { scheduleTranscription, wantsText } from '#core/account/notifications/schedule-transcription.ts'
import type { HistoryEntry, CallStatus, CallHold } from '#core/kernel/ports/store/call.ts'
import type { StoredRecording } from '#core/kernel/ports/store/recording.ts'
import { notifyHangups } from './call-notifications.ts'
import { eraseFile } from '#core/telephone/recordings/erase-recordings.ts'
import type { End } from '#core/kernel/ports/calls.ts'
import { randomUUID } from 'node:crypto'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { readSnapshot, savedSides } from './snapshot.ts'
import type { CallContext } from '../state/call-context.ts'
import type { CallReports, CallTimeline } from './call-timeline.ts'

interface FinishedCall {
  callId: string
  startedAt: number
  endedAt: number
  end: End
}

/** A call that has ended, as far as settling needs it. */
interface SettledCall {
  readonly id: string
  readonly startedAt: number
  readonly endedAt: number | undefined
  readonly context: RecordWriter & Pick<CallContext, 'leases' | 'wake' | 'onFailure'>
  readonly details: { readonly sides: readonly Side[] }
  readonly books: RunningCallRecord
  readonly reports: Pick<CallReports, 'changed'>
  readonly timeline: Pick<CallTimeline, 'abandon' | 'close'>
}

/** Settles a call whose phones are gone: writes charges and records, then tells the observers. A call that was taken over is settled by its new node. */
export const settleCall = async (call: SettledCall, end: End, meters: readonly Prepaid[]): Promise<void> => {
  const { id, context, books, reports, timeline } = call
  const ours = end.taken ? await books.stop().then(() => false) : await writeRecords(call, end, meters)
  context.leases.release(`call ${id}`)
  reports.changed(ours ? 'ended' : 'taken')
  if (ours) timeline.close()
  else timeline.abandon()
}

/** False when another node already settled the call. */
const writeRecords = async (call: SettledCall, end: End, meters: readonly Prepaid[]): Promise<boolean> => {
  const { id: callId, startedAt, endedAt = startedAt, context, books, details } = call
  const { sides } = details
  const finished = { callId, startedAt, endedAt, end, sides, meters, books }
  const ours = await writeCallRecords(context, finished).catch((error: unknown) => context.onFailure(error, callId))
  if (ours && sides.some(({ followed }) => followed.length > 0)) context.wake()
  return ours ?? true
}

/** Data to settle and write at the end of a call. */
interface EndedCallRecord extends FinishedCall {
  sides: readonly Side[]
  meters: readonly Prepaid[]
  /** Record written while the call ran. */
  books: RunningCallRecord
}

/** Writes everything in one transaction at the end of a call: charges and the history of all involved accounts. False when another node owns the call. */
const writeCallRecords = async (bookkeeping: RecordWriter, call: EndedCallRecord): Promise<boolean> => {
  const { callId, sides, meters, books } = call
  await books.stop()
  if (sides.length === 0 && meters.length === 0 && !books.opened) return true
  let ours = true
  const write = async (tables: Tables): Promise<void> => {
    const removed = books.opened && (await tables.runningCalls.remove(books.hold))
    // Another node did or does all this, or an earlier attempt did and its reply was lost.
    if (books.written && !removed) {
      ours = !(await tables.runningCalls.has(callId))
      return
    }
    for (const meter of meters) await meter.settle(tables)
    await writeEntries(tables, call, sides)
  }
  await writeOrJournal(bookkeeping, callId, write, () => journaledEnd(call))
  return ours
}

/** Part of a transaction, which may be retried: existing rows are not written twice. */
export const writeEntries = async (tables: Tables, call: FinishedCall, sides: readonly Side[]): Promise<void> => {
  for (const side of call.end.elsewhere ? [] : sides)
    for (const [index, entry] of historyEntries(side, call).entries())
      await writeEntry(tables, side.accountId, index === 0 ? { ...entry, edgeCall: side.edgeCall } : entry)
  await notifyHangups(tables, sides, call)
  for (const side of sides) await keepRecordings(tables, side, call.callId)
}

const writeEntry = async (tables: Tables, accountId: string, entry: HistoryEntry): Promise<void> => {
  const asText = await wantsText(tables, accountId, entry)
  const written: HistoryEntry = asText ? { ...entry, detail: { ...entry.detail, messageText: { state: 'PENDING' } } } : entry
  if (!(await tables.history.insert(accountId, written))) return
  if (asText) await scheduleTranscription(tables, accountId, written)
  else await scheduleMissedCallNotification(tables, accountId, written)
}

/** Part of the transaction that writes the history entry: stores its files. */
const keepRecordings = async (tables: Tables, side: Side, callId: string): Promise<void> => {
  const { accountId, recordings, message } = side
  const keep = (kind: StoredRecording['kind'], sound: StoredSound, partOf?: string): Promise<void> => {
    const { id, at: createdAt, durationMs, bytes, truncated, place, awaited = false } = sound
    return tables.recordings.insert({ id, accountId, callId, kind, createdAt, durationMs, bytes, truncated, partOf, place, awaited })
  }
  for (const [first, ...others] of joined(recordings)) {
    await keep('CALL', first)
    for (const part of others) await keep('CALL', part, first.id)
  }
  if (!message || !isThere(message)) return
  if (!messageOf(side)) return eraseFile(tables, { accountId, id: message.id, place: message.place }, message.at)
  await keep('VOICEMAIL', message)
}

/** The files of each recording, in the order of their times. */
const joined = (sounds: readonly StoredSound[]): [StoredSound, ...StoredSound[]][] => {
  const recordings = new Map<string, [StoredSound, ...StoredSound[]]>()
  for (const sound of sounds.filter(isThere)) {
    const { id, joins = id } = sound
    const before = recordings.get(joins)
    if (before) before.push(sound)
    else recordings.set(joins, [sound])
  }
  return [...recordings.values()]
}

const minMessageMs = 1_000

/** The voicemail message; undefined when the caller hung up at the tone. */
const messageOf = ({ message }: Side): StoredSound | undefined => (message && message.durationMs >= minMessageMs ? message : undefined)

/**
 * History entries of an account for a finished call. The voicemail owner gets an entry for the message. A user who called a colleague's voicemail, or
 * talked before the call was transferred to it, gets a call entry instead, which gives no access to the message.
 */
const historyEntries = (side: Side, call: FinishedCall): HistoryEntry[] => {
  const { mailbox } = side
  if (side.fax && isOnlyFax(side)) return []
  const message = messageOf(side)
  if (!mailbox || !message) return [entryOf(side, call, outcome(side, call))]
  const { userId, extension, voicemailId, from: source, called: target } = mailbox
  if (side.direction === 'INCOMING' && !mailbox.afterTalk)
    return [entryOf({ ...side, userId }, call, voicemail([message, ...side.recordings]))]
  const connections = new Set([extension, voicemailId])
  const endpoints = side.endpoints.filter((one) => connections.has(one.extension))
  const others = [...side.connections].filter((one) => !connections.has(one))
  return [
    entryOf({ ...side, connections: new Set(others) }, call, outcome(side, call)),
    entryOf({ userId, source, target, connections, endpoints }, call, voicemail([message])),
  ]
}

/** Only the fax line was involved: the fax has its own entry. */
const isOnlyFax = ({ direction, connections }: Side): boolean => direction === 'INCOMING' && connections.size === 1

type HistoryParties = Pick<Side, 'userId' | 'source' | 'target' | 'connections' | 'endpoints' | 'correlationId'>
type Outcome = Pick<HistoryEntry, 'type' | 'direction' | 'status' | 'detail'>

const entryOf = (
  { userId, source, target, connections, endpoints, correlationId }: HistoryParties,
  call: FinishedCall,
  out: Outcome,
): HistoryEntry => ({
  id: randomUUID(),
  userId,
  sessionId: call.callId,
  ...(correlationId !== undefined && { correlationId }),
  source: source.number,
  target: target.number,
  sourceAlias: source.alias,
  targetAlias: target.alias,
  connectionIds: [...connections],
  endpoints: [...endpoints],
  createdAt: call.startedAt,
  modifiedAt: call.endedAt,
  read: false,
  archived: false,
  starred: false,
  note: '',
  labels: [],
  ...out,
})

const outcome = (side: Side, call: FinishedCall): Outcome => {
  if (side.answeredAt === undefined) return missed(side, statuses[side.refusal ?? call.end.cause])
  if (side.mailbox && !side.mailbox.afterTalk && !messageOf(side)) return missed(side, 'VOICEMAIL_NO_MESSAGE')
  const duration = wholeSeconds(side.answeredAt, side.leftAt ?? call.endedAt)
  const status = side.pickedUp || side.direction === 'OUTGOING' ? 'PICKUP' : 'FORWARD'
  return { type: 'CALL', direction: side.direction, status, detail: { duration, callStatus: 'SUCCESS', ...recordingsOf(side.recordings) } }
}

const voicemail = (sounds: readonly [StoredSound, ...StoredSound[]]): Outcome => ({
  type: 'VOICEMAIL',
  direction: 'INCOMING',
  status: 'NOPICKUP',
  detail: { duration: Math.round(sounds[0].durationMs / 1000), ...recordingsOf(sounds) },
})

const missed = (side: Side, callStatus: CallStatus): Outcome => ({
  type: 'CALL',
  direction: `MISSED_${side.direction}`,
  status: callStatus === 'BUSY' || callStatus === 'BUSY_ON_BUSY' ? 'BUSY' : 'NOPICKUP',
  detail: { duration: 0, callStatus, ...recordingsOf(side.recordings) },
})

/** False for a recording that could not be written at all. */
const isThere = ({ bytes, awaited = false }: StoredSound): boolean => bytes > 0 || awaited

const recordingsOf = (sounds: readonly StoredSound[]) => {
  const kept = joined(sounds)
  return kept.length > 0 && { recordings: kept.map(elementOf) }
}

/** The end of a recording is that of its last file. `parts` says that there is more to know in its rows. */
const elementOf = (files: [StoredSound, ...StoredSound[]]) => {
  const [{ id, awaited = false }] = files
  const isTruncated = files.at(-1)?.truncated
  return { id, ...(isTruncated && { truncated: true }), ...((files.length > 1 || awaited) && { parts: files.length }) }
}

const statuses: Record<RejectionCause, CallStatus> = {
  busy: 'BUSY',
  busy_on_busy: 'BUSY_ON_BUSY',
  do_not_disturb: 'REJECTED_DND',
  rejected: 'REJECTED',
  anonymity_refused: 'REJECTED',
  normal: 'MISSED',
  answered_elsewhere: 'MISSED',
  no_answer: 'MISSED',
  unavailable: 'MISSED',
  unreachable: 'MISSED',
  not_found: 'FAILURE',
  forbidden: 'FAILURE',
  payment_required: 'FAILURE',
  daily_limit_reached: 'FAILURE',
  call_limit_reached: 'FAILURE',
  leash_spent: 'FAILURE',
  loop: 'FAILURE',
  not_acceptable: 'FAILURE',
  media_timeout: 'FAILURE',
  overloaded: 'FAILURE',
  out_of_service: 'FAILURE',
  failed: 'FAILURE',
}

export const endedCall = 'call.ended'

interface StoredEnd {
  callId: string
  endedAt: number
  end: End
  hold: CallHold
  /** `opened`: the store may contain the call; `written`: it certainly does. */
  opened: boolean
  written: boolean
  /** Same format as a snapshot. */
  call: Partial<Record<string, unknown>>
}

interface EndedCall extends FinishedCall {
  sides: readonly Side[]
  meters: readonly { readonly saved: SavedMeter }[]
  books: { readonly hold: CallHold; readonly opened: boolean; readonly written: boolean }
}

/** Journal entry for a finished call. */
const journaledEnd = ({ callId, startedAt, endedAt, end, sides, meters, books }: EndedCall): JournalEntry => {
  const saved = { startedAt, sides: savedSides(sides), meters: meters.map((meter) => meter.saved), recordings: [], dialogs: [] }
  const payload: StoredEnd = { callId, endedAt, end, hold: books.hold, opened: books.opened, written: books.written, call: saved }
  return { kind: endedCall, id: callId, payload }
}

/** Does what `writeCallRecords` would have done. */
export const writeJournaledEnd =
  (clock: Clock): WriteEntry =>
  async (tables, payload) => {
    const { callId, endedAt, end, hold, opened, written, call } = payload as StoredEnd
    const removed = opened && (await tables.runningCalls.remove(hold))
    if (written && !removed) return // another node wrote it, or this one did and missed the confirmation
    const { startedAt, sides, meters } = readSnapshot(call, endedAt)
    for (const meter of meters) await settleMeter(tables, clock, meter, endedAt)
    await writeEntries(tables, { callId, startedAt, endedAt, end }, sides)
  }

/** For legs that end before the call. The owning node settles a call that was taken over. */
export const settleWithRetry = (
  bookkeeping: RecordWriter,
  callId: string,
  isOurs: RunningCallRecord['isOurs'],
  meter: Payable,
): Promise<void> =>
  writeWithRetry(bookkeeping, callId, async (tables) => {
    if (await isOurs(tables)) await meter.settle(tables)
  })
