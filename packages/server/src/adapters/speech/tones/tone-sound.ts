import { decodeText, encodeText, endChord, highTones, lowTones, sameChord, startChord, type Chord } from './tone-code.ts'
import { goertzelCoefficient, goertzelPower } from '#media/sound/goertzel.ts'

/**
 * Within what every codec lets through, and with no pair that is a key of a telephone: those are all below 1700 Hz. Multiples of 50 Hz, so
 * that they go on as if nothing had happened when a packet of 20 ms is lost, doubled or blended into the next.
 */
const rate = 8_000
const hertz = (tone: number): number => 300 + 50 * Math.round(1.75 * tone)
const strength = 5_000
/** 40 ms: when a jitter buffer makes one packet of two, half of a chord is left. */
const chordSamples = 320

const turns = Array.from({ length: lowTones + highTones }, (_, tone) => (2 * Math.PI * hertz(tone)) / rate)

/** A text as tones: 40 ms for each byte and 120 ms more. */
export const toneSound = (text: string): Int16Array => {
  const chords = encodeText(text)
  const sound = new Int16Array(chords.length * chordSamples)
  let [lowPhase, highPhase] = [0, 0]
  for (let at = 0; at < sound.length; at++) {
    const { low, high } = chords[Math.floor(at / chordSamples)]!
    lowPhase += turns[low]!
    highPhase += turns[lowTones + high]!
    sound[at] = Math.round(strength * (Math.sin(lowPhase) + Math.sin(highPhase)))
  }
  return sound
}

export interface ToneMessage {
  text: string
  /** Heard to its end, without damage. */
  complete: boolean
  /** Its end was heard. */
  ended: boolean
  /** Places in the sound. */
  from: number
  to: number
}

/** All texts that are in a sound. The last one may still go on. */
export const toneMessages = (sound: Int16Array): ToneMessage[] => {
  const messages: ToneMessage[] = []
  let current: { chords: Chord[]; from: number; to: number } | undefined
  const close = (): void => {
    if (current) messages.push({ ...decodeText(current.chords), from: current.from, to: current.to })
    current = undefined
  }
  for (const { chord, from, to } of chordsIn(sound)) {
    if (sameChord(chord, startChord)) {
      close()
      current = { chords: [], from, to }
    } else if (current) {
      current.chords.push(chord)
      current.to = to
      if (sameChord(chord, endChord)) close()
    }
  }
  close()
  return messages
}

interface Run {
  chord: Chord
  from: number
  to: number
}

/** Long enough to tell neighbouring tones apart. */
const windowSamples = 100
const hopSamples = 20

/** A chord is there when two windows in a row have nothing but it. */
const chordsIn = (sound: Int16Array): Run[] => {
  const runs: Run[] = []
  let before: Chord | undefined
  for (let from = 0; from + windowSamples <= sound.length; from += hopSamples) {
    const chord = chordAt(sound, from, before)
    const sure = chord !== undefined && before !== undefined && sameChord(chord, before)
    before = chord
    if (!sure) continue
    const last = runs.at(-1)
    if (last && sameChord(last.chord, chord)) last.to = from + windowSamples
    else runs.push({ chord, from: from - hopSamples, to: from + windowSamples })
  }
  return runs
}

/** Quieter is silence. */
const audible = 100
/** Of the energy in the window: for both together, and for each. */
const minShare = 0.75
const minShareOfOne = 0.2

/** The chord that sounds in a window, if nothing else does. Mostly it is the one before. */
const chordAt = (sound: Int16Array, at: number, before: Chord | undefined): Chord | undefined => {
  let energy = 0
  for (let i = at; i < at + windowSamples; i++) energy += sound[i]! ** 2
  if (energy < windowSamples * audible ** 2) return undefined
  // A sine that fills the window has the power of its energy times half the window’s length.
  const all = (energy * windowSamples) / 2
  const soundsAlone = ({ low, high }: Chord): boolean => {
    const [lowPower, highPower] = [powerOf(sound, at, low), powerOf(sound, at, lowTones + high)]
    return lowPower + highPower > minShare * all && Math.min(lowPower, highPower) > minShareOfOne * all
  }
  if (before && soundsAlone(before)) return before
  const chord = { low: strongest(sound, at, 0, lowTones), high: strongest(sound, at, lowTones, highTones) }
  return soundsAlone(chord) ? chord : undefined
}

/** Of `count` tones. */
const strongest = (sound: Int16Array, at: number, first: number, count: number): number => {
  const powers = Array.from({ length: count }, (_, tone) => powerOf(sound, at, first + tone))
  return powers.indexOf(Math.max(...powers))
}

const coefficients = Array.from({ length: lowTones + highTones }, (_, tone) => goertzelCoefficient(hertz(tone), rate))

/** Power of one tone in a window. */
const powerOf = (sound: Int16Array, at: number, tone: number): number => goertzelPower(sound, coefficients[tone]!, at, at + windowSamples)
