import type { CallerIdentity } from '#core/kernel/ports/telephony.ts'
import type { IncomingTrace } from '#core/kernel/trace/tracer.ts'
import type { SavedMeterPlace } from '../money/prepaid.ts'
import type { SavedAssistant } from '../state/assistant-party.ts'
import type { CallState } from '../state/call-machine.ts'
import type { OngoingCall } from '../state/ongoing-call.ts'
import type { Party } from '../state/party.ts'
import type { IncomingCallHandler } from '../state/taker.ts'

/** The newest form of what is saved of a call that this version writes, and can go on with. */
export const snapshotVersion = 2

/** How far a call is, as far as another process needs it to go on. */
export interface Course {
  from: CallerIdentity
  to: string
  hops: number
  longestMs: number
  trace?: IncomingTrace | undefined
  answeredAt: number | undefined
  state: CallState
  transfers: number
  /** How many legs were paid for: the next one gets another name. */
  sessions: number
  taker: IncomingCallHandler['kind'] | undefined
  /** An assistant has it, or had it. */
  assisted: boolean
  assistant: SavedAssistant | undefined
  parties: readonly SavedParty[]
}

export interface SavedParty extends Omit<Party, 'leg' | 'meter' | 'hearsMusic'> {
  /** Which of the saved dialogs its leg is; none for one that cannot be saved. */
  dialog: number | undefined
  meter: SavedMeterPlace | undefined
  orderedBy: string | undefined
}

/** A call whose course is saved. */
export interface CourseCall extends Pick<OngoingCall, 'parties'> {
  readonly from: CallerIdentity
  readonly to: string
  readonly hops: number
  readonly longestMs: number
  readonly trace: IncomingTrace | undefined
  readonly answeredAt: number | undefined
  readonly progress: { readonly state: CallState; readonly transfers: number }
  readonly expenses: { readonly sessions: number }
  readonly taker: IncomingCallHandler | undefined
  readonly assisted: boolean
  readonly attendance: { orderedBy(party: Party): string | undefined }
}

/** `known`: the parties whose legs are saved, in their order. */
export const courseOf = (call: CourseCall, known: readonly Party[]): Course => {
  const { from, to, hops, longestMs: maxMs, trace, answeredAt, progress, expenses, taker: callHandler, assisted, parties } = call
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
    assisted,
    assistant: callHandler?.kind === 'assistant' ? callHandler.assistant.saved : undefined,
    parties: parties.map((party) => savedParty(call, party, known.indexOf(party))),
  }
}

const savedParty = ({ attendance }: CourseCall, party: Party, at: number): SavedParty => {
  const { leg: _leg, hearsMusic: _hearsMusic, meter, ...rest } = party
  return { ...rest, dialog: at < 0 ? undefined : at, meter: meter?.place, orderedBy: attendance.orderedBy(party) }
}

/**
 * How to go on with a call, or why that is not possible. A call that rings, is being transferred, or is with a voicemail, a fax line or an
 * account's software depends on more than is saved.
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
