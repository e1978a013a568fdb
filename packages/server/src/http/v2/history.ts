import type { HistoryChange, HistoryEntry as HistoryElement, historyOperations, HistoryQuery } from '@offhook/contract/v2/history.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Static } from 'typebox'
import { placeOf } from '../../core/lines/destination.ts'
import { readHistoryFilter } from '../../core/lines/history-filter.ts'
import { seerOf } from '../../core/lines/own-extensions.ts'
import type { HistoryDetail, HistoryEntry, HistoryFilter, HistoryType } from '../../core/ports/store/history.ts'
import type { Tables } from '../../core/ports/store/index.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const historyHandlers = (parts: Parts): Handlers<typeof historyOperations> => {
  const { store } = parts

  const list = async (owner: Owner, query: Static<typeof HistoryQuery>) => {
    const filter = await historyFilter(store.read, owner, query)
    const [entries, totalCount] = await Promise.all([
      store.read.history.list(owner.accountId, filter, pageOf(query)),
      store.read.history.count(owner.accountId, filter),
    ])
    return { items: entries.map(toHistoryElement), totalCount }
  }

  return {
    listOwnHistory: ({ caller: { accountId, userId }, query }) => list({ accountId, userId }, query),

    getOwnHistoryEntry: async ({ caller: { accountId, userId }, params }) =>
      toHistoryElement(await findEntry(store.read, { accountId, userId, ...params })),

    listHistory: ({ caller: { accountId }, params: { userId }, query }) => list({ accountId, userId }, query),

    getHistoryEntry: async ({ caller, params }) =>
      toHistoryElement(await findEntry(store.read, { accountId: caller.accountId, ...params })),

    changeHistoryEntry: ({ caller, params, body }) => changeEntry(parts, { accountId: caller.accountId, ...params }, body),

    deleteHistoryEntry: ({ caller, params }) => removeEntry(parts, { accountId: caller.accountId, ...params }),
  }
}

interface Owner {
  accountId: string
  userId: string
}

export const pageOf = ({ offset = 0, limit = 10 }: Static<typeof HistoryQuery>) => ({ offset, limit })

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

export const removeEntry = ({ store }: Parts, named: Owner & { entryId: string }): Promise<void> =>
  store.write(async (tables) => {
    const { id } = await findEntry(tables, named)
    await tables.history.remove(named.accountId, id)
  })

/** Only these leave the house, whatever else is noted with an entry. */
const detailFields: Record<HistoryType, readonly Exclude<keyof HistoryDetail, 'scheduledAt'>[]> = {
  CALL: ['callId', 'duration', 'callStatus', 'recordings', 'recordingUrl'],
  VOICEMAIL: ['transcription', 'recordingUrl', 'duration'],
  FAX: ['faxStatusType', 'documentUrl', 'reportUrl', 'previewUrl', 'pageCount'],
  SMS: ['smsContent'],
}

export const toHistoryElement = (entry: HistoryEntry): Static<typeof HistoryElement> => {
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
    ...Object.fromEntries(detailFields[type].flatMap((field) => (detail[field] === undefined ? [] : [[field, detail[field]]]))),
    ...((type === 'FAX' || type === 'SMS') &&
      detail.scheduledAt !== undefined && { scheduled: new Date(detail.scheduledAt).toISOString() }),
  }
}
