import { createReadStream } from 'node:fs'
import { readdir, readFile, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pacedFile, syncFolder } from '#adapters/archive/paced-file.ts'
import { SummedArchive } from '#adapters/archive/summed-archive.ts'
import type { Sink } from '#adapters/archive/tar-writer.ts'
import { eraseGently, workFolder } from '#adapters/archive/work-folder.ts'
import type { Settings } from '#settings/config.ts'
import { version } from '#settings/version.ts'
import { keyOf, type BackupKey } from './backup-key.ts'
import { copyDatabase, type DatabaseCopy } from './copy-database.ts'
import { copyFiles } from './copy-files.ts'
import { databaseNames, endName, keyName, manifestName, notesName, sumsName, type EndNotes, type Manifest } from './manifest.ts'
import { Refused } from './refused.ts'

export interface BackupRequest {
  /** A file, or where the archive goes as it is made. */
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
 * Writes everything that an installation needs into one archive, while it goes on working: the database first, as it is at one moment, then the files,
 * which are only ever added, or erased for good. Under its name the archive is never seen half-written.
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

const write = async (settings: Settings, input: BackupRequest, { key, database, listPath }: Collected, sink: Sink): Promise<BackupReport> => {
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
    await archive.abandon().catch(() => {}) // closed already, when its list was added
    throw error
  }
}

const manifestOf = (settings: Settings, { withKey, files }: BackupRequest, key: BackupKey, { about }: DatabaseCopy, at: number): Manifest => {
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

/** What opens everything: the key, and the logins of the first start, which stand there for people to read. */
const addSecrets = async ({ OFFHOOK_DATA: data }: Settings, archive: SummedArchive, key: BackupKey, at: number): Promise<void> => {
  await archive.addBytes(keyName, Buffer.from(key.text), at)
  if ((await readdir(data)).includes(notesName)) await archive.addBytes(notesName, await readFile(join(data, notesName)), at)
}

const jsonOf = (value: object): Buffer => Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
