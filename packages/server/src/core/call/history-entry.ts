import { randomUUID } from 'node:crypto'
import type { CallStatus, HistoryEntry } from '../ports/store/history.ts'
import type { End } from './end.ts'
import { wholeSeconds } from './meter.ts'
import type { Refusal, Side } from './story.ts'

export interface FinishedCall {
  callId: string
  startedAt: number
  endedAt: number
  end: End
}

/** Where the file of a recording can be fetched. */
const recordingPath = (id: string): string => `/v2/recordings/${id}`

const shortestMessageMs = 1_000

/** What an account reads about a call that is over. */
export const historyEntry = (side: Side, call: FinishedCall): HistoryEntry => {
  const { callId, startedAt, endedAt } = call
  return {
    id: randomUUID(),
    userId: side.userId,
    sessionId: callId,
    source: side.source.number,
    target: side.target.number,
    sourceAlias: side.source.alias,
    targetAlias: side.target.alias,
    connectionIds: [...side.connections],
    endpoints: [...side.endpoints],
    createdAt: startedAt,
    modifiedAt: endedAt,
    read: false,
    archived: false,
    starred: false,
    note: '',
    labels: [],
    ...outcome(side, call),
  }
}

type Outcome = Pick<HistoryEntry, 'type' | 'direction' | 'status' | 'detail'>

const outcome = (side: Side, call: FinishedCall): Outcome => {
  if (side.message && side.message.durationMs >= shortestMessageMs) return voicemail(side, side.message)
  if (side.message) return missed(side, 'VOICEMAIL_NO_MESSAGE')
  if (side.answeredAt === undefined) return missed(side, statuses[side.refusal ?? call.end.cause])
  const duration = wholeSeconds(side.answeredAt, side.leftAt ?? call.endedAt)
  const status = side.pickedUp || side.direction === 'OUTGOING' ? 'PICKUP' : 'FORWARD'
  return { type: 'CALL', direction: side.direction, status, detail: { duration, callStatus: 'SUCCESS', ...recordingsOf(side) } }
}

const voicemail = ({ direction }: Side, { id, durationMs }: { id: string; durationMs: number }): Outcome => ({
  type: 'VOICEMAIL',
  direction,
  status: 'NOPICKUP',
  detail: { duration: Math.round(durationMs / 1000), recordings: [{ id, url: recordingPath(id) }] },
})

const missed = (side: Side, callStatus: CallStatus): Outcome => ({
  type: 'CALL',
  direction: `MISSED_${side.direction}`,
  status: callStatus === 'BUSY' || callStatus === 'BUSY_ON_BUSY' ? 'BUSY' : 'NOPICKUP',
  detail: { duration: 0, callStatus, ...recordingsOf(side) },
})

const recordingsOf = ({ recordings }: Side) =>
  recordings.length > 0 && { recordings: recordings.map((id) => ({ id, url: recordingPath(id) })) }

const statuses: Record<Refusal, CallStatus> = {
  busy: 'BUSY',
  busy_on_busy: 'BUSY_ON_BUSY',
  do_not_disturb: 'REJECTED_DND',
  rejected: 'REJECTED',
  anonymity_refused: 'REJECTED',
  normal: 'MISSED',
  answered_elsewhere: 'MISSED',
  no_answer: 'MISSED',
  unavailable: 'MISSED',
  not_found: 'FAILURE',
  forbidden: 'FAILURE',
  payment_required: 'FAILURE',
  loop: 'FAILURE',
  not_acceptable: 'FAILURE',
  media_timeout: 'FAILURE',
  overloaded: 'FAILURE',
  failed: 'FAILURE',
}
