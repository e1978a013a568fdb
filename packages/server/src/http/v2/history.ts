import type { HistoryChange, HistoryEntry as HistoryElement, historyOperations, HistoryQuery } from '@offhook/contract/v2/history.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Static } from 'typebox'
import type { UserCaller } from '../../core/identity/caller.ts'
import { readCursor, writeCursor } from '../../core/lines/history-cursor.ts'
import { placeOf } from '../../core/lines/destination.ts'
import { readHistoryFilter } from '../../core/lines/history-filter.ts'
import { seerOf } from '../../core/lines/own-extensions.ts'
import type { HistoryDetail, HistoryEntry, HistoryFilter, HistoryType } from '../../core/ports/store/history.ts'
import type { Tables } from '../../core/ports/store/index.ts'
import { eraseAtOnce, eraseEntry, recordingIdOf } from '../../core/recordings/erase-recordings.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const historyHandlers = (parts: Parts): Handlers<typeof historyOperations> => {
  const { store } = parts

  const list = async (caller: UserCaller, userId: string, query: Static<typeof HistoryQuery>) => {
    const { accountId } = caller
    const filter = await historyFilter(store.read, { accountId, userId }, query)
    const [page, totalCount] = await Promise.all([listPage(parts, caller, filter, query), store.read.history.count(accountId, filter)])
    return { ...page, totalCount }
  }

  return {
    listOwnHistory: ({ caller, query }) => list(caller, caller.userId, query),

    getOwnHistoryEntry: ({ caller, params: { entryId } }) => getEntry(parts, caller, { userId: caller.userId, entryId }),

    listHistory: ({ caller, params: { userId }, query }) => list(caller, userId, query),

    getHistoryEntry: ({ caller, params }) => getEntry(parts, caller, params),

    changeHistoryEntry: ({ caller, params, body }) => changeEntry(parts, { accountId: caller.accountId, ...params }, body),

    deleteHistoryEntry: ({ caller, params }) => removeEntry(parts, caller, params),
  }
}

interface Owner {
  accountId: string
  userId: string
}

/** One entry more than asked for tells whether there is a next page. */
export const listPage = async (parts: Parts, caller: UserCaller, filter: HistoryFilter, query: Static<typeof HistoryQuery>) => {
  const { offset, limit = 10, cursor } = query
  if (cursor !== undefined && offset !== undefined) throw Problem.field('offset', 'cannot be combined with cursor')
  const page = { limit: limit + 1, ...(offset !== undefined && { offset }), ...(cursor !== undefined && { after: readCursor(cursor) }) }
  const entries = await parts.store.read.history.list(caller.accountId, filter, page)
  const last = entries.length > limit ? entries[limit - 1] : undefined
  const items = entries.slice(0, limit).map((entry) => toHistoryElement(parts, caller, entry))
  return { items, ...(last && { nextCursor: writeCursor(last) }) }
}

export const getEntry = async (parts: Parts, caller: UserCaller, named: { userId: string; entryId: string }) =>
  toHistoryElement(parts, caller, await findEntry(parts.store.read, { accountId: caller.accountId, ...named }))

export const historyFilter = async (
  tables: Tables,
  { accountId, userId }: Owner,
  query: Static<typeof HistoryQuery>,
): Promise<HistoryFilter> => {
  const [{ country }, seer] = await Promise.all([placeOf(tables, accountId), seerOf(tables, accountId, userId)])
  return readHistoryFilter(query, seer, country)
}

/** An entry that this user can see. */
export const findEntry = async (tables: Tables, { accountId, userId, entryId }: Owner & { entryId: string }): Promise<HistoryEntry> => {
  const entry = await tables.history.find(accountId, entryId, await seerOf(tables, accountId, userId))
  if (!entry) throw new Problem('history_entry_not_found')
  return entry
}

export const changeEntry = (
  { store, clock }: Parts,
  named: Owner & { entryId: string },
  change: Static<typeof HistoryChange>,
): Promise<void> =>
  store.write(async (tables) => {
    const { id } = await findEntry(tables, named)
    await tables.history.update(named.accountId, id, change, clock.now())
  })

/** With everything that was recorded. */
export const removeEntry = async (
  { store, clock, recordingFiles }: Parts,
  { accountId, userId: actor }: UserCaller,
  named: { userId: string; entryId: string },
): Promise<void> => {
  const at = clock.now()
  const files = await store.write(async (tables) => {
    const entry = await findEntry(tables, { accountId, ...named })
    const erased = await eraseEntry(tables, accountId, entry, at)
    for (const { id } of erased) await tables.audit.append(accountId, { at, actor: `user:${actor}`, action: 'recording.erase', target: id })
    return erased
  })
  await eraseAtOnce(recordingFiles, files)
}

/** Only these leave the house, whatever else is noted with an entry. */
const detailFields: Record<HistoryType, readonly Exclude<keyof HistoryDetail, 'scheduledAt' | 'recordings'>[]> = {
  CALL: ['callId', 'duration', 'callStatus'],
  VOICEMAIL: ['transcription', 'duration'],
  FAX: ['faxStatusType', 'documentUrl', 'reportUrl', 'previewUrl', 'pageCount'],
  SMS: ['smsContent'],
}

/** Where the caller, and nobody else, can fetch what was recorded. */
const recordingsOf = ({ recordingLinks }: Parts, { accountId, userId }: UserCaller, entry: HistoryEntry) => {
  const recordings = (entry.detail.recordings ?? []).map(({ id: written, truncated }) => {
    const id = recordingIdOf(written)
    return { id, url: recordingLinks.make(accountId, userId, id), ...(truncated && { truncated }) }
  })
  const [first] = recordings
  return first && { recordings, recordingUrl: first.url }
}

export const toHistoryElement = (parts: Parts, caller: UserCaller, entry: HistoryEntry): Static<typeof HistoryElement> => {
  const { id, type, direction, source, target, sourceAlias, targetAlias, status, connectionIds, detail } = entry
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
    ...(type === 'CALL' && { callId: entry.sessionId }),
    ...recordingsOf(parts, caller, entry),
    ...Object.fromEntries(detailFields[type].flatMap((field) => (detail[field] === undefined ? [] : [[field, detail[field]]]))),
    ...((type === 'FAX' || type === 'SMS') &&
      detail.scheduledAt !== undefined && { scheduled: new Date(detail.scheduledAt).toISOString() }),
  }
}
