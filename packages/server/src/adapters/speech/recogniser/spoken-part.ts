const frame = 160
const frameMs = 20
/** Factor below the loudest frame. Words end more softly than they begin, but not below this. */
const range = 100
/** Amplitude of 16 bit samples; quieter sound is converter noise. */
const audible = 20
const marginFrames = 6

interface SpokenPart {
  sound: Int16Array
  /** Milliseconds loud enough to be speech. */
  loudMs: number
  /** Level of the voice above the noise of the line. */
  rangeDb: number
}

/** Trims the surrounding silence: both recognisers understand single words better without it. 8 kHz. */
export const spokenPart = (sound: Int16Array): SpokenPart => {
  const levels = frameLevels(sound)
  const threshold = Math.max(audible, Math.max(...levels) / range)
  const first = levels.findIndex((level) => level > threshold)
  if (first < 0) return { sound: sound.subarray(0, 0), loudMs: 0, rangeDb: 0 }
  const last = levels.findLastIndex((level) => level > threshold)
  const from = Math.max(0, first - marginFrames) * frame
  const loud = levels.filter((level) => level > threshold)
  return { sound: sound.subarray(from, (last + 1 + marginFrames) * frame), loudMs: loud.length * frameMs, rangeDb: rangeOf(levels, loud) }
}

/** The sound of a question begins and ends with a little line noise. */
const quietFrames = 10

const rangeOf = (levels: readonly number[], loud: readonly number[]): number => {
  const sorted = levels.toSorted((a, b) => a - b)
  const floor = sorted[Math.min(quietFrames, Math.floor(levels.length / 5))] ?? 0
  const voice = Math.sqrt(loud.reduce((sum, level) => sum + level ** 2, 0) / loud.length)
  return 20 * Math.log10(voice / Math.max(1, floor))
}

const frameLevels = (sound: Int16Array): number[] =>
  Array.from({ length: Math.ceil(sound.length / frame) }, (_, index) => {
    let sum = 0
    for (let i = index * frame; i < Math.min(sound.length, (index + 1) * frame); i++) sum += sound[i]! ** 2
    return Math.sqrt(sum / frame)
  })

const pauseFrames = 5

/** The last 100 ms are not loud: the caller pauses or has finished. */
export const endsQuietly = (sound: Int16Array): boolean => {
  const levels = frameLevels(sound)
  const threshold = Math.max(audible, Math.max(...levels) / pauseRange)
  return levels.slice(-pauseFrames).every((level) => level < threshold)
}

/** Line noise is louder than the end of a word may be. */
const pauseRange = 10
