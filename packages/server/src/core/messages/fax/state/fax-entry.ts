import type { Fax } from '#core/kernel/ports/store/message.ts'
import type { FaxStatus, HistoryDetail, HistoryEntry } from '#core/kernel/ports/store/call.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { text } from '#core/kernel/translations/index.ts'
import { isReason, reasons } from './reasons.ts'

/** History entry of an outgoing fax. */
export const outgoingEntry = (fax: Fax, { alias }: { alias: string }): HistoryEntry => ({
  id: fax.id,
  userId: fax.userId,
  sessionId: fax.id,
  type: 'FAX',
  direction: 'OUTGOING',
  source: fax.sender,
  target: fax.recipient,
  sourceAlias: alias,
  targetAlias: '',
  status: 'NOPICKUP',
  connectionIds: [fax.faxlineId],
  endpoints: [],
  detail: { ...stateOf(fax), papers: ['document', 'preview'] },
  createdAt: fax.createdAt,
  modifiedAt: fax.createdAt,
  read: true,
  archived: false,
  starred: false,
  note: '',
  labels: [],
})

/** Does not restore an erased entry. */
export const updateEntry = async (tables: Tables, fax: Fax, at: number): Promise<void> => {
  const entry = await tables.history.find(fax.accountId, fax.id)
  if (!entry) return
  const { papers } = entry.detail
  const detail = { ...stateOf(fax), ...(papers && { papers }) }
  await tables.history.update(fax.accountId, fax.id, { status: statusOf(fax), detail }, at)
}

const stateOf = (fax: Fax): HistoryDetail => ({
  faxStatusType: fax.state as FaxStatus,
  pageCount: fax.pages,
  pagesSent: fax.pagesDone,
  ...(fax.bitRate > 0 && { bitRate: fax.bitRate }),
  ...(isReason(fax.reason) && { faxReason: text('en_US', `fax.reason.${fax.reason}`) }),
  ...(fax.state === 'SCHEDULED' && fax.dueAt !== undefined && { scheduledAt: fax.dueAt }),
})

const statusOf = ({ state, reason, pagesDone }: Fax): HistoryEntry['status'] => {
  if (reason === 'busy') return 'BUSY'
  const answered = state === 'SENT' || pagesDone > 0 || (isReason(reason) && reasons[reason].answered)
  return answered ? 'PICKUP' : 'NOPICKUP'
}
