import { open } from 'node:fs/promises'
import type { Sink } from '#core/kernel/tar/tar-writer.ts'

/** Bytes flushed to disk together: keeps the wait short for others on the same disk, such as a database at every commit. */
export const pacedBytes = 512 * 1024

export interface PacedFile {
  write: Sink
  /** Resolves when all of it is on disk. */
  close(): Promise<void>
  /** Stops writing; its owner removes the partial file. */
  abandon(): Promise<void>
}

/** A new file that only its owner can read, written no faster than the disk. */
export const pacedFile = async (path: string): Promise<PacedFile> => {
  const file = await open(path, 'wx', 0o600)
  let unsynced = 0
  return {
    async write(piece) {
      await file.writeFile(piece)
      unsynced += piece.length
      if (unsynced < pacedBytes) return
      unsynced = 0
      await file.datasync()
    },
    async close() {
      await file.sync()
      await file.close()
    },
    abandon: () => file.close(),
  }
}

/** A file's name survives a power cut only if its folder has been flushed as well. */
export const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
