/** What is quieter than the loudest by this factor (40 dB) is not speech. */
const silenceShare = 0.01
const windowMs = 5
/** Soft consonants begin and end below that. */
const keptBeforeMs = 15
const keptAfterMs = 60
/** Loudest sample that is given: the telephone's codecs clip above. */
const ceiling = 0.9
/** Breath after a sentence, a clause, a word. The models give half a second after everything, and a fifth before. */
const pauseMs = { sentence: 250, clause: 120, word: 40 }

/** 16 bit, as loud as the other voices. */
export const toSamples = (sound: Float32Array, gain: number): Int16Array => {
  let loudest = 0
  for (const value of sound) loudest = Math.max(loudest, Math.abs(value))
  const factor = 32_767 * (loudest * gain > ceiling ? ceiling / loudest : gain)
  return Int16Array.from(sound, (value) => Math.round(value * factor))
}

/** Without the silence around it, with a pause after it that fits how `text` ends. Empty when there is nothing but silence. */
export const shapeSound = (samples: Int16Array, rate: number, text: string): Int16Array<ArrayBuffer> => {
  const perMs = rate / 1000
  const window = Math.round(windowMs * perMs)
  const peaks = Array.from({ length: Math.ceil(samples.length / window) }, (_, i) => peakOf(samples, i * window, (i + 1) * window))
  const threshold = peaks.reduce((loudest, peak) => Math.max(loudest, peak), 0) * silenceShare
  const first = peaks.findIndex((peak) => peak > threshold)
  if (first < 0) return new Int16Array(0)
  const start = Math.max(0, Math.round(first * window - keptBeforeMs * perMs))
  const end = Math.min(samples.length, Math.round((peaks.findLastIndex((peak) => peak > threshold) + 1) * window + keptAfterMs * perMs))
  const shaped = new Int16Array(end - start + Math.round(pauseAfter(text) * perMs))
  shaped.set(samples.subarray(start, end))
  return shaped
}

const pauseAfter = (text: string): number => (/[.!?…]$/.test(text) ? pauseMs.sentence : text.endsWith(',') ? pauseMs.clause : pauseMs.word)

const peakOf = (samples: Int16Array, from: number, to: number): number => {
  let peak = 0
  for (let i = from; i < Math.min(to, samples.length); i++) peak = Math.max(peak, Math.abs(samples[i] ?? 0))
  return peak
}
