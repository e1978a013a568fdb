/** Each word is a tone of its own: enough to tell whether what was said is what was heard. */
const lowest = 480
const step = 110
const wordMs = 160
const gapMs = 40
const known = ['yes', 'no', 'hello', 'stop', 'help', 'book', 'cancel', 'today', 'tomorrow', 'monday', 'one', 'two', 'three', 'four', 'bye']

export interface ToneWord {
  text: string
  /** Samples. */
  from: number
  to: number
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** Words that nobody knows sound like one of the known ones. */
const indexOf = (word: string): number => {
  const place = known.indexOf(word)
  return place >= 0 ? place : Buffer.from(word).reduce((sum, byte) => sum + byte, 0) % known.length
}

export const sayInTones = (text: string, rate: number): Int16Array => {
  const words = wordsOf(text)
  const length = ((wordMs + gapMs) * rate) / 1000
  const samples = new Int16Array(words.length * length)
  for (const [place, word] of words.entries()) {
    const frequency = lowest + step * indexOf(word)
    for (let i = 0; i < (wordMs * rate) / 1000; i++)
      samples[place * length + i] = Math.round(9000 * Math.sin((2 * Math.PI * frequency * i) / rate))
  }
  return samples
}

/** How strong one frequency is in a frame: the amplitude of the tone. */
const strength = (frame: Int16Array, frequency: number, rate: number): number => {
  const turn = 2 * Math.cos((2 * Math.PI * frequency) / rate)
  let [before, last] = [0, 0]
  for (const sample of frame) [before, last] = [last, sample + turn * last - before]
  return (2 * Math.sqrt(Math.max(0, before ** 2 + last ** 2 - turn * before * last))) / frame.length
}

const wordIn = (frame: Int16Array, rate: number): string | undefined => {
  const strengths = known.map((_, index) => strength(frame, lowest + step * index, rate))
  const strongest = strengths.indexOf(Math.max(...strengths))
  return (strengths[strongest] ?? 0) > 3000 ? known[strongest] : undefined
}

/** A word counts once at least three frames of 20 ms of it were heard. */
export const hearTones = (samples: Int16Array, rate: number): ToneWord[] => {
  const frame = rate / 50
  const words: ToneWord[] = []
  let running: ToneWord | undefined
  for (let at = 0; at + frame <= samples.length; at += frame) {
    const text = wordIn(samples.subarray(at, at + frame), rate)
    if (running && running.text === text) running.to = at + frame
    else running = text === undefined ? undefined : { text, from: at, to: at + frame }
    if (running && running.to - running.from === 3 * frame) words.push(running)
  }
  return words
}

export const textOf = (words: readonly ToneWord[]): string => words.map(({ text }) => text).join(' ')
