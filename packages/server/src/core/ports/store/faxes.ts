export type FaxState = 'PENDING' | 'SENDING' | 'SENT' | 'FAILED' | 'SCHEDULED' | 'RECEIVED'

/** One fax, sent or received; its history entry has the same id. */
export interface Fax {
  accountId: string
  id: string
  direction: 'OUTGOING' | 'INCOMING'
  userId: string | undefined
  faxlineId: string
  /** E.164; of an incoming one as it was shown, or `anonymous`. */
  sender: string
  recipient: string
  filename: string
  resendOf: string | undefined
  state: FaxState
  pages: number
  /** Confirmed by the far end, over all calls. */
  pagesDone: number
  /** Calls that were made. */
  tries: number
  /** Answered, in all calls together: what is charged. */
  talkSeconds: number
  bitRate: number
  errorCorrection: boolean
  carriedBy: 't38' | 'audio' | undefined
  station: string
  /** Why it failed or is tried again, one of our words (see core/fax/reasons.ts); undefined while all is well. */
  reason: string | undefined
  /** The process that sends it now. */
  owner: string | undefined
  createdAt: number
  changedAt: number
  /** Of the next try. */
  dueAt: number | undefined
}
