import { mkdir, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { RecordingFiles } from '#core/kernel/ports/recording-files.ts'
import type { RecordingFile } from '#core/kernel/ports/telephony.ts'
import { fileNameOf, isSafeName } from '#core/telephone/recordings/file-name.ts'
import { repairFile } from '#media/recording/disk-file.ts'
import { ifThere, namesIn, openFile } from './files-on-disk.ts'

/** Recordings in a folder of this machine, or in one that all machines of an installation share. */
export const diskRecordings = (folder: string): RecordingFiles => {
  const pathOf = (file: RecordingFile): string => join(folder, fileNameOf(file))
  return {
    open: (file) => ifThere(() => openFile(pathOf(file))),

    measure: (file) =>
      ifThere(async () => {
        const path = pathOf(file)
        const { size: bytes } = await stat(path)
        const durationMs = repairFile(path)
        return durationMs > 0 ? { durationMs, bytes } : undefined
      }),

    erase: (file) => rm(pathOf(file), { force: true }),

    list: () => filesIn(folder),

    async room() {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const { bsize, blocks, bavail } = await statfs(folder)
      return { bytes: bsize * blocks, free: bsize * bavail }
    },
  }
}

async function* filesIn(folder: string): ReturnType<RecordingFiles['list']> {
  for (const accountId of await namesIn(folder)) {
    if (!isSafeName(accountId)) continue
    for (const name of await namesIn(join(folder, accountId))) {
      const id = name.replace(/\.wav$/, '')
      if (id === name || !isSafeName(id)) continue
      const found = await ifThere(() => stat(join(folder, accountId, name)))
      if (found?.isFile()) yield { accountId, id, changedAt: Math.floor(found.mtimeMs) }
    }
  }
}
