/** Two tones that sound at once: one of the lower and one of the higher ones. */
export interface Chord {
  low: number
  high: number
}

/**
 * A byte is a chord: each half of it is the distance from the tone before to the next one, on a circle, and never zero. So neighbours always
 * differ, and it does not matter how long each of them sounds. At the end there is a byte to check all others by.
 */
const circle = 17
export const lowTones = circle + 1
export const highTones = circle
export const startChord: Chord = { low: circle, high: 0 }
export const endChord: Chord = { low: circle, high: 8 }

export const sameChord = (a: Chord, b: Chord): boolean => a.low === b.low && a.high === b.high

export interface DecodedText {
  text: string
  /** Its end was there, and nothing was lost on the way. */
  complete: boolean
  /** Its end was there. */
  ended: boolean
}

export const encodeText = (text: string): Chord[] => {
  const bytes = [...Buffer.from(text)]
  let [low, high] = [0, 0]
  const chords = [...bytes, checkByte(bytes)].map((byte) => {
    low = (low + 1 + (byte >> 4)) % circle
    high = (high + 1 + (byte & 15)) % circle
    return { low, high }
  })
  return [startChord, ...chords, endChord]
}

/** Of the chords after a start, as far as there are some. */
export const decodeText = (chords: readonly Chord[]): DecodedText => {
  const last = chords.at(-1)
  const ended = last !== undefined && sameChord(last, endChord)
  const bytes = (ended ? chords.slice(0, -1) : chords).map(({ low, high }, index) => {
    const before = chords[index - 1] ?? { low: 0, high: 0 }
    return (distance(before.low, low) << 4) | distance(before.high, high)
  })
  const said = ended ? bytes.slice(0, -1) : bytes
  const complete = ended && bytes.length > 0 && checkByte(said) === bytes.at(-1)
  // A character of which only a part has come is not given out.
  return { text: new TextDecoder().decode(Uint8Array.from(said), { stream: true }), complete, ended }
}

const distance = (from: number, to: number): number => ((to - from - 1 + circle) % circle) & 15

/** Notices lost, changed and exchanged bytes. */
const checkByte = (bytes: readonly number[]): number => bytes.reduce((sum, byte) => (sum * 31 + byte + 7) & 255, 0)
