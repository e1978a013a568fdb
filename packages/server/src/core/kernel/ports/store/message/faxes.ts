import type { SavedDialog } from '#core/kernel/ports/telephony.ts'

export type FaxState = 'PENDING' | 'SENDING' | 'SENT' | 'FAILED' | 'SCHEDULED' | 'RECEIVED'

/** One fax, sent or received; its history entry has the same id. One that comes is SENDING until it is RECEIVED, or FAILED without any page. */
export interface Fax {
  accountId: string
  id: string
  direction: 'OUTGOING' | 'INCOMING'
  userId: string | undefined
  faxlineId: string
  /** E.164, or the fax line when no number belongs to it; of an incoming one as it was shown, or `anonymous`. */
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
  /** Why it failed or is tried again, one of our words (see core/messages/fax/state/reasons.ts); undefined while all is well. */
  reason: string | undefined
  /** The process that sends it now: one run of it, see Leases. */
  owner: string | undefined
  /** Of the call that runs. */
  answeredAt: number | undefined
  /** How to end the call that runs when this process is gone. */
  dialog: SavedDialog | undefined
  createdAt: number
  changedAt: number
  /** Of the next try. */
  dueAt: number | undefined
}

export type FaxChange = Partial<Omit<Fax, 'accountId' | 'id' | 'direction' | 'createdAt' | 'changedAt'>>

/** What belongs to the fax line or to the user; to the account when neither is given. */
export interface FaxesOf {
  faxlineId?: string
  userId?: string
}

export interface Faxes {
  /** False when the account has one with this id already. */
  insert(fax: Fax): Promise<boolean>
  find(accountId: string, id: string): Promise<Fax | undefined>
  /** Like find, and locks it until the transaction ends. */
  lock(accountId: string, id: string): Promise<Fax | undefined>
  update(accountId: string, id: string, change: FaxChange, at: number): Promise<void>
  remove(accountId: string, id: string): Promise<boolean>
  /** Those that this process sends, or sent when it was there for the last time. */
  listOf(owner: string, limit: number): Promise<Fax[]>
  /** Those that are to be sent, or are being sent. */
  listUnsent(accountId: string, of: FaxesOf): Promise<Fax[]>
  countUnsent(accountId: string): Promise<number>
  list(accountId: string, limit: number): Promise<Fax[]>
  /** Of all accounts, those that are over, the oldest first. */
  listOverBefore(at: number, limit: number): Promise<Fax[]>
  /** The size of its files in bytes; 0 when it was never measured. */
  weigh(accountId: string, id: string, bytes: number): Promise<void>
  /** How much all of an account take on the disk. */
  totalBytes(accountId: string): Promise<number>
}
