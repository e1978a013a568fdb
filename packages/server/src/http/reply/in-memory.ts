import type { OpenRecording } from '#core/kernel/ports/recording-files.ts'

/** A file that was just made, or that is kept in the database. */
export const inMemory = (content: Uint8Array, changedAt: number): OpenRecording => ({
  bytes: content.length,
  changedAt,
  read: (position, length) => Promise.resolve(content.subarray(position, position + length)),
  close: () => Promise.resolve(),
})
