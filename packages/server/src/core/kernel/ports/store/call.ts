import type { SavedDialog } from '#core/kernel/ports/telephony.ts'
import type { TypedSearch } from './account.ts'

/** Ownership of a call. Every write must match it: a node that lost the call without noticing writes nothing. */
export interface CallHold {
  callId: string
  /** One run of one process, see Leases. */
  owner: string
  /** 1 for the node that began the call; incremented by each takeover. */
  epoch: number
}

/** Call that must be resumed or ended, charged and recorded even if its node dies. */
export interface SavedCall extends CallHold {
  /** Start of the call. */
  startedAt: number
  /** Time of the last write, when it was still alive. */
  savedAt: number
  snapshot: CallSnapshot
}

/** Written and read only by core/telephone/call/records/snapshot.ts. */
export interface CallSnapshot {
  /** Version of the fields needed to resume it; the fields needed to end it are in every version. See `snapshotVersion`. */
  version?: number
  startedAt: number
  /** One per account involved, as in core/telephone/call/state/call-details.ts. */
  sides: readonly unknown[]
  /** Reservations, as in core/telephone/call/money/prepaid.ts. */
  meters: readonly unknown[]
  /** Files being written. */
  recordings: readonly RunningRecording[]
  /** State to resume or end its legs. */
  dialogs: readonly SavedDialog[]
  /** State to resume the call, as in core/telephone/call/records/course.ts; unknown fields from a newer version are kept. */
  course?: unknown
}

/** Fields of a call's side that are read outside the call. */
export interface CallSide {
  accountId: string
  userId?: string
  source?: { number: string }
  target?: { number: string }
}

export interface RunningRecording {
  accountId: string
  id: string
  kind: 'CALL' | 'VOICEMAIL'
  /** Start of the recording. */
  at: number
  /** Recording that this file continues after a takeover; older versions leave it out. */
  joins?: string
  place?: string
  /** Silence is recorded; missing: what is said. */
  paused?: readonly PauseReason[]
}

/** `user`: by the API or a key. `card`: an assistant collects card digits. `newcomer`: a new party was not informed or asked yet. */
export type PauseReason = 'user' | 'card' | 'newcomer'

export interface RunningCalls {
  /** False if it exists. */
  open(call: SavedCall): Promise<boolean>
  /** False if the ownership no longer matches: another node has taken or closed it. */
  update(hold: CallHold, snapshot: CallSnapshot, at: number): Promise<boolean>
  /** Same as `update`. True for exactly one node. */
  remove(hold: CallHold): Promise<boolean>
  /** True if another node owns it. If not, it stays so until the transaction ends. */
  isTaken(from: CallHold): Promise<boolean>
  /**
   * Takes over calls of a node that is gone, longest first: its later writes have no effect. Skips calls claimed concurrently, and those
   * whose snapshot has a newer version.
   */
  claim(from: string, to: string, at: { most: number; version: number }): Promise<SavedCall[]>
  /** Same for one call, with its owner's consent. Undefined if the ownership does not match. */
  pass(hold: CallHold, to: string): Promise<SavedCall | undefined>
  /** Undefined if it has ended. */
  holderOf(callId: string): Promise<CallHold | undefined>
  /** Calls of a node, without their state. */
  holdsOf(owner: string): Promise<CallHold[]>
  has(callId: string): Promise<boolean>
  /** True if a running call has written or is writing a file with this name. */
  haveRecording(recordingId: string): Promise<boolean>
  /** The account's sides in running calls. */
  sidesOf(accountId: string): Promise<CallSide[]>
  listOf(owner: string, limit: number): Promise<SavedCall[]>
}

export type HistoryType = 'CALL' | 'VOICEMAIL' | 'SMS' | 'FAX'
type HistoryDirection = 'INCOMING' | 'OUTGOING' | 'MISSED_INCOMING' | 'MISSED_OUTGOING'
export type CallStatus = 'SUCCESS' | 'FAILURE' | 'REJECTED' | 'REJECTED_DND' | 'VOICEMAIL_NO_MESSAGE' | 'BUSY_ON_BUSY' | 'BUSY' | 'MISSED'
export type SmsStatus = 'SCHEDULED' | 'PENDING' | 'SENT' | 'DELIVERED' | 'FAILED'
export type FaxStatus = 'PENDING' | 'SENDING' | 'FAILED' | 'SENT' | 'SCHEDULED'

/** As in FaxFile. */
export type Paper = 'document' | 'report' | 'preview'

