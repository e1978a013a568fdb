import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile, open } from 'node:fs/promises'
import { join } from 'node:path'
import { BadArchive } from '#core/kernel/tar/tar-header.ts'
import { syncFolder } from '#adapters/archive/paced-file.ts'
import { workFolder } from '#adapters/archive/work-folder.ts'
import { schemaRelease, canWorkWith } from '#adapters/store/migrate.ts'
import type { Settings } from '#settings/config.ts'
import { version } from '#settings/version.ts'
import { erasuresName } from '../privacy/erasures-name.ts'
import { repeatErasures } from '../privacy/repeat-erasures.ts'
import { backupKey, keyOf, type BackupKey } from './make-backup.ts'
import { Refused } from './make-backup.ts'
import { databaseNames, keyName, type Manifest, manifestName, type Engine } from './manifest.ts'
import { unpack, type Source, type Unpacked } from './unpack.ts'
import { createReadStream } from 'node:fs'
import { text } from 'node:stream/consumers'
import { tarEntries } from '#core/kernel/tar/tar-reader.ts'
import { withSqlite } from '#adapters/store/plain-database.ts'
import { rehearse, silence } from '#adapters/store/restored.ts'
import { refuseDamaged } from '#adapters/store/sqlite/online-copy.ts'
import { claimFile } from '#adapters/store/sqlite/single-process.ts'

/** Bytes; larger than a journal of three years. */
const maxBytes = 64 * 1024 * 1024

/**
 * Merges the journals of the archive, of the data folder and of the operator's file: an older backup does not contain later erasures.
 * `files`: the unpacked archive. Returns the number of entries.
 */
export const gatherErasures = async (files: string, data: string, named: string | undefined): Promise<number> => {
  const lines = new Set<string>()
  for (const path of [join(files, erasuresName), join(data, erasuresName)])
    for (const line of (await readFile(path, 'utf8').catch(() => '')).split('\n')) if (line !== '') lines.add(line)
  if (named !== undefined) for (const line of await linesOf(named)) lines.add(line)
  if (lines.size > 0)
    await writeFile(join(files, erasuresName), [...lines].map((line) => `${line}\n`).join(''), { mode: 0o600, flush: true })
  return lines.size
}

/** Lines of a journal, or of the journal in a backup. */
const linesOf = async (path: string): Promise<string[]> => {
  const { size } = await stat(path).catch((error: Error) => Promise.reject(new Refused(`The erasures cannot be read: ${error.message}`)))
  const content = (await isBackup(path)) ? await fromBackup(path, size) : await journalText(path, size)
  return content.split('\n').filter((line) => line !== '')
}

const isBackup = async (path: string): Promise<boolean> => {
  const file = await open(path)
  try {
    const { buffer } = await file.read(Buffer.alloc(manifestName.length), 0, manifestName.length, 0)
    return buffer.toString('latin1') === manifestName
  } finally {
    await file.close()
  }
}

const fromBackup = async (path: string, size: number): Promise<string> => {
  for await (const { name, bytes, content } of tarEntries(createReadStream(path) as AsyncIterable<Uint8Array>, size))
    if (name === erasuresName && bytes <= maxBytes) return text(content)
  return ''
}

const journalText = async (path: string, size: number): Promise<string> => {
  const content = size > maxBytes ? '' : await readFile(path, 'utf8')
  if (!/^(?:[\w-]{1,64} \d+ v\d+:\S+\n)*$/.test(content) || size > maxBytes)
    throw new Refused(`${path} is neither a backup nor a journal of erasures (${erasuresName}).`)
  return content
}

interface TakeOptions {
  rehearsal: boolean
  signal: AbortSignal
}

/** The empty target database of a restore. Until it is closed no service can start on it. */
export interface Target {
  engine: Engine
  /** `file`: the copy from the archive. */
  take(file: string, manifest: Manifest, options: TakeOptions): Promise<void>
  close(): Promise<void>
}

export const openTarget = (settings: Settings): Promise<Target> =>
  settings.DATABASE_URL === undefined ? openSqlite(settings.OFFHOOK_DATA) : openPostgres(settings.DATABASE_URL)

