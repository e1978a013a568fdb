import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, OneOf, Output, RequiredText, Text, Timestamp } from '../values.ts'

export const historyTypes = ['CALL', 'VOICEMAIL', 'SMS', 'FAX'] as const
export const historyDirections = ['INCOMING', 'OUTGOING', 'MISSED_INCOMING', 'MISSED_OUTGOING'] as const
export const historyStatuses = ['NOPICKUP', 'BUSY', 'PICKUP', 'FORWARD'] as const
export const callStatuses = [
  'SUCCESS',
  'FAILURE',
  'REJECTED',
  'REJECTED_DND',
  'VOICEMAIL_NO_MESSAGE',
  'BUSY_ON_BUSY',
  'BUSY',
  'MISSED',
] as const
export const faxStatuses = ['PENDING', 'SENDING', 'FAILED', 'SENT', 'SCHEDULED'] as const
export const smsStatuses = ['SCHEDULED', 'PENDING', 'SENT', 'DELIVERED', 'FAILED'] as const
export const messageTextStates = ['PENDING', 'DONE', 'SILENT', 'FAILED', 'UNAVAILABLE'] as const
export const starMarks = ['STARRED', 'UNSTARRED'] as const
export const endpointRoles = ['FORWARDED', 'ROUTED', 'PICKUP'] as const

const extension = Type.String({ maxLength: 16, pattern: '^[a-y](0|[1-9][0-9]*)$' })

const Recording = Output({
  id: Type.String(),
  url: Type.String({ description: 'Valid for 15 minutes, for the caller only' }),
  truncated: Type.Optional(Type.Boolean({ description: 'The end is missing, because the disk was full or the service failed' })),
  gaps: Type.Optional(
    Type.Array(
      Output({
        at: Type.Number({ description: 'Seconds from the start of the recording' }),
        seconds: Type.Number({ description: 'How long it is silent' }),
      }),
      { description: 'Silence while a process had failed and another one took the call over' },
    ),
  ),
  pending: Type.Optional(
    Type.Boolean({ description: 'A part is at a machine that is away: fetching it answers 503 until the machine is back' }),
  ),
})

/**
 * Owner of the number: a contact of the user or a shared one; without `id` a person or line of the account that the entry does not name
 * itself.
 */
export const HistoryContact = Output({ id: Type.Optional(Type.String()), name: Type.String() })

export const HistoryEntry = Output({
  id: Type.String(),
  type: OneOf(historyTypes),
  direction: OneOf(historyDirections),
  incoming: Type.Boolean(),
  source: Type.String(),
  target: Type.String(),
  sourceAlias: Type.String(),
  targetAlias: Type.String(),
  sourceContact: Type.Optional(HistoryContact),
  targetContact: Type.Optional(HistoryContact),
  created: Timestamp,
  lastModified: Timestamp,
  status: OneOf(historyStatuses),
  connectionIds: Type.Array(Type.String()),
  endpoints: Type.Array(Output({ type: OneOf(endpointRoles), endpoint: Output({ extension: Type.String(), type: Type.String() }) })),
  read: Type.Boolean(),
  archived: Type.Boolean(),
  starred: Type.Boolean(),
  note: Type.String(),
  labels: Type.Array(Type.String()),
  callId: Type.Optional(Type.String({ description: 'CALL, VOICEMAIL' })),
  correlationId: Type.Optional(Type.String({ description: 'CALL: as given when it was ordered' })),
  callStatus: Type.Optional(OneOf(callStatuses)),
  duration: Type.Optional(Type.Number({ description: 'CALL, VOICEMAIL: seconds' })),
  recordings: Type.Optional(Type.Array(Recording)),
  recordingUrl: Type.Optional(Type.String({ description: 'CALL, VOICEMAIL: where the first recording can be fetched for 15 minutes' })),
  transcription: Type.Optional(Type.String({ description: 'VOICEMAIL: what was said' })),
  messageText: Type.Optional(
    Output({
      state: OneOf(messageTextStates, { description: 'SILENT: no sound arrived; UNAVAILABLE: nothing is written down here' }),
      language: Type.Optional(Type.String({ description: 'BCP 47' })),
      confidence: Type.Optional(Type.Number({ description: '0 to 1; below 0.5 it is unsure' })),
      engine: Type.Optional(Type.String({ description: 'What wrote it' })),
      at: Type.Optional(Timestamp),
    }),
  ),
  faxStatusType: Type.Optional(OneOf(faxStatuses)),
  documentUrl: Type.Optional(Type.String({ description: 'FAX: where its PDF can be fetched for 15 minutes' })),
  reportUrl: Type.Optional(Type.String({ description: 'FAX that was sent: where a PDF about that can be fetched for 15 minutes' })),
  previewUrl: Type.Optional(Type.String({ description: 'FAX: where a PNG of its first page can be fetched for 15 minutes' })),
  pageCount: Type.Optional(Type.Integer({ description: 'FAX' })),
  pagesSent: Type.Optional(Type.Integer({ description: 'FAX that is sent: pages that the far end has confirmed' })),
  bitRate: Type.Optional(Type.Integer({ description: 'FAX: of the last page, in bits per second' })),
  faxReason: Type.Optional(Type.String({ description: 'FAX: why it has failed or is tried again' })),
  smsContent: Type.Optional(Type.String({ description: 'SMS' })),
  smsStatusType: Type.Optional(OneOf(smsStatuses)),
  smsReason: Type.Optional(Type.String({ description: 'SMS that failed: why' })),
  scheduled: Type.Optional(Type.String({ description: 'FAX, SMS: when it is to be sent; ISO 8601, UTC' })),
})

