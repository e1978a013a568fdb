import type { StoredRecording } from '#core/kernel/ports/store/recording.ts'

/** Silence in place of sound that no node recorded, from the start of the recording. */
interface Gap {
  at: number
  seconds: number
}

const seconds = (ms: number): number => Math.round(ms / 10) / 100

/** `parts`: in the order of their times, the first one included. */
export const gapsBetween = (parts: readonly Pick<StoredRecording, 'createdAt' | 'durationMs' | 'bytes'>[]): Gap[] => {
  const [first] = parts
  if (!first) return []
  const gaps: Gap[] = []
  let endMs = 0
  for (const { createdAt, durationMs, bytes } of parts) {
    if (bytes === 0) continue
    const startMs = Math.max(endMs, createdAt - first.createdAt)
    if (startMs > endMs) gaps.push({ at: seconds(endMs), seconds: seconds(startMs - endMs) })
    endMs = startMs + durationMs
  }
  return gaps
}

/** A file of the recording is at a machine that is away. */
export const isPending = (parts: readonly Pick<StoredRecording, 'awaited' | 'bytes'>[]): boolean =>
  parts.some(({ awaited, bytes }) => awaited && bytes === 0)