/** State of a message's transcription. */
export interface MessageText {
  /** SILENT: no audio arrived. UNAVAILABLE: this installation transcribes no messages. */
  state: 'PENDING' | 'DONE' | 'SILENT' | 'FAILED' | 'UNAVAILABLE'
  language?: string
  /** 0 to 1. */
  confidence?: number
  /** Name of the recogniser. */
  engine?: string
  at?: number
}

/** Fields that apply to some types only. */
export interface HistoryDetail {
  /** Seconds. */
  duration?: number
  callStatus?: CallStatus
  /** URLs are added when the entry is read. */
  recordings?: { id: string; truncated?: boolean; parts?: number }[]
  transcription?: string
  /** VOICEMAIL: state of its transcription; missing if none was requested. */
  messageText?: MessageText
  faxStatusType?: FaxStatus
  /** FAX: available files. URLs are added when the entry is read. */
  papers?: readonly Paper[]
  pageCount?: number
  /** FAX: pages confirmed by the far end. */
  pagesSent?: number
  /** FAX: bits per second of the last page. */
  bitRate?: number
  /** FAX: reason for a failure or retry, as text. */
  faxReason?: string
  smsContent?: string
  /** Outbound SMS only. */
  smsStatusType?: SmsStatus
  /** SMS: reason for a failure, as text. */
  smsReason?: string
  /** Scheduled time in milliseconds since the epoch. */
  scheduledAt?: number
}

export interface HistoryEntry {
  id: string
  /** User concerned; undefined if only a group or flow was involved. */
  userId: string | undefined
  /** Id of the call, fax or message: one entry per type in an account. */
  sessionId: string
  /** Id of the call at the edge, which may have asked several nodes: one entry in an account. Written, never read. */
  edgeCall?: string | undefined
  /** The client's own name of the call. */
  correlationId?: string | undefined
  type: HistoryType
  direction: HistoryDirection
  source: string
  target: string
  sourceAlias: string
  targetAlias: string
  status: 'NOPICKUP' | 'BUSY' | 'PICKUP' | 'FORWARD'
  /** Extensions involved. */
  connectionIds: string[]
  endpoints: { type: 'FORWARDED' | 'ROUTED' | 'PICKUP'; extension: string; kind: string }[]
  detail: HistoryDetail
  createdAt: number
  modifiedAt: number
  read: boolean
  archived: boolean
  starred: boolean
  note: string
  labels: string[]
}

/** The parties and the time are immutable. */
export type HistoryEntryChange = Partial<
  Omit<HistoryEntry, 'id' | 'sessionId' | 'correlationId' | 'type' | 'direction' | 'source' | 'target' | 'createdAt' | 'modifiedAt'>
>

/** Restricts entries to those of the user and those with one of the extensions. */
export interface HistoryViewer {
  userId: string
  extensions: readonly string[]
  /** The user's own entries are excluded. */
  onlyExtensions?: true
}

/** Digits match the remote number, names match contacts, text matches a note, an SMS or a voicemail transcription. */
export interface HistorySearch extends TypedSearch {
  /** Searching user: names come from the contacts visible to this user. */
  userId: string
  /** Start of the text search. */
  textFrom?: number
}

export interface HistoryFilter {
  ids?: readonly string[]
  search?: HistorySearch
  seenBy?: HistoryViewer
  types?: readonly HistoryType[]
  directions?: readonly HistoryDirection[]
  archived?: boolean
  starred?: boolean
  read?: boolean
  /** Inclusive range. */
  from?: number
  to?: number
  /** Matches source or target. */
  phoneNumbers?: readonly string[]
  /** Matches any extension involved. */
  connectionIds?: readonly string[]
  phoneline?: string
  /** Id of the call, fax or SMS. */
  sessionId?: string
  correlationId?: string
}

export interface HistoryPage {
  /** Only entries after this one, which may have been removed. */
  after?: HistoryCursor
  offset?: number
  limit: number
  oldestFirst?: boolean
}

/** Position in the sort order. */
export type HistoryCursor = Pick<HistoryEntry, 'createdAt' | 'id'>

export interface History {
  /**
   * False if this session or id already has an entry, or the call at the edge one that tells as much. An entry that tells more, such as an
   * answer, takes the place of the other one. Ids are unique in an account.
   */
  insert(accountId: string, entry: HistoryEntry): Promise<boolean>
  update(accountId: string, id: string, change: HistoryEntryChange, at: number): Promise<boolean>
  find(accountId: string, id: string, seenBy?: HistoryViewer): Promise<HistoryEntry | undefined>
  /** Newest first by default; entries of the same millisecond by id. */
  list(accountId: string, filter: HistoryFilter, page: HistoryPage): Promise<HistoryEntry[]>
  /** `max`: stops counting there. */
  count(accountId: string, filter: HistoryFilter, max?: number): Promise<number>
  /** Whether text search over entries of any age is fast. */
  findsOldText(): Promise<boolean>
  remove(accountId: string, id: string): Promise<boolean>
  /** Entries of one call, fax or message: rarely several, by type. */
  listBySession(accountId: string, sessionId: string): Promise<HistoryEntry[]>
  /** Reads all entries of the account: only for files without a row. */
  findByRecording(accountId: string, recordingId: string): Promise<HistoryEntry | undefined>
}