const nextCursor = Type.Optional(Type.String({ description: 'cursor of the next page; absent on the last one' }))

const totalCount = Type.Integer({ description: 'All that match; with cursor as many as there were when the first page was read' })

const searchedFrom = Type.Optional(
  Type.String({ description: 'With search, where words are found in newer entries only: those since then; ISO 8601, UTC' }),
)

const HistoryPage = Output({
  items: Type.Array(HistoryEntry),
  totalCount,
  totalIsMinimum: Type.Optional(Type.Boolean({ description: 'With search or read=false: there are more than totalCount' })),
  searchedFrom,
  nextCursor,
})

export const HistoryItems = Output({ items: Type.Array(HistoryEntry), nextCursor })

export const historySorts = ['-created', 'created'] as const

/** Filter of entries. */
const queried = {
  search: Type.Optional(
    Type.String({
      maxLength: 100,
      description: "Part of the other side's number or of a contact's name, or words of a note, an SMS or what was said in a voicemail",
    }),
  ),
  types: Type.Optional(Type.Array(OneOf(historyTypes), { maxItems: 20 })),
  directions: Type.Optional(Type.Array(OneOf(historyDirections), { maxItems: 20 })),
  archived: Type.Optional(Type.Boolean()),
  read: Type.Optional(Type.Boolean({ description: 'false: what nobody has read or heard yet' })),
  starred: Type.Optional(Type.Union([Type.Boolean(), OneOf(starMarks)])),
  from: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601' })),
  to: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601; a date without time means the whole day' })),
  phonenumber: Type.Optional(Type.String({ maxLength: 40, pattern: '^[ -~]*$' })),
  connectionIds: Type.Optional(Type.Array(extension, { maxItems: 50 })),
  phonelineId: Type.Optional(extension),
  callId: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'What is left of this call' })),
  correlationId: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'As given when the call was ordered' })),
}

const sort = Type.Optional({ ...OneOf(historySorts), description: 'Newest first (-created) unless told' })

const offset = Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000 }))

const ExportQuery = Input({
  ...queried,
  sort,
  offset,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000, description: '100,000 unless told' })),
})

export const HistoryQuery = Input({
  ...queried,
  sort,
  offset,
  cursor: Type.Optional(
    Type.String({ maxLength: 300, description: 'nextCursor of the page before; entries that arrive meanwhile do not move the pages' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 10 })),
})

const changeable = {
  read: Type.Optional(Type.Boolean()),
  archived: Type.Optional(Type.Boolean()),
  starred: Type.Optional(Type.Boolean()),
  note: Type.Optional(Text(2000)),
  labels: Type.Optional(Type.Array(Text(50), { maxItems: 50 })),
}

export const HistoryChange = Input(changeable)

/** Fewer than 150 per request. */
const batch = { minItems: 1, maxItems: 149 }
const entryId = RequiredText(100)
const EntryChange = Input({ id: entryId, ...changeable })

/** Existing clients send the bare list, even an empty one without changes. */
const BatchChange = Type.Union([Input({ items: Type.Array(EntryChange, batch) }), Type.Array(EntryChange, { maxItems: batch.maxItems })])

export const bulkActions = ['READ', 'UNREAD', 'STAR', 'UNSTAR', 'ARCHIVE', 'UNARCHIVE', 'DELETE'] as const

export const HistoryBulk = Input({
  ids: Type.Optional(Type.Array(entryId, { minItems: 1, maxItems: 500 })),
  query: Type.Optional(
    Type.Object({ ...queried }, { additionalProperties: false, description: 'Instead of ids: all that it finds, at most 10,000' }),
  ),
  action: OneOf(bulkActions),
})

export const readingHistory = {
  auth: 'user',
  bearer: true,
  scopes: ['history:read'],
  permission: 'CAN_GET_HISTORY',
  scoped: true,
  status: 200,
} as const
export const changingHistory = {
  auth: 'user',
  bearer: true,
  scopes: ['history:write'],
  permission: 'CAN_CHANGE_HISTORY',
  scoped: true,
  status: 204,
} as const

const exporting = {
  ...readingHistory,
  heavy: true,
  tools: ['list_calls'],
  method: 'GET',
  query: ExportQuery,
  text: true,
  textTypes: ['text/csv'],
} as const

