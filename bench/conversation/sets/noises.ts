import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { demand } from './packages.ts'
import { sampleRate, type Recording } from './recording.ts'
import { readSound } from './sound-file.ts'
import { throughG711 } from '../../shared/through-g711.ts'

/** Seeded random numbers between -1 and 1. */
export const dice = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 31 - 1
  }
}

type Colour = 'white' | 'pink' | 'brown'

/** Each filter turns white noise into noise of one colour. */
const filters: Record<Colour, () => (white: number) => number> = {
  white: () => (white) => white,
  /** Three low-pass filters whose sum falls by 3 dB per octave. */
  pink: () => {
    const poles = [0.997, 0.965, 0.57]
    const states = [0, 0, 0]
    return (white) => {
      for (const [i, pole] of poles.entries()) states[i] = pole * (states[i] ?? 0) + (1 - pole) ** 0.5 * white
      return states.reduce((sum, state) => sum + state, 0)
    }
  },
  brown: () => {
    let state = 0
    return (white) => (state = 0.995 * state + 0.1 * white)
  },
}

const rms = (sound: ArrayLike<number>): number =>
  Math.sqrt(Array.from(sound).reduce((sum, value) => sum + value ** 2, 0) / Math.max(1, sound.length))

/** Noise `decibels` below full scale, by mean power. */
export const noise = (colour: Colour, seconds: number, decibels: number, seed: number): Int16Array<ArrayBuffer> => {
  const [random, filter] = [dice(seed), filters[colour]()]
  const raw = Float64Array.from({ length: Math.round(seconds * sampleRate) }, () => filter(random()))
  const gain = (32_768 * 10 ** (decibels / 20)) / rms(raw)
  return Int16Array.from(raw, (value) => Math.max(-32_768, Math.min(32_767, Math.round(value * gain))))
}

/** White, pink and brown noise between -20 and -40 dB: 81 seconds. */
export const makeNoises = (): Recording[] =>
  (['white', 'pink', 'brown'] as const).flatMap((colour, nth) =>
    [-20, -30, -40].map((decibels) => ({
      name: `${colour} noise at ${decibels} dB`,
      language: 'en',
      text: '',
      samples: noise(colour, 9, decibels, 7 + nth * 10 - decibels),
    })),
  )

const musicFolder = '/usr/share/asterisk/moh'
const musicSeconds = 40

/** Music on hold (Debian: asterisk-moh-opsound-wav): the first 40 seconds of each piece. */
export const readMusic = async (): Promise<Recording[]> => {
  demand({ file: musicFolder, package: 'asterisk-moh-opsound-wav' })
  const files = (await readdir(musicFolder)).filter((file) => file.endsWith('.wav')).toSorted()
  return Promise.all(
    files.map(async (file) => ({
      name: file.replace(/\.wav$/, ''),
      language: 'en',
      text: '',
      samples: (await readSound(join(musicFolder, file))).subarray(0, musicSeconds * sampleRate),
    })),
  )
}

/** Adds white noise at this many decibels below the recording's mean power. */
export const withNoise = (recording: Recording, decibels: number, seed = 7): Recording => {
  const level = 20 * Math.log10(Math.max(1, rms(recording.samples)) / 32_768) - decibels
  const added = noise('white', recording.samples.length / sampleRate, level, seed)
  const samples = recording.samples.map((value, at) => Math.max(-32_768, Math.min(32_767, value + (added[at] ?? 0))))
  return { ...recording, name: `${recording.name}, noise at ${decibels} dB`, samples }
}

/** Simulates a telephone line: noise at about -65 dB, G.711 A-law. */
export const overTheLine = (sound: Int16Array, seed = 7): Int16Array<ArrayBuffer> => {
  const random = dice(seed)
  return throughG711(Int16Array.from(sound, (value) => Math.max(-32_768, Math.min(32_767, value + Math.round(random() * lineNoise)))))
}
const lineNoise = 30
