import type { CallSnapshot, RunningRecording } from '#core/kernel/ports/store/call.ts'
import type { RecordingFiles } from '#core/kernel/ports/files.ts'
import type { SavedDialog, CallerIdentity } from '#core/kernel/ports/telephony.ts'
import type { SavedMeter, SavedMeterPlace } from '../money/prepaid.ts'
import { newSide, type StoredSound, type Side, type CallDetails } from '../state/call-details.ts'
import type { IncomingTrace } from '#core/kernel/trace/tracer.ts'
import type { SavedAssistant, IncomingCallHandler } from '../state/assistant-party.ts'
import type { SavedTrail } from '../state/assistant-trail.ts'
import type { CallState } from '../state/call-progress.ts'
import type { Party } from '../state/party.ts'

/** Remains of a call whose process is gone. */
export interface LostCall {
  startedAt: number
  sides: readonly Side[]
  meters: readonly SavedMeter[]
  recordings: readonly RunningRecording[]
  dialogs: readonly SavedDialog[]
  /** Names of unreadable fields. */
  unread: readonly string[]
}

interface StoredCall extends CourseCall {
  readonly startedAt: number
  readonly details: Pick<CallDetails, 'sides'>
  readonly expenses: { readonly sessions: number; readonly open: readonly { readonly saved: SavedMeter }[] }
}

/** Everything another node needs to resume or end the call now. `unknown`: fields from a newer version. */
export const snapshotOf = (call: StoredCall, recordings: readonly RunningRecording[], unknown: object = {}): CallSnapshot => {
  const { startedAt, details, parties, expenses } = call
  const dialogs = new Map(parties.map((party) => [party, party.leg.dialog()]))
  const known = parties.filter((party) => dialogs.get(party) !== undefined)
  return {
    version: snapshotVersion,
    startedAt,
    sides: savedSides(details.sides),
    meters: expenses.open.map(({ saved }) => saved),
    recordings,
    dialogs: known.map((party) => dialogs.get(party)).filter((dialog) => dialog !== undefined),
    course: { ...unknown, ...courseOf(call, known) },
  }
}

/** JSON has no Set. */
export const savedSides = (sides: readonly Side[]): object[] => sides.map((side) => ({ ...side, connections: [...side.connections] }))

type Fields = Partial<Record<string, unknown>>

