import type { OpenRecording } from '#core/kernel/ports/files.ts'

/** A file created in memory or read from the database. */
export const inMemory = (content: Uint8Array, changedAt: number): OpenRecording => ({
  bytes: content.length,
  changedAt,
  read: (position, length) => Promise.resolve(content.subarray(position, position + length)),
  close: () => Promise.resolve(),
})
