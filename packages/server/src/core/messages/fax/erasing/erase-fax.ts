import type { Clock } from '#core/kernel/ports/platform.ts'
import type { FaxFiles } from '#core/kernel/ports/messages.ts'
import type { HistoryEntry } from '#core/kernel/ports/store/call.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { Task } from '#core/kernel/work/worker.ts'
import { cancelFaxes } from './cancel-fax.ts'
import type { FaxName } from '../state/schedule-sending.ts'

const eraseJob = 'fax.erase'
const accountJob = 'fax.erase-account'
/** Faxes per transaction: writers queue behind it. */
const concurrency = 100

/** Part of a transaction: erases everything except the history entry. Cancels the fax if it is pending or being sent. */
export const eraseFax = async (tables: Tables, clock: Clock, { accountId, id }: FaxName): Promise<void> => {
  await cancelFaxes(tables, clock, [{ accountId, id }])
  await forgetFax(tables, { accountId, id }, clock.now())
  await tables.jobs.schedule({ id: `${eraseJob}:${accountId}:${id}`, kind: eraseJob, payload: { accountId, id }, dueAt: clock.now() })
}

/** For faxes whose files are already gone. */
export const forgetFax = async (tables: Tables, { accountId, id }: FaxName, at: number): Promise<void> => {
  await tables.faxes.remove(accountId, id)
  const entry = await tables.history.find(accountId, id)
  if (!entry?.detail.papers) return
  const { papers: _gone, ...detail } = entry.detail
  await tables.history.update(accountId, id, { detail }, at)
}

/** Part of the transaction that closes the account. */
export const eraseFaxesOfAccount = (tables: Tables, accountId: string, at: number): Promise<void> =>
  tables.jobs.schedule({ id: `${accountJob}:${accountId}`, kind: accountJob, payload: { accountId }, dueAt: at })

/** Erases faxes of entries that only one user could see. Faxes of a group stay. */
export const eraseFaxesOf = async (tables: Tables, clock: Clock, accountId: string, entries: readonly HistoryEntry[]): Promise<void> => {
  for (const { id, type, connectionIds } of entries) {
    if (type !== 'FAX') continue
    const lines = await Promise.all(connectionIds.map((extension) => tables.faxlines.find(accountId, extension)))
    if (!lines.some((line) => line?.owner.startsWith('g'))) await eraseFax(tables, clock, { accountId, id })
  }
}

export const eraseFaxJobs = ({ store, clock, files }: { store: Store; clock: Clock; files: FaxFiles }): Record<string, Task> => ({
  [eraseJob]: (payload) => {
    const { accountId, id } = payload as FaxName
    return files.erase(accountId, id)
  },

  [accountJob]: async (payload) => {
    const { accountId } = payload as { accountId: string }
    const some = () =>
      store.write(async (tables) => {
        const faxes = await tables.faxes.list(accountId, concurrency)
        for (const fax of faxes) await eraseFax(tables, clock, fax)
        return faxes.length
      })
    while ((await some()) === concurrency);
  },
})
