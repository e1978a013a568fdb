import { mkdir, open, opendir } from 'node:fs/promises'
import { dirname } from 'node:path'

/** A file that is read piece by piece. */
export interface OpenFile {
  readonly bytes: number
  readonly changedAt: number
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

export const namesIn = async (folder: string): Promise<string[]> => {
  const names: string[] = []
  for await (const { name } of (await ifThere(() => opendir(folder))) ?? []) names.push(name)
  return names
}

/** Undefined when what it is about does not exist. */
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
