import { createReadStream } from 'node:fs'
import { readdir, readFile, rename, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pacedFile, syncFolder, pacedBytes } from '#adapters/archive/paced-file.ts'
import { SummedArchive } from '#adapters/archive/summed-archive.ts'
import type { Sink } from '#core/kernel/tar/tar-writer.ts'
import { eraseGently, workFolder } from '#adapters/archive/work-folder.ts'
import type { Settings } from '#settings/config.ts'
import { version } from '#settings/version.ts'
import {
  databaseNames,
  endName,
  keyName,
  manifestName,
  notesName,
  sumsName,
  type EndNotes,
  type Manifest,
  folders,
  journalName,
} from './manifest.ts'
import { filesUnder, readFileNow } from '#adapters/archive/folder-files.ts'
import { isPlainPath } from '#core/kernel/tar/tar-reader.ts'
import { erasuresName } from '../privacy/erasures-name.ts'
import { s3Options } from '../files/open-files.ts'
import { withPostgres, withSqlite } from '#adapters/store/plain-database.ts'
import { readSchemaState, type SchemaState } from '#adapters/store/migrate.ts'
import { copyOnline } from '#adapters/store/sqlite/online-copy.ts'
import { BadArchive } from '#core/kernel/tar/tar-header.ts'
import { createHmac } from 'node:crypto'
import { readKeyFile, vaultOf } from '#adapters/vault/file-vault.ts'

export interface BackupRequest {
  /** A file, or a sink that receives the archive while it is made. */
  to: string | Sink
  withKey: boolean
  files: Manifest['files']['included']
  signal: AbortSignal
  now: () => number
}

export interface BackupReport {
  manifest: Manifest
  end: EndNotes
}

/**
 * Writes everything that an installation needs into one archive while it continues to run: first a consistent snapshot of the database, then the files,
 * which are only ever added or erased for good. The archive gets its name only when it is complete.
 */
export const makeBackup = async (settings: Settings, input: BackupRequest): Promise<BackupReport> => {
  const { OFFHOOK_DATA: data } = settings
  const { to, signal } = input
  const key = await keyOf(settings)
  if (!key) throw new Refused(`There is no secret key in ${data}: is OFFHOOK_DATA right, or OFFHOOK_SECRET_KEY not set?`)
  const prefix = typeof to === 'string' ? join(dirname(to), `.${basename(to)}.`) : join(data, '.backup.')
  const folder = await workFolder(prefix).catch((error: Error) =>
    Promise.reject(new Refused(`Nothing can be written there: ${error.message}`)),
  )
  try {
    const database = await copyDatabase(settings, folder.path, signal)
    const collected = { key, database, listPath: join(folder.path, 'sums') }
    if (typeof to !== 'string') return await write(settings, input, collected, to)
    const draft = join(folder.path, 'archive')
    const report = await writeFile(draft, (sink) => write(settings, input, collected, sink))
    await rename(draft, to)
    await syncFolder(dirname(to))
    return report
  } finally {
    await folder.remove()
  }
}

const writeFile = async <T>(path: string, work: (sink: Sink) => Promise<T>): Promise<T> => {
  const file = await pacedFile(path)
  try {
    return await work((piece) => file.write(piece))
  } finally {
    await file.close()
  }
}

interface Collected {
  key: BackupKey
  database: DatabaseCopy
  listPath: string
}

const write = async (
  settings: Settings,
  input: BackupRequest,
  { key, database, listPath }: Collected,
  sink: Sink,
): Promise<BackupReport> => {
  const { signal, withKey, now } = input
  const at = now()
  const archive = await SummedArchive.to(async (piece) => {
    signal.throwIfAborted()
    await sink(piece)
  }, listPath)
  try {
    const manifest = manifestOf(settings, input, key, database, at)
    await archive.addBytes(manifestName, jsonOf(manifest), at)
    const { bytes, path, about } = database
    await archive.add({ name: databaseNames[about.engine], bytes, changedAt: at }, createReadStream(path) as AsyncIterable<Uint8Array>)
    await eraseGently(path)
    if (withKey) await addSecrets(settings, archive, key, at)
    const missing = await copyFiles(settings, input.files, archive)
    const sum = await archive.addList(sumsName, at)
    const end: EndNotes = { files: archive.files, bytes: archive.bytes, missing, seal: key.seal(sum) }
    await archive.end(endName, jsonOf(end), at)
    return { manifest, end }
  } catch (error) {
    await archive.abandon().catch(() => {}) // already closed when its list was added
    throw error
  }
}

const manifestOf = (
  settings: Settings,
  { withKey, files }: BackupRequest,
  key: BackupKey,
  { about }: DatabaseCopy,
  at: number,
): Manifest => {
  const { OFFHOOK_FILES: place, OFFHOOK_S3_URL: url } = settings
  const store = place && `s3://${place.bucket}/${place.prefix}${url === undefined ? '' : ` at ${url}`}`
  return {
    backup: 'offhook',
    format: 1,
    version: version(),
    at: new Date(at).toISOString(),
    database: about,
    key: { fingerprint: key.fingerprint, included: withKey },
    files: { included: files, ...(store !== undefined && files !== 'all' && { store }) },
  }
}

/** Full-access secrets: the key, and the logins of the first start, which are there for people to read. */
const addSecrets = async ({ OFFHOOK_DATA: data }: Settings, archive: SummedArchive, key: BackupKey, at: number): Promise<void> => {
  await archive.addBytes(keyName, Buffer.from(key.text), at)
  if ((await readdir(data)).includes(notesName)) await archive.addBytes(notesName, await readFile(join(data, notesName)), at)
}

const jsonOf = (value: object): Buffer => Buffer.from(`${JSON.stringify(value, null, 2)}\n`)

