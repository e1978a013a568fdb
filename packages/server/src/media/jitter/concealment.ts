/** Milliseconds until concealment is silent: longer would buzz. */
const maxMs = 60
/** Voices have between 66 and 200 cycles a second (as in G.711 Appendix I). */
const minCycleMs = 5
const maxCycleMs = 15
const comparedMs = 20
const historyMs = 50
const blendLongestMs = 10

/**
 * Fills gaps in speech by repeating the last pitch cycles, fading them out, and blending into the sound after the gap. The whole
 * replacement is made when a gap begins; a longer gap only reads further.
 */
export class Concealment {
  readonly #perMs: number
  readonly #history: Int16Array
  #written = 0
  /** The last part of the history in chronological order, while a replacement is made. */
  readonly #past: Float32Array
  readonly #replacement: Float32Array
  /** Samples of the replacement used so far; -1: no gap. */
  #position = -1
  #blendAt = 0
  #blendLength = 0

  constructor(sampleRate: number) {
    this.#perMs = sampleRate / 1000
    this.#history = new Int16Array(historyMs * this.#perMs)
    this.#past = new Float32Array(historyMs * this.#perMs)
    this.#replacement = new Float32Array((maxMs + blendLongestMs) * this.#perMs)
  }

  /** Records received audio. Changes the first part after a gap in place, so that it continues the replacement. */
  heard(pcm: Int16Array, start: number, end: number): void {
    if (this.#position >= 0) this.#endHole()
    if (this.#blendLength > 0) this.#blend(pcm, start, end)
    const history = this.#history
    let at = this.#written
    for (let i = start; i < end; i++) {
      history[at] = pcm[i]!
      at = at + 1 === history.length ? 0 : at + 1
    }
    this.#written = at
  }

  /** Fills `into[start, end)`. False: the gap is too long and filled with silence. */
  conceal(into: Int16Array, start: number, end: number): boolean {
    if (this.#position < 0) this.#beginHole()
    const replacement = this.#replacement
    const audible = Math.min(end - start, Math.max(0, maxMs * this.#perMs - this.#position))
    for (let i = 0; i < audible; i++) into[start + i] = replacement[this.#position + i]!
    into.fill(0, start + audible, end)
    this.#position += end - start
    return audible > 0
  }

  /** Forgets the voice: another one follows. */
  reset(): void {
    this.#history.fill(0)
    this.#position = -1
    this.#blendLength = 0
  }

  #beginHole(): void {
    const history = this.#history
    const past = this.#past
    const older = history.length - this.#written
    for (let i = 0; i < older; i++) past[i] = history[this.#written + i]!
    for (let i = older; i < past.length; i++) past[i] = history[i - older]!
    repeatCycles(past, this.#replacement, findCycle(past, this.#perMs), 10 * this.#perMs)
    fade(this.#replacement, 10 * this.#perMs, maxMs * this.#perMs)
    this.#position = 0
    this.#blendLength = 0
  }

  /** The longer the gap, the longer the blend (Appendix I: 4 ms, and 4 ms more per 10 ms). */
  #endHole(): void {
    const lostMs = this.#position / this.#perMs
    this.#blendAt = Math.min(this.#position, maxMs * this.#perMs)
    this.#blendLength = Math.round(Math.min(blendLongestMs, 4 + 0.4 * Math.max(0, lostMs - 10)) * this.#perMs)
    this.#position = -1
  }

  #blend(pcm: Int16Array, start: number, end: number): void {
    const count = Math.min(end - start, this.#blendLength)
    const step = 1 / (this.#blendLength + 1)
    for (let i = 0; i < count; i++) {
      const share = (i + 1) * step
      pcm[start + i] = pcm[start + i]! * share + this.#replacement[this.#blendAt + i]! * (1 - share)
    }
    this.#blendLength = 0
  }
}

/** The lag at which the last 20 ms are most similar to earlier sound: coarse steps first, then around the best. */
const findCycle = (past: Float32Array, perMs: number): number => {
  const coarse = 2
  const best = bestLag(past, minCycleMs * perMs, maxCycleMs * perMs, coarse, comparedMs * perMs)
  const lowest = Math.max(minCycleMs * perMs, best - coarse)
  return bestLag(past, lowest, Math.min(maxCycleMs * perMs, best + coarse), 1, comparedMs * perMs)
}

const bestLag = (past: Float32Array, from: number, to: number, step: number, compared: number): number => {
  let best = from
  let bestLikeness = -Infinity
  for (let lag = from; lag <= to; lag += step) {
    let product = 0
    let energy = 1
    for (let i = past.length - compared; i < past.length; i += step) {
      const before = past[i - lag]!
      product += past[i]! * before
      energy += before * before
    }
    const likeness = product / Math.sqrt(energy)
    if (likeness > bestLikeness) {
      bestLikeness = likeness
      best = lag
    }
  }
  return best
}

/** Repeating a single cycle would hum: the second 10 ms repeat two cycles, the rest three. */
const repeatCycles = (past: Float32Array, into: Float32Array, cycle: number, part: number): void => {
  const overlap = Math.max(1, cycle >> 2)
  let from = past.length - cycle
  for (let i = 0; i < into.length; i++) {
    const cycles = i < part ? 1 : i < 2 * part ? 2 : 3
    const untilEnd = past.length - from
    let sample = past[from]!
    // The last quarter blends into the sound before the first repeated sample, to hide the seam.
    if (untilEnd <= overlap) sample += (past[from - cycles * cycle]! - sample) * (1 - (untilEnd - 1) / overlap)
    into[i] = sample
    from++
    if (from === past.length) from = past.length - cycles * cycle
  }
  const step = past[past.length - 1]! - past[past.length - 1 - cycle]!
  for (let i = 0; i < overlap; i++) into[i] = Math.max(-32768, Math.min(32767, into[i]! + step * (1 - (i + 1) / (overlap + 1))))
}

const fade = (samples: Float32Array, from: number, to: number): void => {
  for (let i = from; i < to; i++) samples[i]! *= (to - i) / (to - from)
  samples.fill(0, to)
}