/** Prepares the copy in place; it is moved with all other files. */
const openSqlite = async (data: string): Promise<Target> => {
  const file = join(data, 'offhook.db')
  const giveUp = claimFile(file)
  return {
    engine: 'sqlite',
    take: (copy, _manifest, { rehearsal }) =>
      withSqlite(copy, { readOnly: false }, async (db, database) => {
        refuseDamaged(database)
        database.exec('begin')
        await silence(db)
        if (rehearsal) await rehearse(db)
        database.exec('commit')
      }),
    async close() {
      giveUp()
      await rm(`${file}.lock`, { force: true })
    },
  }
}

const openPostgres = async (url: string): Promise<Target> => {
  const { heldEmpty } = await import('#adapters/store/restored.ts')
  const held = await heldEmpty(url)
  if (held.found !== undefined) {
    await held.release()
    throw new Refused(`The database of DATABASE_URL is not empty (it has ${held.found}). Restore into an empty one.`)
  }
  return {
    engine: 'postgres',
    async take(copy, { database }, { rehearsal, signal }) {
      const { restoreDump } = await import('#adapters/store/postgres/postgres-dump.ts')
      const { findProgram } = await import('#adapters/store/postgres/postgres-dump.ts')
      const { withPostgres } = await import('#adapters/store/plain-database.ts')
      const { path: program } = await findProgram('pg_restore', Math.max(held.major, database.serverMajor ?? 0))
      await restoreDump({ program, url, signal }, copy)
      await withPostgres(url, (db) =>
        db.transaction().execute(async (transaction) => {
          await silence(transaction)
          if (rehearsal) await rehearse(transaction)
        }),
      )
      await rm(copy)
    },
    close: () => held.release(),
  }
}

export interface RestoreRequest {
  source: Source
  /** Path of the key, if it is neither in the settings nor in the archive. */
  keyFile: string | undefined
  /** Restores next to the live service: registers with no trunk and sends no pending messages. */
  rehearsal: boolean
  signal: AbortSignal
  /** A newer backup or a journal, whose later erasures are repeated. */
  erasures?: string | undefined
}

export interface Restored extends Unpacked {
  /** Number of persons and accounts that were erased again. */
  erased: number
  /** Whether the shared file store could not be read for erasures. */
  erasuresUnknown: boolean
}

/**
 * Creates an installation from an archive, in an empty data folder and an empty database. Everything is unpacked and checked in a temporary folder and moved
 * at the end; a failure leaves no files behind.
 */
export const restoreBackup = async (settings: Settings, input: RestoreRequest): Promise<Restored> => {
  const { OFFHOOK_DATA: data } = settings
  if (input.rehearsal && settings.OFFHOOK_FILES)
    throw new Refused('A rehearsal must not share its store of files with another installation: set OFFHOOK_FILES=folder.')
  const made = await mkdir(data, { recursive: true, mode: 0o700 })
  try {
    await refuseFilled(data)
    await refuseForeign(data)
    const unpacked = await restoreInto(settings, input)
    return { ...unpacked, ...(await eraseAgain(settings)) }
  } catch (error) {
    if (made !== undefined) await rm(made, { recursive: true, force: true })
    throw error
  }
}

/** The journal is in the data folder, or in the shared file store. */
const eraseAgain = async (settings: Settings): Promise<Pick<Restored, 'erased' | 'erasuresUnknown'>> => {
  const hasJournal = (await readdir(settings.OFFHOOK_DATA)).includes(erasuresName)
  if (!hasJournal && !settings.OFFHOOK_FILES) return { erased: 0, erasuresUnknown: false }
  let erasuresUnknown = false
  const erased = await repeatErasures(settings, (event) => (erasuresUnknown ||= event === 'erasures_unknown')).catch((error: Error) =>
    Promise.reject(new Refused(`Persons who were erased after the backup could not be erased again: ${error.message}`)),
  )
  return { erased, erasuresUnknown }
}

/** Allowed contents of a new folder: the key and the journal of erasures, copied there before; a separate disk has `lost+found`. */
const harmless = new Set([keyName, erasuresName, 'lost+found'])

const refuseFilled = async (data: string): Promise<void> => {
  const [other] = (await readdir(data)).filter((name) => !harmless.has(name))
  if (other !== undefined)
    throw new Refused(`The data folder ${data} is not empty (${other}). Restore into an empty one, or move what is there away.`)
}

