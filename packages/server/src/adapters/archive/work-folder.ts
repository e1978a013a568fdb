import { rmSync } from 'node:fs'
import { mkdtemp, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

interface WorkFolder {
  path: string
  remove(): Promise<void>
}

/** A private folder for incomplete files. It is removed even when the process is ended in the middle of its work. */
export const workFolder = async (prefix: string): Promise<WorkFolder> => {
  const path = await mkdtemp(prefix)
  const onExit = (): void => rmSync(path, { recursive: true, force: true })
  process.once('exit', onExit)
  return {
    path,
    async remove() {
      for (const entry of await readdir(path, { withFileTypes: true })) if (entry.isFile()) await eraseGently(join(path, entry.name))
      await rm(path, { recursive: true, force: true })
      process.off('exit', onExit)
    },
  }
}

const erasedPerBatch = 4 * 1024 * 1024

/** In steps: freeing hundreds of megabytes in one step would block all other writers on the disk. */
export const eraseGently = async (path: string): Promise<void> => {
  const file = await open(path, 'r+')
  try {
    for (let { size } = await file.stat(); size > erasedPerBatch;) {
      size -= erasedPerBatch
      await file.truncate(size)
      await file.datasync()
    }
  } finally {
    await file.close()
  }
  await rm(path)
}
