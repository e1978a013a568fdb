import { mkdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const staleMs = 20_000
const pollIntervalMs = 250

/**
 * One process at a time; the others wait. The holder of the lock touches it again and again, so that one that was left behind by a process that
 * died is taken over. It only saves work: what is done under it must be safe even when two do it.
 */
export const withLock = async <T>(file: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
  await mkdir(dirname(file), { recursive: true })
  while (!(await taken(file))) {
    await breakStale(file)
    await pause(pollIntervalMs, undefined, { signal })
  }
  const touching = setInterval(() => void utimes(file, new Date(), new Date()).catch(() => {}), staleMs / 4)
  try {
    return await work()
  } finally {
    clearInterval(touching)
    await rm(file, { force: true })
  }
}

const taken = (file: string): Promise<boolean> =>
  writeFile(file, String(process.pid), { flag: 'wx' }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )

/** Moved away before it is deleted, so that of several that find it stale only one deletes it. */
const breakStale = async (file: string): Promise<void> => {
  const touched = await stat(file).catch(() => undefined)
  if (!touched || Date.now() - touched.mtimeMs < staleMs) return
  const aside = `${file}.${process.pid}`
  await rename(file, aside).catch(() => {})
  await rm(aside, { force: true })
}