/** The service runs as the owner of the folder, and could not read files that root writes. */
const refuseForeign = async (data: string): Promise<void> => {
  const { uid } = await stat(data)
  if (process.getuid?.() === 0 && uid !== 0)
    throw new Refused(
      `The data folder ${data} belongs to user ${uid}, who could not read what root restores: run the command as that user.`,
    )
}

const restoreInto = async (settings: Settings, input: RestoreRequest): Promise<Unpacked> => {
  const { OFFHOOK_DATA: data } = settings
  const target = await openTarget(settings)
  try {
    const folder = await workFolder(join(data, '.restore.'))
    try {
      const files = join(folder.path, 'files')
      await mkdir(files, { mode: 0o700 })
      const unpacked = await unpack(stoppable(input), files, (manifest) => checkManifest(target, manifest))
      const key = await checkKey(settings, input, unpacked, files)
      await gatherErasures(files, data, input.erasures)
      await target.take(join(files, databaseNames[target.engine]), unpacked.manifest, input)
      await moveIn(files, data, settings.OFFHOOK_SECRET_KEY === undefined ? key : undefined)
      return unpacked
    } finally {
      await folder.remove()
    }
  } finally {
    await target.close()
  }
}

const stoppable = ({ source: { content, bytes }, signal }: RestoreRequest): Source => {
  async function* pieces(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const piece of content) {
      signal.throwIfAborted()
      yield piece
    }
  }
  return { content: pieces(), bytes }
}

const engineNames = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

const checkManifest = ({ engine }: Target, { database, version: of }: Manifest): void => {
  if (database.engine !== engine) {
    const advice = engine === 'postgres' ? 'unset DATABASE_URL' : 'set DATABASE_URL to an empty database'
    throw new Refused(`This is a backup of ${engineNames[database.engine]}, and the settings name ${engineNames[engine]}: ${advice}.`)
  }
  if (!canWorkWith(database))
    throw new Refused(
      `This backup is of version ${of}, whose schema has release ${database.release}; this version ${version()} is of release ${schemaRelease}. Restore it with version ${of} or newer.`,
    )
}

/** Checks the key that seals everything in the database. */
const checkKey = async (
  settings: Settings,
  { keyFile }: RestoreRequest,
  { manifest, end, sum }: Unpacked,
  files: string,
): Promise<BackupKey> => {
  const key = await keyFor(settings, keyFile, manifest, files)
  if (!key)
    throw new Refused(
      `This backup does not contain the secret key (fingerprint ${manifest.key.fingerprint}). Say where it is: --key-file, OFFHOOK_SECRET_KEY, or ${keyName} in the data folder.`,
    )
  if (key.fingerprint !== manifest.key.fingerprint)
    throw new Refused(
      `The secret key is another one: its fingerprint is ${key.fingerprint}, and the backup was made with ${manifest.key.fingerprint}. Nothing could be read with it.`,
    )
  if (key.seal(sum) !== end.seal) throw new BadArchive('was changed by somebody who does not have the secret key')
  return key
}

const keyFor = async (
  settings: Settings,
  keyFile: string | undefined,
  { key }: Manifest,
  files: string,
): Promise<BackupKey | undefined> => {
  if (keyFile !== undefined) return backupKey(await readFile(keyFile, 'utf8'), keyFile)
  const given = await keyOf(settings)
  if (given || !key.included) return given
  return backupKey(await readFile(join(files, keyName), 'utf8'), keyName)
}

/** `key`: the key to store there. Moves the database last: without it the folder is not an installation. */
const moveIn = async (from: string, data: string, key: BackupKey | undefined): Promise<void> => {
  await rm(join(from, keyName), { force: true })
  if (key) await writeFile(join(from, keyName), key.text, { mode: 0o600, flush: true })
  const last = databaseNames.sqlite
  const names = (await readdir(from)).toSorted((a, b) => Number(a === last) - Number(b === last))
  for (const name of names) await rename(join(from, name), join(data, name))
  await chmod(data, 0o700).catch(() => {}) // a folder of another owner that we may write into
  await syncFolder(data)
}
