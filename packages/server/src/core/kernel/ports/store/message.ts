import type { SavedDialog } from '#core/kernel/ports/telephony.ts'
import type { ReceiptState, SmsReceipt } from '#core/kernel/ports/messages.ts'

type FaxState = 'PENDING' | 'SENDING' | 'SENT' | 'FAILED' | 'SCHEDULED' | 'RECEIVED'

/** Sent or received fax; its history entry has the same id. An inbound fax is SENDING until it is RECEIVED, or FAILED without any page. */
export interface Fax {
  accountId: string
  id: string
  direction: 'OUTGOING' | 'INCOMING'
  userId: string | undefined
  faxlineId: string
  /** E.164, or the fax line if it has no number; inbound: as shown, or `anonymous`. */
  sender: string
  recipient: string
  filename: string
  resendOf: string | undefined
  state: FaxState
  pages: number
  /** Pages confirmed by the far end, over all calls. */
  pagesDone: number
  /** Calls made. */
  tries: number
  /** Answered seconds of all calls together: the charged time. */
  talkSeconds: number
  bitRate: number
  errorCorrection: boolean
  carriedBy: 't38' | 'audio' | undefined
  station: string
  /** Code of the failure or retry reason (see core/messages/fax/state/reasons.ts); undefined if there is none. */
  reason: string | undefined
  /** Run of the process that sends it now, see Leases. */
  owner: string | undefined
  /** Answer time of the current call. */
  answeredAt: number | undefined
  /** State to end the current call if this process is gone. */
  dialog: SavedDialog | undefined
  createdAt: number
  changedAt: number
  /** Time of the next try. */
  dueAt: number | undefined
}

export type FaxChange = Partial<Omit<Fax, 'accountId' | 'id' | 'direction' | 'createdAt' | 'changedAt'>>

/** Filter by fax line or user; all of the account if neither is given. */
interface FaxesOf {
  faxlineId?: string
  userId?: string
}

export interface Faxes {
  /** False if the account already has this id. */
  insert(fax: Fax): Promise<boolean>
  find(accountId: string, id: string): Promise<Fax | undefined>
  /** Same as `find`; locks it until the transaction ends. */
  lock(accountId: string, id: string): Promise<Fax | undefined>
  update(accountId: string, id: string, change: FaxChange, at: number): Promise<void>
  remove(accountId: string, id: string): Promise<boolean>
  /** Faxes that this process sends, or sent when it was last alive. */
  listOf(owner: string, limit: number): Promise<Fax[]>
  /** Faxes to be sent or being sent. */
  listUnsent(accountId: string, of: FaxesOf): Promise<Fax[]>
  countUnsent(accountId: string): Promise<number>
  list(accountId: string, limit: number): Promise<Fax[]>
  /** Finished faxes of all accounts, oldest first. */
  listOverBefore(at: number, limit: number): Promise<Fax[]>
  /** Finished faxes of one account, oldest first. */
  listOverOfBefore(accountId: string, at: number, limit: number): Promise<Fax[]>
  /** Sets the size of its files in bytes; 0 if never measured. */
  weigh(accountId: string, id: string, bytes: number): Promise<void>
  /** Disk usage of the account in bytes. */
  totalBytes(accountId: string): Promise<number>
}

type SmsState = 'SCHEDULED' | 'PENDING' | 'SENT' | 'DELIVERED' | 'FAILED' | 'RECEIVED'

/** Sent or received message. A `listed` one has a history entry with the same id. */
export interface StoredSms {
  accountId: string
  id: string
  direction: 'OUTGOING' | 'INCOMING'
  /** False for messages of the service itself, such as codes: the history omits them. */
  listed: boolean
  userId: string | undefined
  smsId: string | undefined
  /** E.164; possibly letters for inbound messages and those of the service. */
  sender: string
  /** E.164 */
  recipient: string
  text: string
  segments: number
  state: SmsState
  /** `smpp`, `gateway`, `trunk` or `here`; undefined until a route accepted it. */
  route: string | undefined
  /** Code of the failure reason (see core/messages/sms/state/reasons.ts). */
  reason: string | undefined
  createdAt: number
  changedAt: number
  sendAt: number
  /** Time after which no try is made. */
  giveUpAt: number
}

/** Part accepted by a route. */
export interface TakenPart {
  accountId: string
  id: string
  /** Counted from 1. */
  number: number
  route: string
  /** Id assigned by the route; need not be unique. */
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

/** Received parts of a message: texts by part number. */
export interface Fragments {
  parts: Record<number, string>
  /** Time of completion. */
  doneAt: number | undefined
}

export interface Messages {
  /** False if this id exists. */
  insert(sms: StoredSms): Promise<boolean>
  find(accountId: string, id: string): Promise<StoredSms | undefined>
  /** Same as `find`; locks the message until the transaction ends. */
  lock(accountId: string, id: string): Promise<StoredSms | undefined>
  change(accountId: string, id: string, change: Partial<Pick<StoredSms, 'state' | 'route' | 'reason'>>, at: number): Promise<void>
  /** Also removes its parts. */
  remove(accountId: string, id: string): Promise<void>
  /** Messages of the account, or of one user. */
  listScheduled(accountId: string, userId?: string): Promise<StoredSms[]>
  /** Removes messages in a final state that were not changed since. Returns the count. */
  removeEndedBefore(at: number, limit: number): Promise<number>

