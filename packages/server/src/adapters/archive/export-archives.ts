import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createReadStream } from 'node:fs'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { ArchiveContent, ArchiveName, ExportArchives, PersonalRows } from '#core/kernel/ports/account.ts'
import type { OpenRecording } from '#core/kernel/ports/files.ts'
import { pacedFile, syncFolder, type PacedFile } from './paced-file.ts'
import { SummedArchive } from './summed-archive.ts'
import { workFolder } from './work-folder.ts'

/** Storage of files. */
interface ArchiveShelf {
  pathOf(key: string): string
  written(key: string): Promise<void>
  open(key: string): Promise<OpenRecording | undefined>
  remove(key: string): Promise<void>
  list(prefix: string): AsyncIterable<{ key: string }>
}

interface ExportArchivesDeps {
  files: ArchiveShelf
  /** Data folder of this machine. */
  dataFolder: string
  wallClock: Clock
}

const prefix = 'exports/'
const workPrefix = '.work-'
const chunkBytes = 256 * 1024
const maxMissingNames = 1_000
const dayMs = 24 * 3_600_000

export const exportArchives = ({ files: fileStore, dataFolder, wallClock }: ExportArchivesDeps): ExportArchives => {
  const folder = join(dataFolder, prefix)
  return {
    async write(name, content) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const work = await workFolder(join(folder, workPrefix))
      try {
        const draft = join(work.path, 'archive.tar')
        const counted = await writeDraft(fileStore, content, work.path, draft)
        const { size: bytes } = await stat(draft)
        const path = fileStore.pathOf(keyOf(name))
        await mkdir(dirname(path), { recursive: true, mode: 0o700 })
        await rename(draft, path)
        await syncFolder(dirname(path))
        await fileStore.written(keyOf(name))
        return { ...counted, bytes }
      } finally {
        await work.remove()
      }
    },

    open: (name) => fileStore.open(keyOf(name)),

    remove: (name) => fileStore.remove(keyOf(name)),

    async *list() {
      for await (const { key } of fileStore.list(prefix)) {
        const [, accountId, exportId] = /^exports\/([\w-]+)\/([\w-]+)\.tar$/.exec(key) ?? []
        if (accountId !== undefined && exportId !== undefined) yield { accountId, exportId }
      }
    },

    async removeLeftovers() {
      for (const name of await readdir(folder).catch(() => [])) {
        const path = join(folder, name)
        if (!name.startsWith(workPrefix) || (await stat(path)).mtimeMs > wallClock.now() - dayMs) continue
        await rm(path, { recursive: true, force: true })
      }
    },
  }
}

const keyOf = ({ accountId, exportId }: ArchiveName): string => `${prefix}${accountId}/${exportId}.tar`

const writeDraft = async (
  fileStore: ArchiveShelf,
  { rows, files, readme, about, at, signal }: ArchiveContent,
  folder: string,
  draft: string,
): Promise<{ rows: number; files: number }> => {
  const output = await pacedFile(draft)
  try {
    const archive = await SummedArchive.to(output.write, join(folder, 'sums'))
    try {
      await archive.addBytes('README.txt', Buffer.from(readme), at)
      const tables = await addTables(archive, rows, { folder, at, signal })
      const kept = await addFiles(archive, fileStore, files, signal)
      await archive.addList('SHA256SUMS', at)
      const manifest = { export: 'offhook', format: 1, createdAt: new Date(at).toISOString(), ...about, tables, ...kept }
      await archive.end('export.json', Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`), at)
      await output.close()
      return { rows: Object.values(tables).reduce((sum, count) => sum + count, 0), files: kept.files }
    } catch (error) {
      await archive.abandon().catch(() => {})
      throw error
    }
  } catch (error) {
    await output.abandon().catch(() => {})
    throw error
  }
}

/** An archive contains the length of a file before its content, so tables are first collected in separate files. */
const addTables = async (
  archive: SummedArchive,
  rows: ArchiveContent['rows'],
  { folder, at, signal }: { folder: string; at: number; signal: AbortSignal },
): Promise<Record<string, number>> => {
  const tables = new TableFiles(folder)
  try {
    for await (const batch of rows) {
      signal.throwIfAborted()
      await tables.add(batch)
    }
    const counts: Record<string, number> = {}
    for await (const { table, count, bytes, content } of tables.finished()) {
      signal.throwIfAborted()
      await archive.add({ name: `data/${table}.json`, bytes, changedAt: at }, content)
      counts[table] = count
    }
    return counts
  } finally {
    await tables.close()
  }
}

const addFiles = async (
  archive: SummedArchive,
  fileStore: ArchiveShelf,
  keys: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<{ files: number; missing: string[] }> => {
  let files = 0
  const missing: string[] = []
  for await (const key of keys) {
    const file = await fileStore.open(key)
    if (!file) {
      if (missing.length < maxMissingNames) missing.push(key)
      continue
    }
    try {
      await archive.add({ name: `files/${key}`, bytes: file.bytes, changedAt: file.changedAt }, piecesOf(file, signal))
    } finally {
      await file.close()
    }
    files++
  }
  return { files, missing }
}

async function* piecesOf(file: OpenRecording, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < file.bytes;) {
    signal.throwIfAborted()
    const piece = await file.read(at, Math.min(chunkBytes, file.bytes - at))
    if (piece.length === 0) return
    at += piece.length
    yield piece
  }
}

interface OpenTable {
  file: PacedFile
  path: string
  count: number
}

interface TableFile {
  table: string
  /** Number of rows. */
  count: number
  bytes: number
  content: AsyncIterable<Uint8Array>
}

/** Characters of JSON collected for one write. */
const pieceChars = 64 * 1024

/** Collects rows of several tables, in any order, each as a file with a JSON array. Keeps little in memory. */
class TableFiles {
  readonly #folder: string
  readonly #tables = new Map<string, OpenTable>()

  constructor(folder: string) {
    this.#folder = folder
  }

  async add({ table, rows }: PersonalRows): Promise<void> {
    const open = this.#tables.get(table) ?? (await this.#open(table))
    let text = ''
    for (const row of rows) {
      text += `${open.count++ === 0 ? '[\n' : ',\n'}${JSON.stringify(row)}`
      if (text.length < pieceChars) continue
      await open.file.write(Buffer.from(text))
      text = ''
    }
    if (text !== '') await open.file.write(Buffer.from(text))
  }

  /** Each file is removed when the next is requested. Afterwards no rows can be added. */
  async *finished(): AsyncGenerator<TableFile, void, undefined> {
    for (const [table, { file, path, count }] of this.#tables) {
      await file.write(Buffer.from(count === 0 ? '[]\n' : '\n]\n'))
      await file.close()
      this.#tables.delete(table)
      yield { table, count, bytes: (await stat(path)).size, content: createReadStream(path) as AsyncIterable<Uint8Array> }
      await rm(path)
    }
  }

  async close(): Promise<void> {
    for (const { file } of this.#tables.values()) await file.abandon()
    this.#tables.clear()
  }

  async #open(table: string): Promise<OpenTable> {
    const path = join(this.#folder, `table-${this.#tables.size}`)
    const open = { file: await pacedFile(path), path, count: 0 }
    this.#tables.set(table, open)
    return open
  }
}
