import type { HistoryChange, HistoryEntry as HistoryElement, historyOperations, HistoryQuery } from '@offhook/contract/v2/history.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Static } from 'typebox'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { readCursor, writeCursor } from '#core/account/history/history-cursor.ts'
import { namesOf } from '#core/account/contacts/names.ts'
import { accountCountryOf } from '#core/account/lines/destination.ts'
import { readLong, readSlices } from '#core/account/long-reads/long-reads.ts'
import { readHistoryFilter } from '#core/account/history/history-filter.ts'
import { viewerOf } from '#core/account/history/own-extensions.ts'
import type {
  HistoryDetail,
  HistoryEntry,
  HistoryFilter,
  HistoryPage,
  HistoryType,
  HistoryViewer,
  MessageText,
} from '#core/kernel/ports/store/call.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { RecordingFile } from '#core/kernel/ports/audio.ts'
import { eraseAnyEntry } from '#core/messages/erase-entry.ts'
import { concurrentErase, recordingIdOf } from '#core/telephone/recordings/erase-recordings.ts'
import { transcribeAgain, writerOf } from '#core/telephone/recordings/transcribe-message.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { PiecesReply } from '../reply/send-json.ts'
import { gapsBetween, isPending } from '#core/telephone/recordings/recording-gaps.ts'
import { changeMany, filterOf } from './history-bulk.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'

export type HistoryDeps = Pick<HandlerDeps, 'store' | 'clock' | 'wake' | 'speech' | 'recordingFiles' | 'recordingLinks' | 'faxLinks'>

export const historyHandlers = (deps: HistoryDeps): Handlers<typeof historyOperations> => {
  const { store } = deps

  const table = async ({ caller, query: { offset, limit, ...query }, breathe }: Omit<Listing, 'wantsCsv'>, userId: string) => {
    const { accountId } = caller
    const filter = await historyFilter(deps, { accountId, userId }, query)
    const part = { ...(offset !== undefined && { offset }), ...(limit !== undefined && { limit }) }
    const input = { accountId, userId: caller.userId, filter, oldestFirst: query.sort === 'created', ...part }
    return new PiecesReply(readSlices(store, 'historyTable', input, breathe), 'history')
  }

  const list = async ({ caller, query, wantsCsv, breathe }: Listing, userId: string) => {
    const { accountId } = caller
    if (wantsCsv) {
      const { limit: _, offset: __, ...filtered } = query
      return table({ caller, query: filtered, breathe }, userId)
    }
    const filter = await historyFilter(deps, { accountId, userId }, query)
    const max = filter.search || filter.read === false ? maxCounted + 1 : undefined
    const known = query.cursor === undefined ? undefined : readCursor(query.cursor).total
    const page = await readPage(deps, caller, filter, query, breathe)
    const isAll = page.last === undefined && query.cursor === undefined && query.offset === undefined
    const total = known ?? (isAll ? page.entries.length : await countEntries(deps, accountId, filter, max))
    const since = filter.search?.textFrom
    return {
      ...(await toPage(deps, caller, page, breathe, total)),
      totalCount: max === undefined ? total : Math.min(total, maxCounted),
      ...(max !== undefined && total >= max && { totalIsMinimum: true }),
      ...(since !== undefined && { searchedFrom: new Date(since).toISOString() }),
    }
  }

  return {
    listOwnHistory: (context) => list(context, context.caller.userId),

    exportOwnHistory: (context) => table(context, context.caller.userId),

    changeHistoryInBulk: async ({ caller, body, breathe }) => {
      const filter = await filterOf(deps, caller, body, (query) => historyFilter(deps, caller, query, 'CAN_CHANGE_HISTORY'))
      const remove = (ids: readonly string[]) => removeEntries(deps, caller, caller.userId, ids)
      return { changed: await changeMany(deps, caller, { filter, action: body.action, remove, breathe }) }
    },

    getOwnHistoryEntry: ({ caller, params: { entryId } }) => getEntry(deps, caller, { userId: caller.userId, entryId }),

    changeOwnHistoryEntry: ({ caller, params: { entryId }, body }) =>
      changeEntries(deps, caller, caller.userId, [{ id: entryId, ...body }]),

    deleteOwnHistoryEntry: ({ caller, params: { entryId } }) => removeEntries(deps, caller, caller.userId, [entryId]),

    transcribeEntry: async ({ caller: { accountId, userId }, params: { entryId } }) => {
      await store.write(async (tables) => {
        const entry = await findSeen(tables, accountId, entryId, await viewerOf(tables, accountId, userId, 'CAN_CHANGE_HISTORY'))
        if (entry.type !== 'VOICEMAIL' || !entry.detail.recordings?.length) throw new Problem('recording_not_found')
        if (!writerOf(deps.speech)) throw new Problem('speech_unavailable')
        await transcribeAgain(tables, accountId, entry, deps.clock.now())
      })
      deps.wake()
    },

    changeOwnHistory: ({ caller, body }) => changeEntries(deps, caller, caller.userId, 'items' in body ? body.items : body),

    deleteOwnHistory: ({ caller, query: { id } }) => removeEntries(deps, caller, caller.userId, id),

    listHistory: (context) => list(context, context.params.userId),

    exportHistory: (context) => table(context, context.params.userId),

    getHistoryEntry: ({ caller, params }) => getEntry(deps, caller, params),

    changeHistoryEntry: ({ caller, params: { userId, entryId }, body }) => changeEntries(deps, caller, userId, [{ id: entryId, ...body }]),

    deleteHistoryEntry: ({ caller, params: { userId, entryId } }) => removeEntries(deps, caller, userId, [entryId]),
  }
}

