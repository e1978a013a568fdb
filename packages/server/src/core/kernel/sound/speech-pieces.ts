import { samplesPerMs } from './sound-track.ts'

export interface Piece {
  /** Samples; the end does not belong to it. */
  from: number
  to: number
}

const windowSamples = 20 * samplesPerMs
/** Nobody can break off what a recogniser has begun, and of a long piece it takes a second: callers would wait for it. */
const maxLength = 5_000 * samplesPerMs
/** A pause is looked for in the last part of what a piece may hold, so that pieces are not shorter than they have to be. */
const searched = 3_000 * samplesPerMs

/** Sound of 8 kHz in pieces of at most five seconds, cut where it is quietest for a fifth of a second. */
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

/** −60 dBFS: what is quieter all the time is a line without a microphone. */
const silence = 33

export const isSilent = (sound: Int16Array): boolean => sound.every((sample) => Math.abs(sample) < silence)
