import { goertzelCoefficient, goertzelPower } from '#media/sound/tone.ts'
import type { Stt, Transcript, Tts } from '#core/kernel/ports/speech.ts'
import { stoppableWait } from '#core/kernel/work/waiting.ts'

/** Two simultaneous tones: one of the lower and one of the higher group. */
interface Chord {
  low: number
  high: number
}

/**
 * Each byte is a chord: each nibble is the distance from the previous tone to the next one on a circle, never zero. So adjacent chords
 * always differ, and their duration does not matter. A check byte follows at the end.
 */
const circle = 17
const lowTones = circle + 1
const highTones = circle
const startChord: Chord = { low: circle, high: 0 }
const endChord: Chord = { low: circle, high: 8 }

const sameChord = (a: Chord, b: Chord): boolean => a.low === b.low && a.high === b.high

interface DecodedText {
  text: string
  /** The end was received and the check byte matches. */
  complete: boolean
  /** The end was received. */
  ended: boolean
}

const encodeText = (text: string): Chord[] => {
  const bytes = [...Buffer.from(text)]
  let [low, high] = [0, 0]
  const chords = [...bytes, checkByte(bytes)].map((byte) => {
    low = (low + 1 + (byte >> 4)) % circle
    high = (high + 1 + (byte & 15)) % circle
    return { low, high }
  })
  return [startChord, ...chords, endChord]
}

/** Decodes the chords after a start, as far as they have arrived. */
const decodeText = (chords: readonly Chord[]): DecodedText => {
  const last = chords.at(-1)
  const ended = last !== undefined && sameChord(last, endChord)
  const bytes = (ended ? chords.slice(0, -1) : chords).map(({ low, high }, index) => {
    const before = chords[index - 1] ?? { low: 0, high: 0 }
    return (distance(before.low, low) << 4) | distance(before.high, high)
  })
  const said = ended ? bytes.slice(0, -1) : bytes
  const complete = ended && bytes.length > 0 && checkByte(said) === bytes.at(-1)
  // An incomplete character is left out.
  return { text: new TextDecoder().decode(Uint8Array.from(said), { stream: true }), complete, ended }
}

const distance = (from: number, to: number): number => ((to - from - 1 + circle) % circle) & 15

/** Detects lost, changed and swapped bytes. */
const checkByte = (bytes: readonly number[]): number => bytes.reduce((sum, byte) => (sum * 31 + byte + 7) & 255, 0)

/**
 * Within the passband of every codec, and without a DTMF pair: those are all below 1700 Hz. Multiples of 50 Hz, so that the phase continues
 * when a 20 ms packet is lost, doubled or blended into the next.
 */
const rate = 8_000
const hertz = (tone: number): number => 300 + 50 * Math.round(1.75 * tone)
const strength = 5_000
/** 40 ms: when a jitter buffer merges two packets, half of a chord remains. */
const chordSamples = 320

const turns = Array.from({ length: lowTones + highTones }, (_, tone) => (2 * Math.PI * hertz(tone)) / rate)

/** A text as tones: 40 ms per byte plus 120 ms. */
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

interface ToneMessage {
  text: string
  /** Received to its end, undamaged. */
  complete: boolean
  /** The end was received. */
  ended: boolean
  /** Positions in the sound. */
  from: number
  to: number
}

/** All texts in a sound. The last one may be incomplete. */
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

/** Long enough to distinguish adjacent tones. */
const windowSamples = 100
const hopSamples = 20

/** A chord counts when two windows in a row contain only it. */
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

/** Quieter sound is silence. */
const audible = 100
/** Share of the window's energy: of both tones together, and of each. */
const minShare = 0.75
const minShareOfOne = 0.2

/** The chord of a window without other sound. Usually it is the previous one. */
const chordAt = (sound: Int16Array, at: number, before: Chord | undefined): Chord | undefined => {
  let energy = 0
  for (let i = at; i < at + windowSamples; i++) energy += sound[i]! ** 2
  if (energy < windowSamples * audible ** 2) return undefined
  // A sine over the whole window has a power of its energy times half the window’s length.
  const all = (energy * windowSamples) / 2
  const soundsAlone = ({ low, high }: Chord): boolean => {
    const [lowPower, highPower] = [powerOf(sound, at, low), powerOf(sound, at, lowTones + high)]
    return lowPower + highPower > minShare * all && Math.min(lowPower, highPower) > minShareOfOne * all
  }
  if (before && soundsAlone(before)) return before
  const chord = { low: strongest(sound, at, 0, lowTones), high: strongest(sound, at, lowTones, highTones) }
  return soundsAlone(chord) ? chord : undefined
}

/** Index of the strongest of `count` tones. */
const strongest = (sound: Int16Array, at: number, first: number, count: number): number => {
  const powers = Array.from({ length: count }, (_, tone) => powerOf(sound, at, first + tone))
  return powers.indexOf(Math.max(...powers))
}

const coefficients = Array.from({ length: lowTones + highTones }, (_, tone) => goertzelCoefficient(hertz(tone), rate))

/** Power of one tone in a window. */
const powerOf = (sound: Int16Array, at: number, tone: number): number => goertzelPower(sound, coefficients[tone]!, at, at + windowSamples)

const chunkSamples = 1_600

/** Speaks every text in every language as tones: for tests, which can then verify exactly what was heard. */
export const toneTts: Tts = {
  name: 'tones',
  rate: 8_000,
  ssml: false,
  speaks: () => true,
  voices: () => [
    { id: 'en', name: 'English', language: 'en' },
    { id: 'de', name: 'German', language: 'de' },
  ],
  async *synthesize({ text }, signal) {
    if (text.trim() === '') return
    const sound = toneSound(text)
    for (let at = 0; at < sound.length && !signal.aborted; at += chunkSamples) yield sound.subarray(at, at + chunkSamples)
  },
}

/** Transcribes the output of toneTts, also while it is incomplete. Damaged text is dropped. */
export const toneStt: Stt = {
  name: 'tones',
  hears: () => true,
  open: (track, { languages }) => {
    const closed = new AbortController()
    return {
      async transcribe(from, to, signal): Promise<Transcript> {
        const wanted = AbortSignal.any([signal, closed.signal])
        await stoppableWait(track.reaches(to), wanted)
        wanted.throwIfAborted()
        const understood = toneMessages(track.read(from, to)).filter(({ complete, ended }) => complete || !ended)
        const text = understood.map((message) => message.text.trim()).join(' ')
        if (text === '') return { text }
        const [language] = languages
        return { text, confidence: understood.every(({ complete }) => complete) ? 1 : 0.5, ...(language !== undefined && { language }) }
      },
      close: () => closed.abort(),
    }
  },
}