/** Maximum count of search results and unread entries. */
const maxCounted = 10_000

/** Days of history that a text search without an index covers. */
const textDays = 90

interface Listing {
  caller: UserCaller
  query: Static<typeof HistoryQuery>
  wantsCsv: boolean
  breathe: () => Promise<void>
}

interface Owner {
  accountId: string
  userId: string
}

interface Page {
  entries: HistoryEntry[]
  /** Last entry of the page, if there is a next one. */
  last: HistoryEntry | undefined
}

/** A search reads more entries than it finds. */
const countEntries = ({ store }: HistoryDeps, accountId: string, filter: HistoryFilter, max: number | undefined): Promise<number> =>
  filter.search ? readLong(store, 'historyCount', { accountId, filter, most: max }) : store.read.history.count(accountId, filter, max)

const listEntries = ({ store }: HistoryDeps, accountId: string, filter: HistoryFilter, page: HistoryPage): Promise<HistoryEntry[]> =>
  filter.search ? readLong(store, 'historyList', { accountId, filter, page }) : store.read.history.list(accountId, filter, page)

/** Takes two to five milliseconds to read, and as long to write. */
const entriesPerSlice = 50

/** Reads one entry more than requested to detect a next page. */
export const readPage = async (
  deps: HistoryDeps,
  { accountId }: UserCaller,
  filter: HistoryFilter,
  query: Static<typeof HistoryQuery>,
  breathe: () => Promise<void>,
): Promise<Page> => {
  const { offset, limit = 10, cursor } = query
  if (cursor !== undefined && offset !== undefined) throw Problem.field('offset', 'cannot be combined with cursor')
  const oldestFirst = query.sort === 'created'
  const begin = { oldestFirst, ...(offset !== undefined && { offset }), ...(cursor !== undefined && { after: readCursor(cursor) }) }
  const entries: HistoryEntry[] = []
  for (let size = entriesPerSlice; size === entriesPerSlice && entries.length <= limit;) {
    const last = entries.at(-1)
    if (last) await breathe()
    const place = last ? { oldestFirst, after: { id: last.id, createdAt: last.createdAt } } : begin
    const slice = await listEntries(deps, accountId, filter, { ...place, limit: Math.min(entriesPerSlice, limit + 1 - entries.length) })
    entries.push(...slice)
    size = slice.length
  }
  return { entries: entries.slice(0, limit), last: entries.length > limit ? entries[limit - 1] : undefined }
}

export const toPage = async (
  deps: HistoryDeps,
  caller: UserCaller,
  { entries, last }: Page,
  breathe: () => Promise<void>,
  total?: number,
) => {
  const items: Static<typeof HistoryElement>[] = []
  for (let from = 0; from < entries.length; from += entriesPerSlice) {
    if (from > 0) await breathe()
    items.push(...(await toHistoryElements(deps, caller, entries.slice(from, from + entriesPerSlice))))
  }
  return { items, ...(last && { nextCursor: writeCursor({ ...last, ...(total !== undefined && { total }) }) }) }
}

