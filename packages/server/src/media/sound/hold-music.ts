/** Four bars of four seconds: every note rings over the end of the loop into its beginning. */
const beatMs = 1000
const beats = 16
const levelDbfs = -20

interface Note {
  midi: number
  beat: number
  /** Decay time in seconds. */
  ring: number
  volume: number
}

/** High enough for a telephone, which carries little below 300 Hz. */
const chords = [
  [62, 65, 69, 72],
  [58, 65, 69, 70],
  [60, 65, 69, 76],
  [60, 64, 67, 74],
]

const melody = [81, 77, 74, 77, 82, 81, 77, 74, 76, 77, 81, 84, 79, 76, 79, 76]

const score = (): Note[] => {
  const notes: Note[] = []
  chords.forEach((chord, bar) => {
    const beat = bar * 4
    chord.forEach((midi, index) => notes.push({ midi, beat: beat + index * 0.5, ring: 1.8, volume: index === 0 ? 1 : 0.6 }))
    chord.forEach((midi, index) => notes.push({ midi: midi + 12, beat: beat + 2.25 + index * 0.5, ring: 0.9, volume: 0.18 }))
  })
  melody.forEach((midi, beat) => notes.push({ midi, beat: beat + (beat % 4 === 3 ? 0.5 : 0), ring: 0.9, volume: 0.4 }))
  return notes
}

/** A soft, struck sound: a sine and a weaker one an octave above with a faster decay. */
const strike = (into: Float64Array, note: Note, rate: number): void => {
  const start = Math.round((note.beat * beatMs * rate) / 1000)
  const omega = (2 * Math.PI * 440 * 2 ** ((note.midi - 69) / 12)) / rate
  ringOut(into, start, omega, note.volume, note.ring * rate)
  ringOut(into, start, omega * 2, note.volume / 4, (note.ring * rate) / 3)
}

/** A decaying sine by recurrence, two multiplications a sample, so that the whole tune takes milliseconds. */
const ringOut = (into: Float64Array, start: number, omega: number, volume: number, ring: number): void => {
  const decay = Math.exp(-2 / ring)
  const turn = 2 * Math.cos(omega) * decay
  const fall = decay * decay
  let before = 0
  let now = volume * Math.sin(omega)
  let at = start % into.length
  for (let i = Math.round(2.3 * ring); i > 0; i--) {
    into[at] = into[at]! + now
    const next = turn * now - fall * before
    before = now
    now = next
    at = at + 1 === into.length ? 0 : at + 1
  }
}

const made = new Map<number, Int16Array>()

/** A calm tune of 16 seconds, written for this program; made to be looped. */
export const holdMusic = (rate: number): Int16Array => {
  const known = made.get(rate)
  if (known) return known
  const sound = new Float64Array((beats * beatMs * rate) / 1000)
  for (const note of score()) strike(sound, note, rate)
  const pcm = atLevel(sound)
  made.set(rate, pcm)
  return pcm
}

const atLevel = (sound: Float64Array): Int16Array => {
  let energy = 0
  for (let i = 0; i < sound.length; i++) energy += sound[i]! * sound[i]!
  const gain = (32767 * 10 ** (levelDbfs / 20)) / Math.sqrt((2 * energy) / sound.length)
  const pcm = new Int16Array(sound.length)
  for (let i = 0; i < sound.length; i++) pcm[i] = sound[i]! * gain
  return pcm
}
