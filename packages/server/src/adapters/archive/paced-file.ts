import { open } from 'node:fs/promises'
import type { Sink } from './tar-writer.ts'

/** So much is brought to the disk at once: who waits for the same disk meanwhile, as a database does with every commit, waits shortly. */
export const pacedBytes = 512 * 1024

export interface PacedFile {
  write: Sink
  /** All of it is on the disk. */
  close(): Promise<void>
  /** Nothing more is written; what is there stays for its owner to remove. */
  abandon(): Promise<void>
}

/** A new file that only its owner can read, written at the disk's speed and not faster. */
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

/** A file's name survives a power cut only when its folder has been written as well. */
export const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