export const getEntry = async (deps: HistoryDeps, caller: UserCaller, { userId, entryId }: { userId: string; entryId: string }) => {
  const { read } = deps.store
  const { accountId } = caller
  const entry = await findSeen(read, accountId, entryId, await viewerOf(read, accountId, userId))
  const [element] = await toHistoryElements(deps, caller, [entry])
  if (!element) throw new Problem('history_entry_not_found')
  return element
}

export const historyFilter = async (
  { store: { read }, clock }: Pick<HandlerDeps, 'store' | 'clock'>,
  { accountId, userId }: Owner,
  query: Static<typeof HistoryQuery>,
  permission?: 'CAN_CHANGE_HISTORY',
): Promise<HistoryFilter> => {
  const [{ country }, viewer] = await Promise.all([accountCountryOf(read, accountId), viewerOf(read, accountId, userId, permission)])
  const filter = readHistoryFilter(query, viewer, country)
  if (filter.search?.text === undefined || (await read.history.findsOldText())) return filter
  return { ...filter, search: { ...filter.search, textFrom: clock.now() - textDays * 86_400_000 } }
}

/** Finds an entry that this user may see. */
const findSeen = async (tables: Tables, accountId: string, entryId: string, viewer: HistoryViewer): Promise<HistoryEntry> => {
  const entry = await tables.history.find(accountId, entryId, viewer)
  if (!entry) throw new Problem('history_entry_not_found')
  return entry
}

/** Changes all, or none when one does not exist. */
export const changeEntries = (
  { store, clock }: Pick<HandlerDeps, 'store' | 'clock'>,
  { accountId }: UserCaller,
  userId: string,
  changes: readonly (Static<typeof HistoryChange> & { id: string })[],
): Promise<void> =>
  store.write(async (tables) => {
    const viewer = await viewerOf(tables, accountId, userId, 'CAN_CHANGE_HISTORY')
    for (const { id: entryId, ...change } of changes) {
      const { id } = await findSeen(tables, accountId, entryId, viewer)
      await tables.history.update(accountId, id, change, clock.now())
    }
  })

/** Includes recordings and faxes. */
export const removeEntries = async (
  { store, clock, recordingFiles, wake }: Pick<HandlerDeps, 'store' | 'clock' | 'recordingFiles' | 'wake'>,
  caller: UserCaller,
  userId: string,
  entryIds: readonly string[],
): Promise<void> => {
  const { accountId } = caller
  const eraseSeen = async (tables: Tables, entryId: string, viewer: HistoryViewer): Promise<RecordingFile[]> => {
    const entry = await findSeen(tables, accountId, entryId, viewer)
    if (entry.type === 'FAX') await auditByUser(tables, clock, caller, 'fax.erase', entry.id)
    return eraseAnyEntry(tables, clock, accountId, entry)
  }
  const files = await store.write(async (tables) => {
    const viewer = await viewerOf(tables, accountId, userId, 'CAN_CHANGE_HISTORY')
    const erased: RecordingFile[] = []
    for (const entryId of new Set(entryIds)) erased.push(...(await eraseSeen(tables, entryId, viewer)))
    for (const { id } of erased) await auditByUser(tables, clock, caller, 'recording.erase', id)
    return erased
  })
  await concurrentErase(recordingFiles, files)
  wake()
}

/** Fields shown per type; others stay internal. */
const detailFields: Record<HistoryType, readonly Exclude<keyof HistoryDetail, 'scheduledAt' | 'recordings' | 'papers' | 'messageText'>[]> =
  {
    CALL: ['duration', 'callStatus'],
    VOICEMAIL: ['transcription', 'duration'],
    FAX: ['faxStatusType', 'pageCount', 'pagesSent', 'bitRate', 'faxReason'],
    SMS: ['smsContent', 'smsStatusType', 'smsReason'],
  }

const toMessageText = ({ at, ...about }: MessageText) => ({ ...about, ...(at !== undefined && { at: new Date(at).toISOString() }) })

/** Gaps and missing files by recording, of the few that consist of several files. */
type PartFacts = ReadonlyMap<string, { gaps?: ReturnType<typeof gapsBetween>; pending?: true }>

