import { defaultTiming } from './dtmf-events.ts'
import { goertzelCoefficient, goertzelPower, sine } from '../sound/tone.ts'

/** ITU-T Q.23: each key is one tone of its row and one of its column. */
export const lowTones = [697, 770, 852, 941]
export const highTones = [1209, 1336, 1477, 1633]
const keys = ['123A', '456B', '789C', '*0#D']

/** Keys as sound, each followed by a gap. */
export const dtmfSound = (digits: string, rate: number, timing = defaultTiming): Int16Array => {
  const toneLength = (timing.toneMs * rate) / 1000
  const keyLength = toneLength + (timing.gapMs * rate) / 1000
  const pcm = new Int16Array(keyLength * digits.length)
  for (let i = 0; i < digits.length; i++) {
    const row = keys.findIndex((line) => line.includes(digits.charAt(i).toUpperCase()))
    if (row < 0) throw new RangeError('digits must be 0-9, *, # or A-D')
    const column = keys[row]!.indexOf(digits.charAt(i).toUpperCase())
    pcm.set(sine([lowTones[row]!, highTones[column]!], timing.toneMs, rate, -10), i * keyLength)
  }
  return pcm
}

/** 12.75 ms at 8 kHz: short enough to cover a tone of 40 ms at least twice, long enough to separate adjacent tones. */
const blockSamples = 102
const rate = 8000
const coefficients = Float64Array.from([...lowTones, ...highTones], (frequency) => goertzelCoefficient(frequency, rate))
/** Mean square of the quietest tone pair that counts: about -38 dBFS. */
const quietestPower = 32768 ** 2 * 10 ** -3.8 * 0.5
/** Minimum share of the pair in the energy: speech and music spread theirs. */
const minShare = 0.8
/** Power ratios, Q.24: the low tone may be 4 dB stronger (phones reach 8, 6 are accepted), the high tone 8 dB. */
const lowStronger = 10 ** 0.6
const highStronger = 10 ** 0.8
/** Each tone relative to the next strongest of its group. */
const aboveNeighbour = 10 ** 0.8
/** Overtones: DTMF has hardly any, instruments and voices do. */
const loudestOvertone = 10 ** -1.8
const blocksToBegin = 2
const blocksToEnd = 3

/** Detects DTMF in sound at 8 kHz, for lines without named events. */
export class DtmfDetector {
  readonly #state1 = new Float64Array(8)
  readonly #state2 = new Float64Array(8)
  readonly #powers = new Float64Array(8)
  readonly #block = new Int16Array(blockSamples)
  #energy = 0
  #samples = 0
  #candidate = ''
  #seen = 0
  #pressed = ''
  #gone = 0

  /** Keys recognised within this frame, usually ''. */
  write(pcm: Int16Array): string {
    let found = ''
    let at = 0
    while (at < pcm.length) {
      const count = Math.min(pcm.length - at, blockSamples - this.#samples)
      this.#accumulate(pcm, at, at + count)
      at += count
      this.#samples += count
      if (this.#samples === blockSamples) found += this.#finishBlock()
    }
    return found
  }

  /** Goertzel's recurrence for all eight tones. */
  #accumulate(pcm: Int16Array, from: number, to: number): void {
    let energy = 0
    for (let i = from; i < to; i++) {
      const sample = pcm[i]!
      this.#block[this.#samples + i - from] = sample
      energy += sample * sample
    }
    this.#energy += energy
    for (let tone = 0; tone < 8; tone++) {
      const coefficient = coefficients[tone]!
      let one = this.#state1[tone]!
      let two = this.#state2[tone]!
      for (let i = from; i < to; i++) {
        const next = pcm[i]! + coefficient * one - two
        two = one
        one = next
      }
      this.#state1[tone] = one
      this.#state2[tone] = two
    }
  }

  #finishBlock(): string {
    const key = this.#energy < quietestPower * blockSamples ? '' : this.#classify()
    this.#state1.fill(0)
    this.#state2.fill(0)
    this.#energy = 0
    this.#samples = 0
    return this.#decide(key)
  }

  #classify(): string {
    const powers = this.#powers
    for (let tone = 0; tone < 8; tone++) {
      const one = this.#state1[tone]!
      const two = this.#state2[tone]!
      powers[tone] = one * one + two * two - coefficients[tone]! * one * two
    }
    const row = strongest(powers, 0)
    const column = strongest(powers, 4)
    const low = powers[row]!
    const high = powers[column]!
    if (low > high * lowStronger || high > low * highStronger) return ''
    if (!standsOut(powers, 0, row) || !standsOut(powers, 4, column)) return ''
    if ((low + high) * 2 < minShare * this.#energy * blockSamples) return ''
    // The second harmonic of a row tone is too close to a column tone, so the third is checked.
    if (goertzelPower(this.#block, goertzelCoefficient(3 * lowTones[row]!, rate)) > loudestOvertone * low) return ''
    if (goertzelPower(this.#block, goertzelCoefficient(2 * highTones[column - 4]!, rate)) > loudestOvertone * high) return ''
    return keys[row]!.charAt(column - 4)
  }

  /** A key begins when two blocks agree and ends when three do not: a click within a long press is not a second press. */
  #decide(key: string): string {
    this.#seen = key === this.#candidate ? this.#seen + 1 : 1
    this.#candidate = key
    if (this.#pressed !== '' && key !== this.#pressed) {
      this.#gone++
      if (this.#gone >= blocksToEnd) this.#pressed = ''
    } else this.#gone = 0
    if (key === '' || key === this.#pressed || this.#seen < blocksToBegin) return ''
    this.#pressed = key
    this.#gone = 0
    return key
  }
}

const strongest = (powers: Float64Array, from: number): number => {
  let best = from
  for (let tone = from + 1; tone < from + 4; tone++) if (powers[tone]! > powers[best]!) best = tone
  return best
}

const standsOut = (powers: Float64Array, from: number, best: number): boolean => {
  for (let tone = from; tone < from + 4; tone++) if (tone !== best && powers[tone]! * aboveNeighbour > powers[best]!) return false
  return true
}