  /** Locks this id of the route until the transaction ends. */
  lockRouteId(route: string, routeId: string): Promise<void>
  /** No-op if this part was already accepted. */
  insertPart(part: TakenPart): Promise<void>
  setPartState(part: Pick<TakenPart, 'accountId' | 'id' | 'number'>, state: ReceiptState): Promise<void>
  parts(accountId: string, id: string): Promise<TakenPart[]>
  /** Parts without an outcome, oldest first. */
  openParts(route: string, routeId: string): Promise<(TakenPart & { recipient: string })[]>

  /** Stores a receipt for an id that no part has yet. The last one per recipient wins. */
  keepEarlyReceipt(route: string, receipt: SmsReceipt, at: number): Promise<void>
  /** Returns and removes it. Only receipts after `since`, for this recipient or without one. */
  takeEarlyReceipt(route: string, routeId: string, recipient: string, since: number): Promise<SmsReceipt | undefined>
  removeEarlyReceiptsBefore(at: number): Promise<number>

  /** Received parts of this message; locks them until the transaction ends. */
  lockFragments(key: FragmentKey, at: number): Promise<Fragments>
  setFragments(key: FragmentKey, fragments: Fragments): Promise<void>
  removeFragments(key: FragmentKey): Promise<void>
  /** Incomplete ones without additions since. */
  listFragmentsBefore(at: number, limit: number): Promise<(FragmentKey & Fragments)[]>
  /** Removes those completed before. */
  removeDoneFragmentsBefore(at: number): Promise<void>
}

/** Login of a customer's program at the SMPP server; at most one per SMS extension. */
export interface ProgramLogin {
  accountId: string
  smsId: string
  systemId: string
  /** Hash of the password. */
  hash: string
  createdAt: number
}

/** Part of a long message. */
export interface ProgramPart {
  /** Id of the resulting message. */
  messageId: string
  number: number
  text: string
  /** Time of the latest submission. */
  at: number
  /** Time the message was submitted; undefined while parts are missing. */
  doneAt: number | undefined
}

/** Key that groups the parts of a message. */
export interface ProgramDeps {
  accountId: string
  smsId: string
  sender: string
  recipient: string
  reference: number
  total: number
}

/** Pending notification for a program: a message to its extension, or the receipt of one it sent. */
export interface ProgramNote {
  id: string
  accountId: string
  smsId: string
  kind: 'MESSAGE' | 'RECEIPT'
  /** Id of the message in the history. */
  messageId: string
  /** Receipts: part number, counted from 1; 0 for a single-part message. */
  part: number
  /** Receipts: only for failures. */
  onlyFailure: boolean
  createdAt: number
}

/** Customers' programs at the SMPP server. */
export interface Programs {
  findLogin(accountId: string, smsId: string): Promise<ProgramLogin | undefined>
  findBySystemId(systemId: string): Promise<ProgramLogin | undefined>
  /** Replaces the existing one. */
  setLogin(login: ProgramLogin): Promise<void>
  /** Also removes all pending notifications. */
  removeLogin(accountId: string, smsId: string): Promise<boolean>

  parts(of: ProgramDeps): Promise<ProgramPart[]>
  /** Replaces the part of the same number. */
  putPart(of: ProgramDeps, part: ProgramPart): Promise<void>
  /** Parts of incomplete messages. */
  countParts(accountId: string, smsId: string): Promise<number>
  /** Marks this message as submitted; parts of another one may have arrived since. */
  finishParts(of: ProgramDeps, messageId: string, at: number): Promise<void>
  removeParts(of: ProgramDeps): Promise<void>

  /** Due at `dueAt`, otherwise when the outcome of its message is known. */
  putNote(note: ProgramNote, dueAt: number | undefined): Promise<void>
  /** Makes the receipts of a message due for delivery to their program. */
  outcomeKnown(accountId: string, messageId: string, at: number): Promise<void>
  haveDue(accountId: string, smsId: string, now: number): Promise<boolean>
  /** Up to `limit` due notes, oldest first; leased until `until`. */
  takeNotes(accountId: string, smsId: string, options: { now: number; until: number; limit: number }): Promise<ProgramNote[]>
  /** Postpones the note to `dueAt`. */
  postponeNote(accountId: string, id: string, dueAt: number): Promise<void>
  removeNote(accountId: string, id: string): Promise<void>
  /** Removes receipts of a message that was not accepted after all. */
  removeNotesOf(accountId: string, messageId: string): Promise<void>
  countNotes(accountId: string, smsId: string, kind: ProgramNote['kind']): Promise<number>

  /** Removes older parts, notes undelivered since then, and receipts that can no longer be expected. */
  removeOlderThan(at: { parts: number; told: number; outcomes: number }): Promise<void>
}
