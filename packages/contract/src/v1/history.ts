import { operation } from '../operation.ts'
import { HistoryChange, HistoryEntry, HistoryItems, HistoryQuery } from '../v2/history.ts'

const reading = { auth: 'user', bearer: true, scopes: ['history:read'], permission: 'CAN_GET_HISTORY', scoped: true, status: 200 } as const
const changing = {
  auth: 'user',
  bearer: true,
  scopes: ['history:write'],
  permission: 'CAN_CHANGE_HISTORY',
  scoped: true,
  status: 204,
} as const

export const historyV1Operations = {
  listHistoryV1: operation({
    ...reading,
    id: 'listHistoryV1',
    heavy: true,
    method: 'GET',
    path: '/v1/{userId}/history',
    summary: 'Calls, voicemails, faxes and SMS of a user, newest first',
    query: HistoryQuery,
    reply: HistoryItems,
  }),
  getHistoryEntryV1: operation({
    ...reading,
    id: 'getHistoryEntryV1',
    method: 'GET',
    path: '/v1/{userId}/history/{entryId}',
    summary: 'One entry of the history',
    reply: HistoryEntry,
    errors: ['history_entry_not_found'],
  }),
  changeHistoryEntryV1: operation({
    ...changing,
    id: 'changeHistoryEntryV1',
    method: 'PUT',
    path: '/v1/{userId}/history/{entryId}',
    summary: 'Mark an entry as read, archived or starred, and note something about it',
    body: HistoryChange,
    errors: ['history_entry_not_found'],
  }),
  deleteHistoryEntryV1: operation({
    ...changing,
    id: 'deleteHistoryEntryV1',
    method: 'DELETE',
    path: '/v1/{userId}/history/{entryId}',
    summary: 'Delete an entry of the history',
    errors: ['history_entry_not_found'],
  }),
}