export const historyOperations = {
  listOwnHistory: operation({
    ...readingHistory,
    id: 'listOwnHistory',
    heavy: true,
    tools: ['list_calls'],
    method: 'GET',
    path: '/v2/history',
    summary: 'Calls, voicemails, faxes and SMS of the caller, newest first',
    description: 'With `Accept: text/csv` as exportOwnHistory.',
    csv: true,
    query: HistoryQuery,
    reply: HistoryPage,
  }),
  exportOwnHistory: operation({
    ...exporting,
    id: 'exportOwnHistory',
    path: '/v2/history/csv',
    summary: 'Calls, voicemails, faxes and SMS of the caller as a table, at most 100,000',
  }),
  changeHistoryInBulk: operation({
    ...changingHistory,
    id: 'changeHistoryInBulk',
    heavy: true,
    method: 'POST',
    path: '/v2/history/bulk',
    summary: "Mark, archive or delete many entries of the caller's history: those that are named, or all that a query finds",
    body: HistoryBulk,
    bodyLimit: 256 * 1024,
    status: 200,
    reply: Output({ changed: Type.Integer() }),
    errors: ['bulk_too_large'],
  }),
  getOwnHistoryEntry: operation({
    ...readingHistory,
    id: 'getOwnHistoryEntry',
    method: 'GET',
    path: '/v2/history/{entryId}',
    summary: "One entry of the caller's history, such as a fax by the sessionId it was given when it was sent",
    reply: HistoryEntry,
    errors: ['history_entry_not_found'],
  }),
  changeOwnHistoryEntry: operation({
    ...changingHistory,
    id: 'changeOwnHistoryEntry',
    method: 'PUT',
    path: '/v2/history/{entryId}',
    summary: "Mark an entry of the caller's history as read, archived or starred, and note something about it",
    body: HistoryChange,
    errors: ['history_entry_not_found'],
  }),
  deleteOwnHistoryEntry: operation({
    ...changingHistory,
    id: 'deleteOwnHistoryEntry',
    method: 'DELETE',
    path: '/v2/history/{entryId}',
    summary: "Delete an entry of the caller's history, with its recordings",
    errors: ['history_entry_not_found'],
  }),
  transcribeEntry: operation({
    ...changingHistory,
    id: 'transcribeEntry',
    method: 'POST',
    path: '/v2/history/{entryId}/transcription',
    summary: 'Write a voicemail down once more; the entry says when that is done',
    status: 202,
    errors: ['history_entry_not_found', 'recording_not_found', 'speech_unavailable', 'conflict'],
  }),
  changeOwnHistory: operation({
    ...changingHistory,
    id: 'changeOwnHistory',
    heavy: true,
    method: 'PUT',
    path: '/v2/history',
    summary: "Change several entries of the caller's history, at most 149: all of them or, when one is not there, none",
    body: BatchChange,
    bodyLimit: 1024 * 1024,
    errors: ['history_entry_not_found'],
  }),
  deleteOwnHistory: operation({
    ...changingHistory,
    id: 'deleteOwnHistory',
    method: 'DELETE',
    path: '/v2/history',
    summary:
      "Delete several entries of the caller's history with their recordings, at most 149: all of them or, when one is not there, none",
    query: Input({ id: Type.Array(entryId, batch) }),
    errors: ['history_entry_not_found'],
  }),
  listHistory: operation({
    ...readingHistory,
    id: 'listHistory',
    heavy: true,
    tools: ['list_calls'],
    method: 'GET',
    path: '/v2/{userId}/history',
    summary: 'Calls, voicemails, faxes and SMS of a user, newest first',
    description: 'With `Accept: text/csv` as exportHistory.',
    csv: true,
    query: HistoryQuery,
    reply: HistoryPage,
  }),
  exportHistory: operation({
    ...exporting,
    id: 'exportHistory',
    path: '/v2/{userId}/history/csv',
    summary: 'Calls, voicemails, faxes and SMS of a user as a table, at most 100,000',
  }),
  getHistoryEntry: operation({
    ...readingHistory,
    id: 'getHistoryEntry',
    method: 'GET',
    path: '/v2/{userId}/history/{entryId}',
    summary: 'One entry of the history',
    reply: HistoryEntry,
    errors: ['history_entry_not_found'],
  }),
  changeHistoryEntry: operation({
    ...changingHistory,
    id: 'changeHistoryEntry',
    method: 'PUT',
    path: '/v2/{userId}/history/{entryId}',
    summary: 'Mark an entry as read, archived or starred, and note something about it',
    body: HistoryChange,
    errors: ['history_entry_not_found'],
  }),
  deleteHistoryEntry: operation({
    ...changingHistory,
    id: 'deleteHistoryEntry',
    method: 'DELETE',
    path: '/v2/{userId}/history/{entryId}',
    summary: 'Delete an entry of the history, with its recordings',
    errors: ['history_entry_not_found'],
  }),
}
