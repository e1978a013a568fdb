import { operation } from '../operation.ts'
import { changingHistory, HistoryChange, HistoryEntry, HistoryItems, HistoryQuery, readingHistory } from '../v2/history.ts'

export const historyV1Operations = {
  listHistoryV1: operation({
    ...readingHistory,
    id: 'listHistoryV1',
    heavy: true,
    method: 'GET',
    path: '/v1/{userId}/history',
    summary: 'Calls, voicemails, faxes and SMS of a user, newest first',
    query: HistoryQuery,
    reply: HistoryItems,
  }),
  getHistoryEntryV1: operation({
    ...readingHistory,
    id: 'getHistoryEntryV1',
    method: 'GET',
    path: '/v1/{userId}/history/{entryId}',
    summary: 'One entry of the history',
    reply: HistoryEntry,
    errors: ['history_entry_not_found'],
  }),
  changeHistoryEntryV1: operation({
    ...changingHistory,
    id: 'changeHistoryEntryV1',
    method: 'PUT',
    path: '/v1/{userId}/history/{entryId}',
    summary: 'Mark an entry as read, archived or starred, and note something about it',
    body: HistoryChange,
    errors: ['history_entry_not_found'],
  }),
  deleteHistoryEntryV1: operation({
    ...changingHistory,
    id: 'deleteHistoryEntryV1',
    method: 'DELETE',
    path: '/v1/{userId}/history/{entryId}',
    summary: 'Delete an entry of the history',
    errors: ['history_entry_not_found'],
  }),
}