/** Call as seen by one account, without transcript. */
export interface FoundCall {
  accountId: string
  callId: string
  flowId: string | undefined
  /** Undefined for calls made before this was stored. */
  from: string | undefined
  to: string | undefined
  startedAt: number
  endedAt: number | undefined
  /** As in EndReason; undefined during the call. */
  reason: string | undefined
  trunkId: string | undefined
}

export interface CallSearch {
  callId?: string
  /** Substring of one of the numbers. */
  digits?: string
  accountId?: string
  reasons?: readonly string[]
  trunkId?: string
  from?: number
  /** Only calls that started before. */
  before: number
  limit: number
  /** Maximum calls to read before answering. */
  mostRead: number
}

export interface FoundCalls {
  items: FoundCall[]
  /** Start time down to which all calls were read; undefined if none are older. */
  readTo: number | undefined
}

/** Across accounts: for the operator. */
export interface CallSearches {
  search(input: CallSearch): Promise<FoundCalls>
}

/** Metadata of a call's timeline for one account. */
export interface StoredTimeline {
  accountId: string
  callId: string
  /** Assistant that has, or had, the call. */
  flowId: string | undefined
  /** Users besides administrators who may read it during the call; afterwards the history decides. */
  userIds: readonly string[]
  /** Writing run of a process, see Leases. */
  owner: string
  startedAt: number
  /** Time of the last write, accurate to a few seconds. */
  changedAt: number
  /** Sequence of its last entry. */
  lastSequence: number
  /** End of the call, at least for this account. */
  endedAt: number | undefined
  /** Caller and callee as the account sees them; undefined if another node recorded them. */
  source?: string | undefined
  target?: string | undefined
  /** As in EndReason. */
  endReason?: string | undefined
  /** Trunk of the call, the last one if there were several. */
  trunkId?: string | undefined
  /** Undefined while its owner may still add entries. */
  closedAt: number | undefined
}

/** Batch of entries written together, to avoid one row per entry. */
export interface TimelinePiece {
  first: number
  last: number
  /** JSON array of entries. */
  entries: string
}

/** Pending changes of one timeline. */
export interface TimelineChange {
  row: StoredTimeline
  isNew: boolean
  /** The row itself changed; added pieces alone leave it untouched. */
  rowChanged: boolean
  pieces: readonly TimelinePiece[]
}

/** Timelines of calls. They contain spoken text. */
export interface Timelines {
  /** Writes a batch. False for each timeline that was erased or taken over by another node: no entries are added to it. */
  write(changes: readonly TimelineChange[]): Promise<boolean[]>
  /** Another node takes over these calls. */
  claim(callIds: readonly string[], to: string): Promise<void>
  find(accountId: string, callId: string): Promise<StoredTimeline | undefined>
  /** Same as `find`; locks it until the transaction ends. */
  lock(accountId: string, callId: string): Promise<StoredTimeline | undefined>
  /** Pieces with entries after this sequence, in order. */
  listPieces(accountId: string, callId: string, after: number, limit: number): Promise<TimelinePiece[]>
  /** Timelines of one account written since then by other owners. */
  listChanged(accountId: string, since: number, exceptOwner: string): Promise<StoredTimeline[]>
  listOpenOf(owner: string, limit: number): Promise<StoredTimeline[]>
  remove(accountId: string, callId: string): Promise<boolean>
  /** For a closed account. Returns the count. */
  removeOf(accountId: string, limit: number): Promise<number>
  /** All accounts: timelines that began before. */
  removeBefore(at: number, limit: number): Promise<number>
  /** One account: timelines that began before. */
  removeOfBefore(accountId: string, at: number, limit: number): Promise<number>
  /** Ids of calls that began before and still have their text, oldest first. */
  listWithWords(accountId: string, before: number, limit: number): Promise<string[]>
  /** Replaces the entries of a piece, keeping their sequences. */
  rewritePiece(accountId: string, callId: string, piece: Pick<TimelinePiece, 'first' | 'entries'>): Promise<void>
  noteWordsErased(accountId: string, callId: string, at: number): Promise<void>
}
