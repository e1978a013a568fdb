import type { Clock } from '#core/kernel/ports/platform.ts'
import type { FaxPrinter } from '#core/kernel/ports/messages.ts'
import type { Fax } from '#core/kernel/ports/store/message.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import { text, type Locale } from '#core/kernel/translations/index.ts'
import type { Task } from '#core/kernel/work/worker.ts'
import { isReason } from './reasons.ts'
import type { FaxName } from './schedule-sending.ts'

const reportJob = 'fax.report'

/** Part of the transaction that ends the fax. */
export const scheduleReport = (tables: Tables, { accountId, id }: FaxName, dueAt: number): Promise<void> =>
  tables.jobs.schedule({ id: `${reportJob}:${accountId}:${id}`, kind: reportJob, payload: { accountId, id }, dueAt })

export interface ReportDeps {
  store: Store
  clock: Clock
  printer: FaxPrinter
}

export const reportJobs = ({ store, clock, printer }: ReportDeps): Record<string, Task> => ({
  [reportJob]: async (payload) => {
    const { accountId, id } = payload as FaxName
    const { accounts, users, faxes } = store.read
    const [account, fax] = await Promise.all([accounts.find(accountId), faxes.find(accountId, id)])
    if (!account || !fax) return
    const sender = fax.userId === undefined ? undefined : await users.find(accountId, fax.userId)
    await printer.report({ accountId, faxId: id }, reportOn(fax, sender ?? { locale: account.locale, timezone: 'UTC' }))
    await store.write((tables) => noteInHistory(tables, fax, clock.now()))
  },
})

/** Adds the report to the history entry, unless the fax was erased concurrently. */
const noteInHistory = async (tables: Tables, { accountId, id }: FaxName, at: number): Promise<void> => {
  if (!(await tables.faxes.lock(accountId, id))) return
  const entry = await tables.history.find(accountId, id)
  const { papers = [] } = entry?.detail ?? {}
  if (!entry || papers.includes('report')) return
  await tables.history.update(accountId, id, { detail: { ...entry.detail, papers: [...papers, 'report'] } }, at)
}

/** Locale and time zone of the report's reader. */
interface Reader {
  locale: Locale
  timezone: string
}

const reportOn = (fax: Fax, { locale, timezone }: Reader): { title: string; lines: (readonly [string, string])[] } => {
  const { state, reason, carriedBy, bitRate, station } = fax
  const label = (name: 'from' | 'to' | 'document' | 'pages' | 'time' | 'tries' | 'speed' | 'station' | 'reason'): string =>
    text(locale, `fax.report.${name}`)
  const over = carriedBy === undefined ? '' : ` (${carriedBy === 't38' ? 'T.38' : 'G.711'})`
  return {
    title: text(locale, state === 'SENT' ? 'fax.report.sent' : 'fax.report.failed'),
    lines: [
      [label('from'), fax.sender],
      [label('to'), fax.recipient],
      ...(station === '' ? [] : [[label('station'), station] as const]),
      [label('document'), fax.filename],
      [label('pages'), `${fax.pagesDone} / ${fax.pages}`],
      [label('time'), timeOf(fax.changedAt, locale, timezone)],
      [label('tries'), String(fax.tries)],
      ...(bitRate === 0 ? [] : [[label('speed'), `${bitRate} bit/s${over}`] as const]),
      ...(isReason(reason) ? [[label('reason'), text(locale, `fax.reason.${reason}`)] as const] : []),
    ],
  }
}

/** `15. November 2026 um 19:04:05 MEZ` */
const timeOf = (at: number, locale: Locale, timeZone: string): string =>
  new Intl.DateTimeFormat(locale.replace('_', '-'), { dateStyle: 'long', timeStyle: 'long', timeZone }).format(at).replaceAll('\u202f', ' ')
