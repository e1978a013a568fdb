import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openJournalFile } from '#adapters/journal/journal-file.ts'
import { ErasureJournal, type Erasure } from '#adapters/store/personal-data/journal.ts'
import { personalData } from '#adapters/store/personal-data/personal-data.ts'
import type { RawDatabase } from '#adapters/store/raw-database.ts'
import { CacheResets } from '#core/kernel/changes/cache-resets.ts'
import type { PersonalData } from '#core/kernel/ports/account.ts'
import type { Bus, Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { Changes } from '#core/kernel/ports/store/index.ts'
import type { RoutingMemory } from '#core/kernel/changes/routing-memory.ts'
import type { Log } from '#log/log-events.ts'
import type { Open } from '../closing.ts'
import type { Files } from '../files/open-files.ts'
import { erasuresName } from './erasures-name.ts'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { eraseMails } from '#adapters/mail/file-mailer.ts'
import { Mentions } from '#adapters/store/personal-data/mentions.ts'
import type { FirstRunNotes } from '#first-start/first-start.ts'

export interface Privacy {
  /** Caches that an erasure clears. */
  cacheResets: CacheResets
  /** Export and erasure of persons, over the whole database and all files. */
  personalData: PersonalData
  /** Repeats erasures that a restored backup undid, and those that this process missed while it was down; returns the number of undone ones. */
  resumeErasures: () => Promise<number>
  /** Time of the last erasure; undefined: never. */
  lastErasureAt: () => Promise<number | undefined>
}

interface PrivacyParts {
  data: string
  database: RawDatabase
  files: Pick<Files, 'files' | 'shared'>
  clock: Clock
  vault: Vault
  bus: Bus
  changes: Changes
  routing: RoutingMemory | undefined
  log: Log
}

export const openPersonalData = (deps: PrivacyParts, open: Open): Privacy => {
  const { data, database, files, clock, vault, bus, changes, routing, log } = deps
  const onUnavailable = (error: Error): void => log('erasures_unknown', { err: error })
  const path = join(data, erasuresName)
  const openFile = async (make: boolean) => (make || existsSync(path) ? openJournalFile(path) : undefined)
  const journal = new ErasureJournal({ database, vault, clock, openFile, copies: files.shared, onUnavailable })
  const lastErasureAt = async (): Promise<number | undefined> => (await journal.list()).at(-1)?.at
  const onError = (error: unknown): void => log('erasure_remains', { err: error })
  const cacheResets = open(new CacheResets({ bus, clock, lastErasureAt, onError }))
  if (routing) cacheResets.add(() => routing.forget())
  const clean = async (): Promise<void> => cleanDataFolder(data, await journal.list())
  cacheResets.add(clean)
  const forget = async ({ accountId }: { accountId: string }): Promise<void> => {
    changes.notify('accounts', accountId)
    await cacheResets.reset()
  }
  const onRemains = (): void => log('erasure_not_rewritten')
  const erasing = personalData({ database, files: files.files, clock, journal, forget, onRemains })
  const resumeErasures = async (): Promise<number> => {
    const repeated = await erasing.resume()
    await clean()
    return repeated
  }
  return { cacheResets, personalData: erasing, resumeErasures, lastErasureAt }
}

/** Removes data of erased persons from files of the data folder other than recordings and the database. */
export const cleanDataFolder = async (data: string, erasures: readonly Erasure[]): Promise<void> => {
  if (erasures.length === 0) return
  const searches = erasures.map(({ at, person }) => ({ at, mentions: new Mentions(person) }))
  // A mail after the erasure is about a person who came back.
  await eraseMails(join(data, 'mail'), (text, writtenAt) => searches.some(({ at, mentions }) => writtenAt <= at && mentions.isIn(text)))
  await cleanFirstRun(join(data, 'first-run.json'), erasures)
}

/** The notes of the first start contain the logins of the demo account. */
const cleanFirstRun = async (path: string, erasures: readonly Erasure[]): Promise<void> => {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return
  const { console, baseUrl, authUrl, operator, ...demo } = JSON.parse(text) as FirstRunNotes
  const isErased = erasures.some(
    ({ subject, person }) =>
      (subject.type === 'account' && subject.accountId === demo.accountId) || person.emails.includes(demo.email ?? ''),
  )
  if (!isErased) return
  await writeFile(`${path}.part`, `${JSON.stringify({ console, baseUrl, authUrl, operator }, null, 2)}\n`, { mode: 0o600, flush: true })
  await rename(`${path}.part`, path)
}
