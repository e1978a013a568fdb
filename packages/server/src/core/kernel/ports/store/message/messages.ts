import type { ReceiptState, SmsReceipt } from '#core/kernel/ports/sms-routes.ts'

export type SmsState = 'SCHEDULED' | 'PENDING' | 'SENT' | 'DELIVERED' | 'FAILED' | 'RECEIVED'

/** One message, sent or received. One that is `listed` has a history entry with the same id. */
export interface StoredSms {
  accountId: string
  id: string
  direction: 'OUTGOING' | 'INCOMING'
  /** What the service itself writes, such as codes, is not listed in the history. */
  listed: boolean
  userId: string | undefined
  smsId: string | undefined
  /** E.164; of what came or what the service writes maybe letters. */
  sender: string
  /** E.164 */
  recipient: string
  text: string
  segments: number
  state: SmsState
  /** `smpp`, `gateway`, `trunk` or `here`; undefined until a route took it. */
  route: string | undefined
  /** Why it failed, one of our words (see core/messages/sms/state/reasons.ts). */
  reason: string | undefined
  createdAt: number
  changedAt: number
  sendAt: number
  /** No try after that. */
  giveUpAt: number
}

/** A part that a route has taken over. */
export interface TakenPart {
  accountId: string
  id: string
  /** Counted from 1. */
  number: number
  route: string
  /** As the route calls it; need not be unique. */
  routeId: string
  state: ReceiptState
}

export interface FragmentKey {
  route: string
  sender: string
  recipient: string
  reference: number
  total: number
}

/** What has come of a message: the texts by their number. */
export interface Fragments {
  parts: Record<number, string>
  /** When it was complete. */
  doneAt: number | undefined
}

export interface Messages {
  /** False when there is one with this id already. */
  insert(sms: StoredSms): Promise<boolean>
  find(accountId: string, id: string): Promise<StoredSms | undefined>
  /** Like find, and locks the message until the transaction ends. */
  lock(accountId: string, id: string): Promise<StoredSms | undefined>
  change(accountId: string, id: string, change: Partial<Pick<StoredSms, 'state' | 'route' | 'reason'>>, at: number): Promise<void>
  /** With its parts. */
  remove(accountId: string, id: string): Promise<void>
  /** Of the account, or of one user. */
  listScheduled(accountId: string, userId?: string): Promise<StoredSms[]>
  /** Removes messages in a final state that were not touched since. Gives how many. */
  removeEndedBefore(at: number, limit: number): Promise<number>

  /** Locks this id of the route until the transaction ends. */
  lockRouteId(route: string, routeId: string): Promise<void>
  /** Nothing happens when this part was taken before. */
  insertPart(part: TakenPart): Promise<void>
  setPartState(part: Pick<TakenPart, 'accountId' | 'id' | 'number'>, state: ReceiptState): Promise<void>
  parts(accountId: string, id: string): Promise<TakenPart[]>
  /** Those whose outcome is not known yet, oldest first. */
  openParts(route: string, routeId: string): Promise<(TakenPart & { recipient: string })[]>

  /** A receipt for an id that no part has yet. Of several for the same recipient the last one counts. */
  keepEarlyReceipt(route: string, receipt: SmsReceipt, at: number): Promise<void>
  /** And forgets it. Only those that came after `since`, for this recipient or without one. */
  takeEarlyReceipt(route: string, routeId: string, recipient: string, since: number): Promise<SmsReceipt | undefined>
  removeEarlyReceiptsBefore(at: number): Promise<number>

  /** The parts of this message that are there; locks them until the transaction ends. */
  lockFragments(key: FragmentKey, at: number): Promise<Fragments>
  setFragments(key: FragmentKey, fragments: Fragments): Promise<void>
  removeFragments(key: FragmentKey): Promise<void>
  /** Incomplete ones to which nothing was added since. */
  listFragmentsBefore(at: number, limit: number): Promise<(FragmentKey & Fragments)[]>
  /** Those that were complete before that. */
  removeDoneFragmentsBefore(at: number): Promise<void>
}
