import { mkdir, stat, statfs } from 'node:fs/promises'
import type { MeasuredRecording, RecordingFiles } from '#core/kernel/ports/files.ts'
import type { RecordingFile } from '#core/kernel/ports/audio.ts'
import { fileNameOf, isSafeName } from '#core/telephone/recordings/recording-links.ts'
import { repairFile } from '#media/recording/disk-file.ts'
import { repairWav } from '#media/recording/recorder.ts'
import { wavHeaderBytes } from '#media/sound/wav.ts'
import { ifThere, type OpenFile } from './folder-blobs.ts'
import type { FileStore } from './file-store.ts'
import { joinRecordings } from './join-recordings.ts'
import { recordingsPrefix, type PeerFiles } from './peer-files.ts'

interface RecordingFilesDeps {
  fileStore: FileStore
  /** Local folder in which they grow. */
  folder: string
  /** See `RecordingFiles`. */
  place?: string | undefined
  /** Files in the data folders of other nodes; undefined with a shared store, or without other nodes. */
  peerFiles?: Pick<PeerFiles, 'open' | 'remove'> | undefined
}

export const recordingFiles = ({ fileStore, folder, place, peerFiles }: RecordingFilesDeps): RecordingFiles => {
  const keyOf = (file: RecordingFile): string => recordingsPrefix + fileNameOf(file)
  const isElsewhere = (file: RecordingFile): boolean => file.place !== undefined && file.place !== place
  const open = async (file: RecordingFile): Promise<OpenFile | undefined> => {
    const found = await fileStore.open(keyOf(file))
    return found || file.place === undefined || !isElsewhere(file) ? found : peerFiles?.open(file.place, keyOf(file))
  }
  return {
    place,

    pathOf: (file) => fileStore.pathOf(keyOf(file)),

    begun: (file) => fileStore.begun(keyOf(file)),

    written: (file) => fileStore.written(keyOf(file)),

    open,

    join: (parts) => joinRecordings(parts, open),

    async measure(file) {
      return (await measureHere(fileStore.pathOf(keyOf(file)))) ?? measureOpened(await open(file))
    },

    async leftBy(file) {
      const here = await measureHere(fileStore.pathOf(keyOf(file)))
      if (here) return { ...here, awaited: isElsewhere(file) }
      return fileStore.ofManyMachines || isElsewhere(file) ? { durationMs: 0, bytes: 0, awaited: true } : undefined
    },

    async settle(file) {
      const found = await open(file)
      if (found) await fileStore.write(keyOf(file), contentOf(found))
    },

    async erase(file) {
      await fileStore.remove(keyOf(file))
      if (file.place !== undefined && isElsewhere(file)) await peerFiles?.remove(file.place, keyOf(file))
    },

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

/** It was repaired before its upload, or its length follows from its size. */
const measureOpened = async (file: OpenFile | undefined): Promise<MeasuredRecording | undefined> => {
  if (!file) return undefined
  try {
    const header = await file.read(0, wavHeaderBytes)
    const read = (into: Uint8Array): number => (into.set(header), header.length)
    const { durationMs } = repairWav({ size: () => file.bytes, read, write: () => 0 })
    return durationMs > 0 ? { durationMs, bytes: file.bytes, ...(file.partial && { partial: true }) } : undefined
  } finally {
    await file.close()
  }
}

const copyBytes = 1024 * 1024

async function* contentOf(file: OpenFile): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for (let at = 0; at < file.bytes;) {
      const piece = await file.read(at, copyBytes)
      if (piece.length === 0) return
      yield piece
      at += piece.length
    }
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
