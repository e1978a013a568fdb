import type { MailContext } from '#core/kernel/mail/queue-mail.ts'
import type { ArchiveContent, ExportArchives, PersonalData } from '#core/kernel/ports/account.ts'
import type { ArchiveFacts, StoredExport } from '#core/kernel/ports/store/account.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { DeferredError, type Task } from '#core/kernel/work/worker.ts'
import { mailExportReady } from './notify.ts'
import { idOfSubject, openSubject, typeOfSubject } from './subject.ts'
import type { Locale } from '#core/kernel/translations/index.ts'

const kind = 'personal-data.export'
const minuteMs = 60_000

export const buildJobId = (exportId: string): string => `${kind}:${exportId}`

export const buildJob = ({ accountId, id }: Pick<StoredExport, 'accountId' | 'id'>, dueAt: number) => ({
  id: buildJobId(id),
  kind,
  payload: { accountId, id },
  dueAt,
})

interface ExportDeps extends MailContext {
  store: Store
  personalData: PersonalData
  archives: ExportArchives
  /** Attempts, counted before each, after which an export has failed. */
  maxAttempts: number
  /** Aborted at shutdown. */
  signal: AbortSignal
  wake: () => void
}

export const exportJobs = (deps: ExportDeps): Record<string, Task> => ({
  [kind]: async (payload, { attempts }) => {
    const { accountId, id } = payload as { accountId: string; id: string }
    const { store, archives, maxAttempts, signal } = deps
    const request = await store.read.dataExports.find(accountId, id)
    if (request?.state !== 'PENDING' && request?.state !== 'BUILDING') return
    const setState = (state: 'PENDING' | 'FAILED') => store.write((tables) => tables.dataExports.setState(accountId, id, state))
    // The process of the last attempt died.
    if (attempts > maxAttempts) return setState('FAILED')
    await begin(deps, request)
    try {
      await finish(deps, request, await archives.write({ accountId, exportId: id }, await contentOf(deps, request)))
    } catch (error) {
      await setState(attempts >= maxAttempts && !signal.aborted ? 'FAILED' : 'PENDING')
      throw signal.aborted ? new DeferredError('the service ends', 0) : error
    }
  },
})

/** An erasure of the account and an export exclude each other: an archive must not contain data erased during its creation. */
const begin = ({ store }: ExportDeps, { accountId, id }: StoredExport): Promise<void> =>
  store.write(async (tables) => {
    await tables.accounts.lock(accountId)
    if (await tables.erasureRequests.isRunning(accountId)) throw new DeferredError('an erasure of the account is running', minuteMs)
    await tables.dataExports.setState(accountId, id, 'BUILDING')
  })

const contentOf = async ({ store, vault, clock, personalData, signal }: ExportDeps, request: StoredExport): Promise<ArchiveContent> => {
  const subject = openSubject(vault, request.subjectSealed)
  const account = await store.read.accounts.find(request.accountId)
  const id = idOfSubject(subject)
  return {
    rows: personalData.rows(subject),
    files: personalData.files(subject),
    readme: readme[account?.locale ?? 'en_US'],
    about: { id: request.id, accountId: request.accountId, subject: { type: typeOfSubject(subject), ...(id !== undefined && { id }) } },
    at: clock.now(),
    signal,
  }
}

const finish = async (deps: ExportDeps, request: StoredExport, archive: ArchiveFacts): Promise<void> => {
  const { accountId, id } = request
  const isThere = await deps.store.write(async (tables) => {
    if (!(await tables.dataExports.setReady(accountId, id, archive, deps.clock.now()))) return false
    await mailExportReady(tables, deps, request)
    return true
  })
  if (!isThere) await deps.archives.remove({ accountId, exportId: id }) // it was removed since
  deps.wake()
}

/** README.txt of an archive. */
const readme: Record<Locale, string> = {
  en_US: `This archive contains everything that is stored about you, or about the person or account that was chosen.

export.json   what was exported and when, and how many rows and files there are
data/         one file for each table, as JSON: an array with an object for each row; times are milliseconds since 1970-01-01 UTC
files/        recordings, voicemails, faxes and documents, as they are stored
SHA256SUMS    checksums; verify them with: sha256sum -c SHA256SUMS

Passwords, keys and other secrets are not included.
Which table holds what: docs/personal-data.md of the service.
`,
  de_DE: `Dieses Archiv enthält alles, was über Sie oder über die gewählte Person oder das gewählte Konto gespeichert ist.

export.json   was wann exportiert wurde, und wie viele Zeilen und Dateien es sind
data/         eine JSON-Datei für jede Tabelle: eine Liste mit einem Objekt je Zeile; Zeiten sind Millisekunden seit dem 1.1.1970 (UTC)
files/        Aufnahmen, Mailbox-Nachrichten, Faxe und Dokumente, wie sie gespeichert sind
SHA256SUMS    Prüfsummen; prüfen mit: sha256sum -c SHA256SUMS

Passwörter, Schlüssel und andere Geheimnisse sind nicht enthalten.
Welche Tabelle was enthält: docs/personal-data.md des Dienstes.
`,
}
