import { randomUUID } from 'node:crypto'
import type { CallStatus, HistoryEntry } from '../ports/store/history.ts'
import type { End } from './end.ts'
import { wholeSeconds } from './prepaid.ts'
import type { KeptSound, Refusal, Side } from './story.ts'

export interface FinishedCall {
  callId: string
  startedAt: number
  endedAt: number
  end: End
}

/** Shorter ones are those of people who hung up when they heard the tone. */
export const shortestMessageMs = 1_000

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

const voicemail = (side: Side, message: KeptSound): Outcome => ({
  type: 'VOICEMAIL',
  direction: side.direction,
  status: 'NOPICKUP',
  detail: { duration: Math.round(message.durationMs / 1000), recordings: [message, ...side.recordings].filter(isThere).map(told) },
})

const missed = (side: Side, callStatus: CallStatus): Outcome => ({
  type: 'CALL',
  direction: `MISSED_${side.direction}`,
  status: callStatus === 'BUSY' || callStatus === 'BUSY_ON_BUSY' ? 'BUSY' : 'NOPICKUP',
  detail: { duration: 0, callStatus, ...recordingsOf(side) },
})

/** What could not be written at all is not told of. */
const isThere = ({ bytes }: KeptSound): boolean => bytes > 0

const recordingsOf = ({ recordings }: Side) => {
  const kept = recordings.filter(isThere)
  return kept.length > 0 && { recordings: kept.map(told) }
}

const told = ({ id, truncated }: KeptSound) => ({ id, ...(truncated && { truncated }) })

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
