import type { End } from '#core/kernel/ports/call-end.ts'
import { randomUUID } from 'node:crypto'
import type { CallStatus, HistoryEntry } from '#core/kernel/ports/store/call/history.ts'
import { wholeSeconds } from '../money/prepaid.ts'
import type { StoredSound, RejectionCause, Side } from '../state/call-details.ts'

export interface FinishedCall {
  callId: string
  startedAt: number
  endedAt: number
  end: End
}

const minMessageMs = 1_000

/** What was said to the voicemail. A caller who hung up at the tone has said nothing. */
export const messageOf = ({ message }: Side): StoredSound | undefined =>
  message && message.durationMs >= minMessageMs ? message : undefined

/**
 * What an account reads about a call that is over. A message is an entry for the owner of the voicemail. A user who called a colleague's voicemail, or
 * talked before the call was put through to it, has an entry about the call instead, with which the message cannot be heard or erased.
 */
export const historyEntries = (side: Side, call: FinishedCall): HistoryEntry[] => {
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

/** Only the fax line was concerned: the entry about the fax says it all. */
const isOnlyFax = ({ direction, connections }: Side): boolean => direction === 'INCOMING' && connections.size === 1

type HistoryParties = Pick<Side, 'userId' | 'source' | 'target' | 'connections' | 'endpoints'>
type Outcome = Pick<HistoryEntry, 'type' | 'direction' | 'status' | 'detail'>

const entryOf = ({ userId, source, target, connections, endpoints }: HistoryParties, call: FinishedCall, out: Outcome): HistoryEntry => ({
  id: randomUUID(),
  userId,
  sessionId: call.callId,
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

/** What could not be written at all is not told of. */
const isThere = ({ bytes }: StoredSound): boolean => bytes > 0

const recordingsOf = (sounds: readonly StoredSound[]) => {
  const kept = sounds.filter(isThere)
  return kept.length > 0 && { recordings: kept.map(elementOf) }
}

const elementOf = ({ id, truncated }: StoredSound) => ({ id, ...(truncated && { truncated }) })

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
