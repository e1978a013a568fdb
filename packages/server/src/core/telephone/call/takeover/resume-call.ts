import type { RunningRecording, SavedCall, StoredTimeline } from '#core/kernel/ports/store/call.ts'
import type { Leg } from '#core/kernel/ports/telephony.ts'
import { readCourse, type Course, type SavedParty, addLeftSound, readSnapshot, type LostCall } from '../records/snapshot.ts'
import { Call, type TransferringContext } from '../call.ts'
import { resumeMeters, type Meter } from '../money/meter.ts'
import type { Prepaid, SavedMeterPlace } from '../money/prepaid.ts'
import type { SavedTrail } from '../state/assistant-trail.ts'
import type { Party } from '../state/party.ts'
import type { IncomingCallHandler } from '../state/assistant-party.ts'

/** A call of another node that can be resumed here if its phones agree. */
export interface ResumableCall {
  saved: SavedCall
  lost: LostCall
  course: Course
  money: readonly { money: Prepaid; meters: readonly Meter[] }[]
  timelines: readonly StoredTimeline[]
}

/** The call, or the reason why it cannot be resumed. */
export const readResumable = async (context: TransferringContext, saved: SavedCall): Promise<ResumableCall | string> => {
  const { callId, snapshot, savedAt } = saved
  const lost = readSnapshot({ ...snapshot }, savedAt)
  const course = readCourse(snapshot, lost.dialogs.length)
  if (typeof course === 'string') return course
  if (lost.unread.length > 0) return `these parts cannot be read: ${lost.unread.join(', ')}`
  const onFailure = (error: unknown): void => context.onFailure(error, callId)
  const money = await Promise.all(lost.meters.map((meter) => resumeMeters(context, meter, onFailure)))
  const timelines = await Promise.all(lost.sides.map(({ accountId }) => context.timelines.findBefore(accountId, callId)))
  await Promise.all(lost.recordings.map((each) => addLeftSound(context.recordingFiles, lost.sides, each, savedAt).catch(onFailure)))
  return { saved, lost, course, money, timelines: timelines.filter((timeline) => timeline !== undefined) }
}

/** `legs`: in the order of the dialogs. */
export const resumeCall = (
  context: TransferringContext,
  { saved, lost, course, money, timelines }: ResumableCall,
  legs: readonly Leg[],
  takes: (call: Call, parties: readonly Party[]) => IncomingCallHandler,
): Call => {
  const { callId: id, epoch } = saved
  const { startedAt, sides, recordings } = lost
  const {
    from,
    to,
    hops,
    longestMs: maxMs,
    trace,
    answeredAt = startedAt,
    transfers,
    assisted,
    assistants,
    sessions,
    parties,
    ...others
  } = course
  for (const before of timelines) context.timelines.resume(before)
  const call = new Call(context, { id, from, to, hops, maxSeconds: maxMs / 1000, startedAt, trace })
  const meters = new Map(money.flatMap(({ meters: each }) => each.map((meter) => [nameOf(meter.place), meter])))
  const present = parties.map((party) => partyOf(party, legs, meters))
  call.resume({
    epoch,
    unknown: others,
    answeredAt,
    transfers,
    assistants: assistants ?? trailBefore(assisted, others.assistant?.flowId),
    callHandler: takes(call, present),
    sides,
    parties: present.map((party, at) => ({ party, orderedBy: parties[at]?.orderedBy })),
    sessions,
    money: money.map((one) => one.money),
  })
  for (const recording of recordings) if (recording.kind === 'CALL') recordOn(call, recording)
  return call
}

/** Earlier versions had at most one assistant in a call. */
const trailBefore = (assisted: boolean, flowId: string | undefined): SavedTrail => ({
  flows: flowId === undefined ? [] : [flowId],
  sessions: assisted ? 1 : 0,
})

const nameOf = ({ sessionId, leg }: SavedMeterPlace): string => `${sessionId}/${leg}`

const partyOf = (saved: SavedParty, legs: readonly Leg[], meters: ReadonlyMap<string, Meter>): Party => {
  const { dialog = -1, meter, orderedBy: _orderedBy, ...rest } = saved
  const leg = legs[dialog]
  if (!leg) throw new Error('a party of the call has no leg')
  return { ...rest, leg, meter: meter && meters.get(nameOf(meter)), hearsMusic: false }
}

/** Continues the recording in another file of the same recording. */
const recordOn = (call: Call, { accountId, id, joins = id, paused = [] }: RunningRecording): void =>
  call.track(
    call.recordings
      .start(accountId, { announcement: false, resumed: { joins, paused } })
      .catch((error: unknown) => call.context.onFailure(error, call.id)),
  )
