import { mkdir, stat, statfs } from 'node:fs/promises'
import type { RecordingFiles } from '#core/kernel/ports/files.ts'
import type { RecordingFile } from '#core/kernel/ports/audio.ts'
import { fileNameOf, isSafeName } from '#core/telephone/recordings/recording-links.ts'
import { repairFile } from '#media/recording/disk-file.ts'
import { repairWav } from '#media/recording/recorder.ts'
import { wavHeaderBytes } from '#media/sound/wav.ts'
import { ifThere } from './folder-blobs.ts'
import type { FileStore } from './file-store.ts'

export const recordingsPrefix = 'recordings/'

/** `folder`: local folder in which they grow. */
export const recordingFiles = (fileStore: FileStore, folder: string): RecordingFiles => {
  const keyOf = (file: RecordingFile): string => recordingsPrefix + fileNameOf(file)
  return {
    pathOf: (file) => fileStore.pathOf(keyOf(file)),

    written: (file) => fileStore.written(keyOf(file)),

    open: async (file) => fileStore.open(keyOf(file)),

    async measure(file) {
      const key = keyOf(file)
      return (await measureHere(fileStore.pathOf(key))) ?? measureElsewhere(fileStore, key)
    },

    async leftBy(file) {
      const here = await measureHere(fileStore.pathOf(keyOf(file)))
      return here ?? (fileStore.ofManyMachines ? { durationMs: 0, bytes: 0 } : undefined)
    },

    erase: async (file) => fileStore.remove(keyOf(file)),

    list: () => filesOn(fileStore),

    async room() {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const { bsize, blocks, bavail } = await statfs(folder)
      return { bytes: bsize * blocks, free: bsize * bavail }
    },
  }
}

const measureHere = (path: string): Promise<{ durationMs: number; bytes: number } | undefined> =>
  ifThere(async () => {
    const { size: bytes } = await stat(path)
    const durationMs = repairFile(path)
    return durationMs > 0 ? { durationMs, bytes } : undefined
  })

/** It was repaired before its upload. */
const measureElsewhere = async (fileStore: FileStore, key: string): Promise<{ durationMs: number; bytes: number } | undefined> => {
  const file = await fileStore.open(key)
  if (!file) return undefined
  try {
    const header = await file.read(0, wavHeaderBytes)
    const read = (into: Uint8Array): number => (into.set(header), header.length)
    const { durationMs } = repairWav({ size: () => file.bytes, read, write: () => 0 })
    return durationMs > 0 ? { durationMs, bytes: file.bytes } : undefined
  } finally {
    await file.close()
  }
}

async function* filesOn(fileStore: FileStore): ReturnType<RecordingFiles['list']> {
  for await (const { key, changedAt } of fileStore.list(recordingsPrefix)) {
    const [accountId = '', name = '', deeper] = key.slice(recordingsPrefix.length).split('/')
    const id = name.replace(/\.wav$/, '')
    if (deeper === undefined && id !== name && isSafeName(id)) yield { accountId, id, changedAt }
  }
}
