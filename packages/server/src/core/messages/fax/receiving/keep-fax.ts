import { scheduleNotification } from '#core/account/notifications/schedule-notification.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { FaxFiles, FaxPrinter } from '#core/kernel/ports/messages.ts'
import type { Fax } from '#core/kernel/ports/store/message.ts'
import type { HistoryEntry, Paper } from '#core/kernel/ports/store/call.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import { text } from '#core/kernel/translations/index.ts'
import { DeferredError, type Task } from '#core/kernel/work/worker.ts'
import { isReason } from '../state/reasons.ts'
import type { FaxName } from '../state/schedule-sending.ts'

const keepJob = 'fax.keep'

/** Part of the transaction that ends the reception: schedules the conversion of the received pages to a document, even if incomplete. */
export const keepLater = (tables: Tables, { accountId, id }: FaxName, dueAt: number): Promise<void> =>
  tables.jobs.schedule({ id: `${keepJob}:${accountId}:${id}`, kind: keepJob, payload: { accountId, id }, dueAt })

interface KeepFaxDeps {
  store: Store
  clock: Clock
  files: FaxFiles
  printer: FaxPrinter
  /** Called after a job was queued. */
  wake: () => void
}

/** Attempts with the usual retry intervals. */
const quickTries = 10
const hour = 3_600_000

export const keepFaxJobs = (deps: KeepFaxDeps): Record<string, Task> => ({
  [keepJob]: async (payload, { attempts }) => {
    try {
      await keepPages(deps, payload as FaxName)
    } catch (error) {
      if (attempts < quickTries) throw error
      // Retried for ever, because the sender got a confirmation: disk space or the folder may become available again.
      throw new DeferredError('a fax that came cannot be kept', hour)
    }
  },
})

const keepPages = async ({ store, clock, files, printer, wake }: KeepFaxDeps, { accountId, id }: FaxName): Promise<void> => {
  const fax = await store.read.faxes.find(accountId, id)
  if (!isUnderWay(fax)) return
  // Another machine received them into a different folder, or the folder is unavailable at the moment.
  if (fax.pages > 0 && !(await isThere(files, { accountId, faxId: id }))) throw new Error('the pages of a fax are not in this folder')
  const { pages, preview } = await printer.bind({ accountId, faxId: id })
  if (pages === 0) await files.erase(accountId, id)
  const papers: Paper[] = pages === 0 ? [] : ['document', ...(preview ? (['preview'] as const) : [])]
  await store.write((tables) => keep(tables, { accountId, id }, { pages, papers, at: clock.now() }))
  wake()
}

const isThere = async (files: FaxFiles, fax: { accountId: string; faxId: string }): Promise<boolean> => {
  const file = await files.open({ ...fax, kind: 'pages' })
  await file?.close()
  return file !== undefined
}

const isUnderWay = (fax: Fax | undefined): fax is Fax => fax?.direction === 'INCOMING' && fax.state === 'SENDING'

interface Kept {
  pages: number
  papers: readonly Paper[]
  at: number
}

const keep = async (tables: Tables, { accountId, id }: FaxName, { pages, papers, at }: Kept): Promise<void> => {
  const fax = await tables.faxes.lock(accountId, id)
  if (!isUnderWay(fax)) return
  const change = { state: pages > 0 ? 'RECEIVED' : 'FAILED', pages, pagesDone: pages } as const
  await tables.faxes.update(accountId, id, change, at)
  const faxline = await tables.faxlines.find(accountId, fax.faxlineId)
  const entry = incomingEntry({ ...fax, ...change, changedAt: at }, papers, faxline?.alias ?? '')
  if ((await tables.history.insert(accountId, entry)) && pages > 0) await scheduleNotification(tables, accountId, entry)
}

/** Also for partially received faxes; without any page the fax counts as missed. */
const incomingEntry = (fax: Fax, papers: readonly Paper[], alias: string): HistoryEntry => ({
  id: fax.id,
  userId: fax.userId,
  sessionId: fax.id,
  type: 'FAX',
  direction: fax.pages > 0 ? 'INCOMING' : 'MISSED_INCOMING',
  source: fax.sender,
  target: fax.recipient,
  sourceAlias: fax.station,
  targetAlias: alias,
  status: 'PICKUP',
  connectionIds: [fax.faxlineId],
  endpoints: [{ type: 'ROUTED', extension: fax.faxlineId, kind: 'FAXLINE' }],
  detail: {
    faxStatusType: fax.reason === undefined && fax.pages > 0 ? 'SENT' : 'FAILED',
    pageCount: fax.pages,
    ...(fax.bitRate > 0 && { bitRate: fax.bitRate }),
    ...(isReason(fax.reason) && { faxReason: text('en_US', `fax.reason.${fax.reason}`) }),
    ...(papers.length > 0 && { papers }),
  },
  createdAt: fax.createdAt,
  modifiedAt: fax.changedAt,
  read: false,
  archived: false,
  starred: false,
  note: '',
  labels: [],
})