/** Reads as much as possible: another version may have written more or fewer fields. `savedAt`: time when the call was certainly alive. */
export const readSnapshot = (snapshot: Fields, savedAt: number): LostCall => {
  const unread: string[] = []
  const read = <T>(name: keyof CallSnapshot, each: (fields: Fields) => T | undefined): T[] => {
    const found = Array.isArray(snapshot[name]) ? (snapshot[name] as unknown[]) : [undefined]
    return found.flatMap((one) => {
      const value = isFields(one) ? each(one) : undefined
      if (value === undefined) unread.push(name)
      return value ?? []
    })
  }
  const known = typeof snapshot.startedAt === 'number'
  if (!known) unread.push('startedAt')
  return {
    startedAt: known ? Number(snapshot.startedAt) : savedAt,
    sides: read('sides', readSide),
    meters: read('meters', readMeter),
    recordings: read('recordings', readRecording),
    dialogs: read('dialogs', (dialog) => dialog),
    unread,
  }
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null

const hasTexts = (fields: Fields, ...names: string[]): boolean => names.every((name) => typeof fields[name] === 'string')

/** JSON has no Set and drops undefined fields. */
const readSide = (saved: Fields): Side | undefined => {
  if (!hasTexts(saved, 'accountId', 'direction') || !isFields(saved.source) || !isFields(saved.target)) return undefined
  const side = saved as unknown as Side
  const connections = new Set(Array.isArray(saved.connections) ? (saved.connections as string[]) : [])
  return { ...newSide(side), ...side, connections }
}

const readMeter = (saved: Fields): SavedMeter | undefined =>
  hasTexts(saved, 'accountId', 'sessionId') && Array.isArray(saved.legs) ? (saved as unknown as SavedMeter) : undefined

const readRecording = (saved: Fields): RunningRecording | undefined =>
  hasTexts(saved, 'accountId', 'id', 'kind') ? (saved as unknown as RunningRecording) : undefined

/** Adds a file that was being written when the process stopped. `aliveAt`: last time it was alive. */
export const addLeftSound = async (
  files: Pick<RecordingFiles, 'leftBy'>,
  sides: readonly Side[],
  { accountId, kind, id, at, joins, place }: RunningRecording,
  aliveAt: number,
): Promise<void> => {
  const side = sides.find((one) => one.accountId === accountId)
  const left = side && (await files.leftBy({ accountId, id, place }))
  if (!left) return
  const { durationMs, bytes, awaited } = left
  const of = { id, at, bytes, truncated: true, ...(joins !== undefined && { joins }), ...(place !== undefined && { place }) }
  const sound: StoredSound = { ...of, durationMs, ...(awaited && { awaited }) }
  if (kind === 'CALL') side.recordings.push(sound)
  else side.message = { ...sound, durationMs: bytes === 0 ? Math.max(0, aliveAt - at) : durationMs }
}

/** Newest snapshot version this release writes and can resume. */
export const snapshotVersion = 2

/** State another node needs to resume the call. */
export interface Course {
  from: CallerIdentity
  to: string
  hops: number
  longestMs: number
  trace?: IncomingTrace | undefined
  answeredAt: number | undefined
  state: CallState
  transfers: number
  /** Number of paid legs so far; the next one gets a new session name. */
  sessions: number
  taker: IncomingCallHandler['kind'] | undefined
  /** True once an assistant has handled the call; for earlier versions. */
  assisted: boolean
  /** Missing in snapshots of earlier versions. */
  assistants?: SavedTrail
  assistant: SavedAssistant | undefined
  parties: readonly SavedParty[]
}

export interface SavedParty extends Omit<Party, 'leg' | 'meter' | 'hearsMusic'> {
  /** Index of its leg in the saved dialogs; undefined for a leg that cannot be saved. */
  dialog: number | undefined
  meter: SavedMeterPlace | undefined
  orderedBy: string | undefined
}

interface CourseCall {
  readonly parties: readonly Party[]
  readonly from: CallerIdentity
  readonly to: string
  readonly hops: number
  readonly longestMs: number
  readonly trace: IncomingTrace | undefined
  readonly answeredAt: number | undefined
  readonly progress: { readonly state: CallState; readonly transfers: number }
  readonly expenses: { readonly sessions: number }
  readonly callHandler: IncomingCallHandler | undefined
  readonly assistants: { readonly saved: SavedTrail }
  readonly attendance: { orderedBy(party: Party): string | undefined }
}

/** `known`: parties whose legs are saved, in that order. */
const courseOf = (call: CourseCall, known: readonly Party[]): Course => {
  const { from, to, hops, longestMs: maxMs, trace, answeredAt, progress, expenses, callHandler, assistants, parties } = call
  const { state, transfers } = progress
  return {
    from,
    to,
    hops,
    longestMs: maxMs,
    trace,
    answeredAt,
    state,
    transfers,
    sessions: expenses.sessions,
    taker: callHandler?.kind,
    assisted: assistants.saved.sessions > 0,
    assistants: assistants.saved,
    assistant: callHandler?.kind === 'assistant' ? callHandler.assistant.saved : undefined,
    parties: parties.map((party) => savedParty(call, party, known.indexOf(party))),
  }
}

const savedParty = ({ attendance }: CourseCall, party: Party, at: number): SavedParty => {
  const { leg: _leg, hearsMusic: _hearsMusic, meter, ...rest } = party
  return { ...rest, dialog: at < 0 ? undefined : at, meter: meter?.place, orderedBy: attendance.orderedBy(party) }
}

/**
 * State to resume a call from, or the reason why it cannot be resumed. Calls that ring, are being transferred, or are with a voicemail,
 * a fax line or an account's webhook depend on more than is saved.
 */
export const readCourse = (snapshot: { version?: unknown; course?: unknown }, dialogs: number): Course | string => {
  const { version } = snapshot
  if (typeof version !== 'number' || version < 2) return 'it was written by an earlier version'
  if (version > snapshotVersion) return 'it was written by a later version'
  const course = snapshot.course as Course | undefined
  if (!course || !Array.isArray(course.parties)) return 'it cannot be read'
  if (course.state !== 'active') return `it was ${course.state}`
  if (course.answeredAt === undefined) return 'it was not answered'
  if (course.taker !== 'phone' && course.taker !== 'assistant') return `it was with a ${course.taker ?? 'nobody'}`
  const { parties } = course
  if (parties.length !== (course.taker === 'phone' ? 2 : 1)) return `it had ${parties.length} parties`
  if (parties.some(({ dialog }) => dialog === undefined || dialog >= dialogs)) return 'one of its legs ends with its process'
  return course
}
