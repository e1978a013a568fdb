import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, rename, rm, stat, utimes, writeFile, open, opendir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isSafeKey, type BlobFacts, type Blobs } from '#core/kernel/ports/files.ts'

export interface FolderBlobs extends Blobs {
  readonly root: string
  /** For engines that read and write files directly. */
  pathOf(key: string): string
}

/** Files in a folder of this machine, or in one shared by all machines of an installation. */
export const folderBlobs = (root: string): FolderBlobs => {
  const pathOf = (key: string): string => {
    if (!isSafeKey(key)) throw new Error('a file has an odd name')
    return join(root, key)
  }
  const size = (key: string): Promise<BlobFacts | undefined> => factsOf(pathOf(key))
  return {
    root,
    pathOf,
    size,

    async put(key, content, { changedAt }) {
      const path = pathOf(key)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await writeWhole(path, content, changedAt)
      return (await size(key)) ?? { bytes: 0, changedAt: 0 }
    },

    async open(key, range) {
      const facts = await size(key)
      if (!facts) return undefined
      const options = range ? { start: range.first, end: range.last } : {}
      return { ...facts, content: createReadStream(pathOf(key), options) as AsyncIterable<Uint8Array> }
    },

    remove: (key) => rm(pathOf(key), { force: true }),

    list: (prefix) => walk(root, prefix, ''),
  }
}

/** Also undefined if it is not a file. */
const factsOf = async (path: string): Promise<BlobFacts | undefined> => {
  const found = await ifThere(() => stat(path))
  return found?.isFile() ? { bytes: found.size, changedAt: Math.floor(found.mtimeMs) } : undefined
}

/** The file is never visible half-written under its name. */
const writeWhole = async (path: string, content: AsyncIterable<Uint8Array>, changedAt: number | undefined): Promise<void> => {
  const draft = `${path}.${randomBytes(4).toString('hex')}.part`
  try {
    await writeFile(draft, content, { mode: 0o600, flush: true })
    if (changedAt !== undefined) await utimes(draft, changedAt / 1000, changedAt / 1000)
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** Lists the draft of a dead process under its final name, so that it is found and erased with it. */
const finalName = (name: string): string => name.replace(/(?:\.[0-9a-f]{8})?\.part$/, '')

async function* walk(root: string, prefix: string, folder: string): AsyncGenerator<BlobFacts & { key: string }, void, undefined> {
  for (const name of await namesIn(join(root, folder))) {
    const key = folder + finalName(name)
    if (!isSafeKey(key)) continue
    if (key.startsWith(prefix)) {
      const facts = await factsOf(join(root, folder, name))
      if (facts) yield { key, ...facts }
    }
    if (!name.includes('.') && (`${key}/`.startsWith(prefix) || prefix.startsWith(`${key}/`))) yield* walk(root, prefix, `${key}/`)
  }
}

/** A file for random access. */
export interface OpenFile {
  readonly bytes: number
  readonly changedAt: number
  /** Made of what was uploaded before its node was lost. */
  readonly partial?: boolean
  /** Less than `length` only at the end. */
  read(position: number, length: number): Promise<Uint8Array>
  close(): Promise<void>
}

export const openFile = async (path: string): Promise<OpenFile> => {
  const handle = await open(path, 'r')
  try {
    const { size: bytes, mtimeMs } = await handle.stat()
    return {
      bytes,
      changedAt: Math.floor(mtimeMs),
      async read(position, length) {
        const buffer = new Uint8Array(length)
        const { bytesRead } = await handle.read(buffer, 0, length, position)
        return buffer.subarray(0, bytesRead)
      },
      close: () => handle.close(),
    }
  } catch (error) {
    await handle.close()
    throw error
  }
}

const namesIn = async (folder: string): Promise<string[]> => {
  const names: string[] = []
  for await (const { name } of (await ifThere(() => opendir(folder))) ?? []) names.push(name)
  return names
}

/** Undefined when the file does not exist. */
export const ifThere = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await work()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}

export const madeFolderOf = async (path: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
}

export async function* piecesOf(content: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield content
}
