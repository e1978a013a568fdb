import type { ProsodyStyle } from './script.ts'

/** As a map, which has no words of its own such as `constructor`. */
const words = <T>(meanings: Record<string, T>): ReadonlyMap<string, T> => new Map(Object.entries(meanings))

const rates = words({ 'x-slow': 0.6, slow: 0.8, medium: 1, default: 1, fast: 1.25, 'x-fast': 1.6 })
const pitches = words({ 'x-low': -6, low: -3, medium: 0, default: 0, high: 3, 'x-high': 6 })
const volumes = words({ silent: -60, 'x-soft': -12, soft: -6, medium: 0, default: 0, loud: 4, 'x-loud': 8 })
const strengths = words({ none: 0, 'x-weak': 100, weak: 200, medium: 400, strong: 700, 'x-strong': 1000 })

/** No voice sounds right beyond these. */
const speedLimits = [0.4, 2.5] as const
const pitchLimits = [-12, 12] as const
const gainLimits = [-60, 12] as const
/** Changes in hertz are meant for a voice of this height. */
const defaultPitchHz = 150

const within = (value: number, [min, max]: readonly [number, number]): number => Math.min(max, Math.max(min, value))

/** A number with its unit; undefined when it is anything else. */
const measure = (written: string): { value: number; unit: string; relative: boolean } | undefined => {
  const match = /^([+-]?)(\d{1,5}(?:\.\d{1,4})?|\.\d{1,4})\s?(%|st|hz|db|ms|s|)$/i.exec(written.trim())
  if (!match) return undefined
  const [, sign = '', number = '', unit = ''] = match
  return { value: Number(number) * (sign === '-' ? -1 : 1), unit: unit.toLowerCase(), relative: sign !== '' }
}

/** How many times faster: `slow`, `120%`, `+20%`, `1.2`. */
export const readRate = (written: string): number | undefined => {
  const word = rates.get(written)
  if (word !== undefined) return word
  const { value, unit, relative } = measure(written) ?? { value: 0, unit: '?', relative: false }
  if (unit === '%') return relative ? 1 + value / 100 : value / 100
  return unit === '' && value !== 0 ? (relative ? 1 + value : value) : undefined
}

/** In semitones: `low`, `+2st`, `-10%`, `+20Hz`, `180Hz`. */
export const readPitch = (written: string): number | undefined => {
  const word = pitches.get(written)
  if (word !== undefined) return word
  const { value, unit, relative } = measure(written) ?? { value: 0, unit: '?', relative: false }
  if (unit === 'st') return value
  const times = unit === '%' ? 1 + value / 100 : unit === 'hz' ? (relative ? defaultPitchHz + value : value) / defaultPitchHz : 0
  return times > 0 ? 12 * Math.log2(times) : undefined
}

/** In decibels: `soft`, `+6dB`, `-20%`, `80` of 100. */
export const readVolume = (written: string): number | undefined => {
  const word = volumes.get(written)
  if (word !== undefined) return word
  const { value, unit, relative } = measure(written) ?? { value: 0, unit: '?', relative: false }
  if (unit === 'db') return value
  if (unit !== '%' && unit !== '') return undefined
  return 20 * Math.log10(Math.max(0.001, relative ? 1 + value / 100 : value / 100))
}

/** `time` wins over `strength`; without either it is medium. */
export const readBreak = (time: string | undefined, strength: string | undefined): number | undefined => {
  if (time === undefined) return strengths.get(strength ?? 'medium')
  const { value, unit } = measure(time) ?? { value: -1, unit: '?' }
  if (value < 0) return undefined
  return unit === 's' ? value * 1000 : unit === 'ms' ? value : undefined
}

/** Voices that know no stress are made a little slower and louder; a moderate one is not worth tearing the sentence apart. */
const emphases = words({
  strong: { speed: 0.88, gainDb: 3 },
  moderate: { speed: 1, gainDb: 0 },
  none: { speed: 1, gainDb: 0 },
  reduced: { speed: 1.06, gainDb: -2 },
})

export const emphasisOf = (level: string | undefined): { speed: number; gainDb: number } | undefined => emphases.get(level ?? 'moderate')

/** Changes add up, inside what voices can do. */
export const changed = (prosody: ProsodyStyle, change: { speed?: number; pitch?: number; gainDb?: number }): ProsodyStyle => ({
  ...prosody,
  speed: within(prosody.speed * (change.speed ?? 1), speedLimits),
  pitch: within(prosody.pitch + (change.pitch ?? 0), pitchLimits),
  gainDb: within(prosody.gainDb + (change.gainDb ?? 0), gainLimits),
})
