import type { CallSnapshot, RunningRecording } from '#core/kernel/ports/store/call/running-calls.ts'
import type { SavedDialog } from '#core/kernel/ports/telephony.ts'
import type { OngoingCall } from '../state/ongoing-call.ts'
import type { SavedMeter } from '../money/prepaid.ts'
import { courseOf, snapshotVersion, type CourseCall } from './course.ts'
import { newSide, type StoredSound, type Side, type CallDetails } from '../state/call-details.ts'

/** What is left of a call whose process is gone. */
export interface LostCall {
  startedAt: number
  sides: readonly Side[]
  meters: readonly SavedMeter[]
  recordings: readonly RunningRecording[]
  dialogs: readonly SavedDialog[]
  /** What makes no sense. */
  unread: readonly string[]
}

/** A call as it is kept for the case that its process is gone. */
export interface StoredCall extends CourseCall, Pick<OngoingCall, 'parties'> {
  readonly startedAt: number
  readonly details: Pick<CallDetails, 'sides'>
  readonly expenses: { readonly sessions: number; readonly open: readonly { readonly saved: SavedMeter }[] }
}

/** Everything that another process needs to go on with the call, or to end it, as it is now. `unknown`: what a later version had written. */
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

/** JSON knows no Set. */
export const savedSides = (sides: readonly Side[]): object[] => sides.map((side) => ({ ...side, connections: [...side.connections] }))

type Fields = Partial<Record<string, unknown>>

/** As far as that is possible: another version of us may have written more or less. `savedAt` is when it was alive for sure. */
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

/** JSON knows no Set and forgets what is undefined. */
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

/** A file that was being written when everything stopped. */
export const addSound = (sides: readonly Side[], { accountId, kind }: RunningRecording, sound: StoredSound): void => {
  const side = sides.find((one) => one.accountId === accountId)
  if (!side) return
  if (kind === 'VOICEMAIL') side.message = sound
  else side.recordings.push(sound)
}
