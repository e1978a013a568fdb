import { BadArchive } from '#core/kernel/tar/tar-header.ts'

/** Names in the archive; all other entries have their names in the data folder. */
export const manifestName = 'backup.json'
export const sumsName = 'SHA256SUMS'
export const endName = 'end.json'
export const databaseNames = { sqlite: 'offhook.db', postgres: 'offhook.dump' } as const
export const keyName = 'secret.key'
export const notesName = 'first-run.json'
/** Folders of the data folder that are copied unchanged. */
export const folders = ['recordings', 'faxes', 'mail'] as const
export const journalName = /^waiting-[\w.-]+\.journal$/

export type Engine = keyof typeof databaseNames

/** First file of a backup: its contents and requirements. */
export interface Manifest {
  backup: 'offhook'
  format: 1
  /** Version of the program that made it. */
  version: string
  at: string
  database: { engine: Engine; release: number; oldestReader: number; lastMigration: string; serverMajor?: number }
  key: { fingerprint: string; included: boolean }
  /** `store`: location of further files that are not in the archive. */
  files: { included: 'all' | 'here' | 'none'; store?: string }
}

/** Last file of a backup. */
export interface EndNotes {
  files: number
  bytes: number
  /** Files that were erased during the backup, or have names that a backup cannot carry. */
  missing: string[]
  /** HMAC of the list of checksums with the secret key: without the key no change goes unnoticed. */
  seal: string
}

export const readManifest = (bytes: Buffer): Manifest => {
  const read = parse(bytes, manifestName)
  if (read['backup'] !== 'offhook') throw new BadArchive('is no backup of Offhook')
  if (read['format'] !== 1)
    throw new BadArchive(
      `has format ${String(read['format'])}, which this version does not know: use the version that made it (${String(read['version'])})`,
    )
  const { database, key, files } = read as { database?: Partial<Manifest['database']>; key?: Partial<Manifest['key']>; files?: object }
  const complete =
    typeof read['version'] === 'string' &&
    typeof read['at'] === 'string' &&
    (database?.engine === 'sqlite' || database?.engine === 'postgres') &&
    [database.release, database.oldestReader].every((number) => Number.isSafeInteger(number)) &&
    typeof key?.fingerprint === 'string' &&
    files !== undefined
  if (!complete) throw new BadArchive(`is damaged: ${manifestName} is not complete`)
  return read as unknown as Manifest
}

export const readEnd = (bytes: Buffer): EndNotes => {
  const read = parse(bytes, endName)
  if (!Number.isSafeInteger(read['files']) || typeof read['seal'] !== 'string')
    throw new BadArchive(`is damaged: ${endName} is not complete`)
  return read as unknown as EndNotes
}

const parse = (bytes: Buffer, name: string): Record<string, unknown> => {
  try {
    return Object(JSON.parse(bytes.toString('utf8'))) as Record<string, unknown>
  } catch {
    throw new BadArchive(`is damaged: ${name} cannot be read`)
  }
}
