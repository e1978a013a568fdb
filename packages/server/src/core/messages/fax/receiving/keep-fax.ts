import { scheduleNotification } from '#core/account/notifications/schedule-notification.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { FaxFiles, FaxPrinter } from '#core/kernel/ports/fax-papers.ts'
import type { Fax } from '#core/kernel/ports/store/message/faxes.ts'
import type { HistoryEntry, Paper } from '#core/kernel/ports/store/call/history.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import { text } from '#core/kernel/translations/index.ts'
import { DeferredError, type Task } from '#core/kernel/work/worker.ts'
import { isReason } from '../state/reasons.ts'
import type { FaxName } from '../state/schedule-sending.ts'

const keepJob = 'fax.keep'

/** Part of the transaction that knows that nothing more comes: what is there becomes a document, also when it is not all of it. */
export const keepLater = (tables: Tables, { accountId, id }: FaxName, dueAt: number): Promise<void> =>
  tables.jobs.schedule({ id: `${keepJob}:${accountId}:${id}`, kind: keepJob, payload: { accountId, id }, dueAt })

export interface KeepFaxDeps {
  store: Store
  clock: Clock
  files: FaxFiles
  printer: FaxPrinter
  /** Something was put into the waiting tables. */
  wake: () => void
}

/** The tries that follow each other as fast as those of any other job. */
const quickTries = 10
const hour = 3_600_000

export const keepFaxJobs = (deps: KeepFaxDeps): Record<string, Task> => ({
  [keepJob]: async (payload, { attempts }) => {
    try {
      await keepPages(deps, payload as FaxName)
    } catch (error) {
      if (attempts < quickTries) throw error
      // Never given up, because its sender was told that it is here: there may be room on the disk again, or the folder be back.
      throw new DeferredError('a fax that came cannot be kept', hour)
    }
  },
})

const keepPages = async ({ store, clock, files, printer, wake }: KeepFaxDeps, { accountId, id }: FaxName): Promise<void> => {
  const fax = await store.read.faxes.find(accountId, id)
  if (!isUnderWay(fax)) return
  // They were received by a machine whose folder is another one, or that cannot be reached at the moment.
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

/** Also one of which only some pages came; when none did, it was missed. */
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
