import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BadArchive } from '#adapters/archive/bad-archive.ts'
import { syncFolder } from '#adapters/archive/paced-file.ts'
import { workFolder } from '#adapters/archive/work-folder.ts'
import { schemaRelease } from '#adapters/store/migrate.ts'
import { canWorkWith } from '#adapters/store/schema-state.ts'
import type { Settings } from '#settings/config.ts'
import { version } from '#settings/version.ts'
import { backupKey, keyOf, type BackupKey } from './backup-key.ts'
import { databaseNames, keyName, type Manifest } from './manifest.ts'
import { openTarget, type Target } from './restore-target.ts'
import { Refused } from './refused.ts'
import { unpack, type Source, type Unpacked } from './unpack.ts'

export interface RestoreRequest {
  source: Source
  /** Where the key is, when it is neither in the settings nor in the archive. */
  keyFile: string | undefined
  /** Beside the service that it is of: it registers nowhere and sends nothing that waited. */
  rehearsal: boolean
  signal: AbortSignal
}

/**
 * Makes an installation of an archive, in an empty data folder and an empty database. Everything is unpacked and checked beside, and takes its place
 * at the end; what does not get that far leaves nothing behind.
 */
export const restoreBackup = async (settings: Settings, input: RestoreRequest): Promise<Unpacked> => {
  const { OFFHOOK_DATA: data } = settings
  if (input.rehearsal && settings.OFFHOOK_FILES)
    throw new Refused('A rehearsal must not share its store of files with another installation: set OFFHOOK_FILES=folder.')
  const made = await mkdir(data, { recursive: true, mode: 0o700 })
  try {
    await refuseFilled(data)
    await refuseForeign(data)
    return await restoreInto(settings, input)
  } catch (error) {
    if (made !== undefined) await rm(made, { recursive: true, force: true })
    throw error
  }
}

/** What a new folder may have in it: the key was brought there first; a disk of its own has this folder of the system's. */
const harmless = new Set([keyName, 'lost+found'])

const refuseFilled = async (data: string): Promise<void> => {
  const [other] = (await readdir(data)).filter((name) => !harmless.has(name))
  if (other !== undefined)
    throw new Refused(`The data folder ${data} is not empty (${other}). Restore into an empty one, or move what is there away.`)
}

/** The service runs as the owner of the folder, and could not read what root writes. */
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

/** The key that everything in the database is sealed with. */
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

/** `key`: when it is to lie there. The database comes last: without it nothing else is an installation. */
const moveIn = async (from: string, data: string, key: BackupKey | undefined): Promise<void> => {
  await rm(join(from, keyName), { force: true })
  if (key) await writeFile(join(from, keyName), key.text, { mode: 0o600, flush: true })
  const last = databaseNames.sqlite
  const names = (await readdir(from)).toSorted((a, b) => Number(a === last) - Number(b === last))
  for (const name of names) await rename(join(from, name), join(data, name))
  await chmod(data, 0o700).catch(() => {}) // a folder of another owner that we may write into
  await syncFolder(data)
}
