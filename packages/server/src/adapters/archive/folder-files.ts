import { open, opendir } from 'node:fs/promises'
import { join } from 'node:path'

const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Names of all files under `name` in a folder, at any depth. Skips files that are being written under a temporary name. */
export async function* filesUnder(root: string, name: string): AsyncGenerator<string, void, undefined> {
  const folder = await opendir(join(root, name)).catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })
  if (!folder) return
  for await (const entry of folder) {
    const below = `${name}/${entry.name}`
    if (entry.isDirectory()) yield* filesUnder(root, below)
    else if (entry.isFile() && !entry.name.endsWith('.part')) yield below
  }
}

interface ReadFile {
  bytes: number
  changedAt: number
  content: AsyncIterable<Uint8Array>
  close(): Promise<void>
}

const chunkBytes = 256 * 1024

/**
 * Reads the current length: a growing file is read up to here, one that is erased in the meantime can still be read. Undefined if it does
 * not exist.
 */
export const readFileNow = async (path: string): Promise<ReadFile | undefined> => {
  const handle = await open(path, 'r').catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })
  if (!handle) return undefined
  const { size: bytes, mtimeMs } = await handle.stat()
  async function* content(): AsyncGenerator<Uint8Array, void, undefined> {
    const buffer = Buffer.alloc(Math.min(chunkBytes, Math.max(bytes, 1)))
    for (let at = 0; at < bytes;) {
      const { bytesRead } = await (handle as NonNullable<typeof handle>).read(buffer, 0, Math.min(buffer.length, bytes - at), at)
      if (bytesRead === 0) return
      at += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  }
  return { bytes, changedAt: mtimeMs, content: content(), close: () => handle.close() }
}
