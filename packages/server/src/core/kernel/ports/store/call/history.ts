import type { TypedSearch } from '../account/contacts.ts'

export type HistoryType = 'CALL' | 'VOICEMAIL' | 'SMS' | 'FAX'
export type HistoryDirection = 'INCOMING' | 'OUTGOING' | 'MISSED_INCOMING' | 'MISSED_OUTGOING'
export type CallStatus = 'SUCCESS' | 'FAILURE' | 'REJECTED' | 'REJECTED_DND' | 'VOICEMAIL_NO_MESSAGE' | 'BUSY_ON_BUSY' | 'BUSY' | 'MISSED'
export type SmsStatus = 'SCHEDULED' | 'PENDING' | 'SENT' | 'DELIVERED' | 'FAILED'
export type FaxStatus = 'PENDING' | 'SENDING' | 'FAILED' | 'SENT' | 'SCHEDULED'

/** As in FaxFile. */
export type Paper = 'document' | 'report' | 'preview'

/** How a message was written down. */
export interface MessageText {
  /** SILENT: no sound arrived. UNAVAILABLE: nothing is written down in this installation. */
  state: 'PENDING' | 'DONE' | 'SILENT' | 'FAILED' | 'UNAVAILABLE'
  language?: string
  /** 0 to 1. */
  confidence?: number
  /** What wrote it. */
  engine?: string
  at?: number
}

/** What belongs to some types only. */
export interface HistoryDetail {
  /** Seconds. */
  duration?: number
  callStatus?: CallStatus
  /** Where they can be fetched is said when the entry is read. */
  recordings?: { id: string; truncated?: boolean }[]
  transcription?: string
  /** VOICEMAIL: about its transcription; missing where none was wanted. */
  messageText?: MessageText
  faxStatusType?: FaxStatus
  /** FAX: what there is to look at. Where is said when the entry is read. */
  papers?: readonly Paper[]
  pageCount?: number
  /** FAX: those that the far end has confirmed. */
  pagesSent?: number
  /** FAX: of the last page, in bits per second. */
  bitRate?: number
  /** FAX: why it failed or is tried again, in words. */
  faxReason?: string
  smsContent?: string
  /** Of what was sent. */
  smsStatusType?: SmsStatus
  /** SMS: why it failed, in words. */
  smsReason?: string
  /** When it is to be sent, in milliseconds. */
  scheduledAt?: number
}

export interface HistoryEntry {
  id: string
  /** The user concerned; none when only a group or flow was. */
  userId: string | undefined
  /** The call, fax or message it tells about: one entry of each type in an account. */
  sessionId: string
  type: HistoryType
  direction: HistoryDirection
  source: string
  target: string
  sourceAlias: string
  targetAlias: string
  status: 'NOPICKUP' | 'BUSY' | 'PICKUP' | 'FORWARD'
  /** Extensions that took part. */
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

/** Whom it was with and when does not change. */
export type HistoryEntryChange = Partial<
  Omit<HistoryEntry, 'id' | 'sessionId' | 'type' | 'direction' | 'source' | 'target' | 'createdAt' | 'modifiedAt'>
>

/** Whose entries: those of the user, and those in which one of the extensions took part. */
export interface HistoryViewer {
  userId: string
  extensions: readonly string[]
}

/** Digits are those of the other side's number, names those of contacts, text that of a note, an SMS or what was said in a voicemail. */
export interface HistorySearch extends TypedSearch {
  /** Who searches: names are those of contacts that this user sees. */
  userId: string
  /** Text is looked for in entries since then. */
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
  /** Both ends belong to the range. */
  from?: number
  to?: number
  /** Source or target is one of these. */
  phoneNumbers?: readonly string[]
  /** One of these took part. */
  connectionIds?: readonly string[]
  phoneline?: string
  /** Of this call, fax or SMS. */
  sessionId?: string
}

export interface HistoryPage {
  /** Only those that come after this one, which need not be there any more. */
  after?: HistoryCursor
  offset?: number
  limit: number
  oldestFirst?: boolean
}

/** Where an entry stands in the order of all. */
export type HistoryCursor = Pick<HistoryEntry, 'createdAt' | 'id'>

export interface History {
  /** False when there is an entry for this session, or with this id, already. Ids are unique in an account. */
  insert(accountId: string, entry: HistoryEntry): Promise<boolean>
  update(accountId: string, id: string, change: HistoryEntryChange, at: number): Promise<boolean>
  find(accountId: string, id: string, seenBy?: HistoryViewer): Promise<HistoryEntry | undefined>
  /** Newest first unless told; entries of the same millisecond by id. */
  list(accountId: string, filter: HistoryFilter, page: HistoryPage): Promise<HistoryEntry[]>
  /** `most`: counts no further. */
  count(accountId: string, filter: HistoryFilter, max?: number): Promise<number>
  /** Whether text is found in entries of any age in a moment. */
  findsOldText(): Promise<boolean>
  remove(accountId: string, id: string): Promise<boolean>
  /** What is told of one call, fax or message: by its type several, but rarely. */
  listBySession(accountId: string, sessionId: string): Promise<HistoryEntry[]>
  /** Reads all entries of the account: only for files without a row. */
  findByRecording(accountId: string, recordingId: string): Promise<HistoryEntry | undefined>
}
