import { samplesPerMs } from './sound-track.ts'

interface Piece {
  /** Samples; exclusive end. */
  from: number
  to: number
}

const windowSamples = 20 * samplesPerMs
/** Maximum piece: a running recognition cannot be aborted and takes a second for a long piece, delaying live callers. */
const maxLength = 5_000 * samplesPerMs
/** Pauses are searched only in the last part of a piece, so that pieces are not shorter than necessary. */
const searched = 3_000 * samplesPerMs

/** Splits 8 kHz audio into pieces of at most five seconds, at the quietest fifth of a second. */
export const piecesOf = (sound: Int16Array): Piece[] => {
  const pieces: Piece[] = []
  let from = 0
  while (sound.length - from > maxLength) {
    const to = quietestIn(sound, from + maxLength - searched, from + maxLength)
    pieces.push({ from, to })
    from = to
  }
  if (sound.length > from) pieces.push({ from, to: sound.length })
  return pieces
}

const smoothed = 10

const quietestIn = (sound: Int16Array, from: number, to: number): number => {
  const levels: number[] = []
  for (let at = from; at + windowSamples <= to; at += windowSamples) levels.push(energyOf(sound, at, at + windowSamples))
  let best = 0
  let min = Infinity
  for (let nth = 0; nth + smoothed <= levels.length; nth++) {
    const sum = levels.slice(nth, nth + smoothed).reduce((all, level) => all + level, 0)
    if (sum <= min) [best, min] = [nth, sum]
  }
  return from + (best + smoothed / 2) * windowSamples
}

const energyOf = (sound: Int16Array, from: number, to: number): number => {
  let sum = 0
  for (let at = from; at < to; at++) sum += sound[at]! ** 2
  return sum
}

/** −60 dBFS: a line that stays below has no microphone. */
const silence = 33

export const isSilent = (sound: Int16Array): boolean => sound.every((sample) => Math.abs(sample) < silence)
