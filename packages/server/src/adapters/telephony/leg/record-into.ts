import { mkdirSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { RecordingFiles } from '#core/kernel/ports/recording-files.ts'
import type { Recorded, Recording, RecordingFile } from '#core/kernel/ports/telephony.ts'
import type { Recording as MediaRecording } from '#media/engine.ts'

/** Where recordings are written. */
export type RecordingStore = Pick<RecordingFiles, 'pathOf' | 'written'>

/** False on a full disk: then there is no recording, and the call goes on. */
const isThere = (folder: string): boolean => {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return true
  } catch {
    return false
  }
}

/** `begin` gets the path; undefined from it means that there is nothing to record. */
export const recordInto = (files: RecordingStore, file: RecordingFile, begin: (path: string) => MediaRecording | undefined): Recording => {
  const path = files.pathOf(file)
  const recording = isThere(dirname(path)) ? begin(path) : undefined
  const stop = async (): Promise<Recorded> => {
    const { durationMs, truncated } = (await recording?.stop()) ?? { durationMs: 0, truncated: true }
    const bytes = await stat(path).then(
      ({ size }) => size,
      () => 0,
    )
    await files.written(file)
    return { durationMs, bytes, truncated }
  }
  return { id: file.id, opened: recording?.opened ?? Promise.resolve(false), stop }
}
