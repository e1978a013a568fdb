export type SmsState = 'SCHEDULED' | 'PENDING' | 'SENT' | 'DELIVERED' | 'FAILED' | 'RECEIVED'

/** One message, sent or received; its history entry has the same id. */
export interface StoredSms {
  accountId: string
  id: string
  direction: 'OUTGOING' | 'INCOMING'
  userId: string | undefined
  smsId: string | undefined
  sender: string
  recipient: string
  text: string
  segments: number
  state: SmsState
  /** `smpp`, `gateway`, or `here`. */
  route: string | undefined
  reason: string | undefined
  createdAt: number
  changedAt: number
  sendAt: number
}