/** Copies recordings, faxes, mails, the journal of erasures, and journals of pending writes. Returns the files that are not in the archive because they were erased during the backup. */
export const copyFiles = async (settings: Settings, which: Manifest['files']['included'], archive: SummedArchive): Promise<string[]> => {
  const { OFFHOOK_DATA: data } = settings
  const missing: string[] = []
  for (const name of (await readdir(data)).filter((one) => journalName.test(one) || one === erasuresName))
    await copyOne(data, name, archive, missing)
  if (which === 'none') return missing
  const toBeUploaded = settings.OFFHOOK_FILES ? new Set<string>() : undefined
  for (const folder of folders)
    for await (const name of filesUnder(data, folder)) {
      toBeUploaded?.add(name)
      await copyOne(data, name, archive, missing)
    }
  if (which === 'all' && toBeUploaded) await copyStored(settings, toBeUploaded, archive, missing)
  return missing
}

const copyOne = async (data: string, name: string, archive: SummedArchive, missing: string[]): Promise<void> => {
  const file = isPlainPath(name) ? await readFileNow(join(data, name)) : undefined
  if (!file) return void missing.push(name)
  try {
    if (!(await archive.add({ name, ...file }, file.content))) missing.push(name)
  } finally {
    await file.close()
  }
}

/** From the shared file store, except files that were also in the data folder. */
const copyStored = async (settings: Settings, already: ReadonlySet<string>, archive: SummedArchive, missing: string[]): Promise<void> => {
  const options = s3Options(settings)
  if (!options) return
  const { s3Blobs } = await import('#adapters/blobs/s3-blobs.ts')
  const store = s3Blobs(options)
  try {
    for (const folder of ['recordings', 'faxes'])
      for await (const { key } of store.list(`${folder}/`)) {
        if (already.has(key)) continue
        const found = await store.open(key)
        if (!found || !(await archive.add({ name: key, ...found }, found.content))) missing.push(key)
      }
  } finally {
    await store.close()
  }
}

/** Consistent snapshot of the database as a file. */
export interface DatabaseCopy {
  path: string
  bytes: number
  about: Manifest['database']
}

export const copyDatabase = async (settings: Settings, folder: string, signal: AbortSignal): Promise<DatabaseCopy> => {
  const path = join(folder, 'database')
  const { DATABASE_URL: url, OFFHOOK_DATA: data } = settings
  const about = url === undefined ? await copySqlite(join(data, 'offhook.db'), path, signal) : await copyPostgres(url, path, signal)
  return { path, about, bytes: (await stat(path)).size }
}

const aboutSchema = ({ release, oldestReader, made }: SchemaState) => {
  const lastMigration = made.at(-1)
  if (lastMigration === undefined) throw new Refused('The database is empty: there is nothing to back up.')
  return { release, oldestReader, lastMigration }
}

const copySqlite = async (file: string, to: string, signal: AbortSignal): Promise<Manifest['database']> => {
  await stat(file).catch(() => Promise.reject(new Refused(`There is no database ${file}: is OFFHOOK_DATA right?`)))
  await copyOnline(file, to, { signal, pacedBytes })
  const state = await withSqlite(to, { readOnly: true }, (db) => readSchemaState(db, 'sqlite'))
  return { engine: 'sqlite', ...aboutSchema(state) }
}

const copyPostgres = async (url: string, to: string, signal: AbortSignal): Promise<Manifest['database']> => {
  const { dumped } = await import('#adapters/store/postgres/postgres-dump.ts')
  const { findProgram } = await import('#adapters/store/postgres/postgres-dump.ts')
  const { serverMajor } = await import('#adapters/store/postgres/postgres-dump.ts')
  const look = () => withPostgres(url, async (db) => ({ major: await serverMajor(db), state: await readSchemaState(db, 'postgres') }))
  const { major, state } = await look()
  const { path: program } = await findProgram('pg_dump', major)
  const file = await pacedFile(to)
  try {
    for await (const piece of dumped({ program, url, signal })) await file.write(piece)
  } finally {
    await file.close()
  }
  const later = (await look()).state
  if (later.made.length !== state.made.length)
    throw new Refused('The database was brought to a new schema meanwhile. Make the backup once more.')
  return { engine: 'postgres', ...aboutSchema(state), serverMajor: major }
}

/** Reason for rejecting a backup or a restore, worded for the operator. */
export class Refused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'Refused'
  }
}

/** Undefined if the error is another one. `file`: name of the archive. */
export const refusalOf = (error: unknown, file: string): string | undefined => {
  if (error instanceof BadArchive) return `${file} ${error.message}`
  return error instanceof Refused ? error.message : undefined
}

/** The secret key in its role for backups. */
export interface BackupKey {
  /** Text as in its file. */
  text: string
  /** Distinguishes keys without revealing them. */
  fingerprint: string
  /** Seals a list of checksums, given the checksum of the list. */
  seal(sum: string): string
}

export const backupKey = (text: string, file?: string): BackupKey => {
  const vault = vaultOf(text, file)
  const sealing = vault.derive('backup seal')
  return {
    text: `${text.trim()}\n`,
    fingerprint: Buffer.from(vault.derive('backup fingerprint')).toString('hex', 0, 8),
    seal: (sum) => createHmac('sha256', sealing).update(sum).digest('hex'),
  }
}

/** Key of this installation; undefined when there is none yet. Reading never creates one. */
export const keyOf = async ({ OFFHOOK_SECRET_KEY: key, OFFHOOK_DATA: data }: Settings): Promise<BackupKey | undefined> => {
  if (key !== undefined) return backupKey(key)
  const file = join(data, keyName)
  const text = await readKeyFile(file)
  return text === undefined ? undefined : backupKey(text, file)
}
