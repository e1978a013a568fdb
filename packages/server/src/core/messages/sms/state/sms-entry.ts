import type { HistoryDetail, HistoryEntry, SmsStatus } from '#core/kernel/ports/store/call.ts'
import type { StoredSms } from '#core/kernel/ports/store/message.ts'
import { text } from '#core/kernel/translations/index.ts'
import { isReason } from './reasons.ts'

interface SmsParties {
  connectionIds: string[]
  /** Alias of our extension. */
  alias: string
}

/** History entry of a message. */
export const entryOf = (sms: StoredSms, { connectionIds, alias }: SmsParties): HistoryEntry => ({
  id: sms.id,
  userId: sms.userId,
  sessionId: sms.id,
  type: 'SMS',
  direction: sms.direction,
  source: sms.sender,
  target: sms.recipient,
  sourceAlias: sms.direction === 'OUTGOING' ? alias : '',
  targetAlias: sms.direction === 'INCOMING' ? alias : '',
  status: statusOf(sms),
  connectionIds,
  endpoints: [],
  detail: detailOf(sms),
  createdAt: sms.createdAt,
  modifiedAt: sms.createdAt,
  read: sms.direction === 'OUTGOING',
  archived: false,
  starred: false,
  note: '',
  labels: [],
})

export const detailOf = ({ text: smsContent, state, reason, sendAt, createdAt }: StoredSms): HistoryDetail => ({
  smsContent,
  ...(state !== 'RECEIVED' && { smsStatusType: state satisfies SmsStatus }),
  ...(isReason(reason) && { smsReason: text('en_US', `sms.reason.${reason}`) }),
  ...(sendAt > createdAt && { scheduledAt: sendAt }),
})

export const statusOf = ({ state }: StoredSms): HistoryEntry['status'] =>
  state === 'SENT' || state === 'DELIVERED' || state === 'RECEIVED' ? 'PICKUP' : 'NOPICKUP'