const partFactsOf = async ({ store }: HistoryDeps, accountId: string, entries: readonly HistoryEntry[]): Promise<PartFacts> => {
  const facts = new Map<string, { gaps?: ReturnType<typeof gapsBetween>; pending?: true }>()
  for (const { id, parts = 0 } of entries.flatMap(({ detail }) => detail.recordings ?? [])) {
    if (parts === 0) continue
    const rows = await store.read.recordings.listParts(accountId, id)
    const gaps = gapsBetween(rows)
    facts.set(id, { ...(gaps.length > 0 && { gaps }), ...(isPending(rows) && { pending: true }) })
  }
  return facts
}

/** Links with which only the caller can fetch the recordings. */
const recordingsOf = (
  { recordingLinks }: Pick<HandlerDeps, 'recordingLinks'>,
  { accountId, userId }: UserCaller,
  { detail }: HistoryEntry,
  partFacts: PartFacts,
) => {
  const recordings = (detail.recordings ?? []).map(({ id: written, truncated }) => {
    const id = recordingIdOf(written)
    return { id, url: recordingLinks.make(accountId, userId, id), ...(truncated && { truncated }), ...partFacts.get(id) }
  })
  const [first] = recordings
  return first && { recordings, recordingUrl: first.url }
}

/** With the caller's names for the numbers. */
const toHistoryElements = async (deps: HistoryDeps, caller: UserCaller, entries: readonly HistoryEntry[]) => {
  const [names, partFacts] = [await namesIn(deps, caller, entries), await partFactsOf(deps, caller.accountId, entries)]
  return entries.map((entry) => toHistoryElement(deps, caller, entry, { names, partFacts }))
}

type Names = Awaited<ReturnType<typeof namesOf>>

interface About {
  names: Names
  partFacts: PartFacts
}

const namesIn = ({ store }: HistoryDeps, { accountId, userId }: UserCaller, entries: readonly HistoryEntry[]): Promise<Names> =>
  namesOf(
    store.read,
    accountId,
    userId,
    entries.flatMap(({ source, target }) => [source, target]),
  )

/** Numbers of the account are named by the alias, if there is one. */
const contactOf = (names: Names, number: string, alias: string) => {
  const { contactId: id, name = '' } = names.get(number) ?? {}
  if (id !== undefined) return { id, name }
  return name === '' || (alias !== '' && alias !== number) ? undefined : { name }
}

const toHistoryElement = (
  deps: HistoryDeps,
  caller: UserCaller,
  entry: HistoryEntry,
  { names, partFacts }: About,
): Static<typeof HistoryElement> => {
  const { id, type, direction, source, target, sourceAlias, targetAlias, status, connectionIds, detail } = entry
  const [sourceContact, targetContact] = [contactOf(names, source, sourceAlias), contactOf(names, target, targetAlias)]
  const { read, archived, starred, note, labels } = entry
  return {
    id,
    type,
    direction,
    incoming: direction.endsWith('INCOMING'),
    source,
    target,
    sourceAlias,
    targetAlias,
    ...(sourceContact && { sourceContact }),
    ...(targetContact && { targetContact }),
    created: new Date(entry.createdAt).toISOString(),
    lastModified: new Date(entry.modifiedAt).toISOString(),
    status,
    connectionIds,
    read,
    archived,
    starred,
    note,
    labels,
    endpoints: entry.endpoints.map((one) => ({
      type: one.type,
      endpoint: {
        extension: one.extension,
        type: one.kind,
      },
    })),
    ...((type === 'CALL' || type === 'VOICEMAIL') && { callId: entry.sessionId }),
    ...(entry.correlationId !== undefined && { correlationId: entry.correlationId }),
    ...recordingsOf(deps, caller, entry, partFacts),
    ...(type === 'FAX' && deps.faxLinks.make(caller, entry)),
    ...(detail.messageText && { messageText: toMessageText(detail.messageText) }),
    ...Object.fromEntries(detailFields[type].flatMap((field) => (detail[field] === undefined ? [] : [[field, detail[field]]]))),
    ...((type === 'FAX' || type === 'SMS') &&
      detail.scheduledAt !== undefined && { scheduled: new Date(detail.scheduledAt).toISOString() }),
  }
}
