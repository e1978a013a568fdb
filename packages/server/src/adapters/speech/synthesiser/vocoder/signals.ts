import { maxBehind } from '#adapters/speech/simd/convolution.ts'
import { pagesFor, WebAssembly } from '#adapters/speech/simd/web-assembly.ts'

/** Samples from one to before another, counted from the beginning of the sentence. */
export interface Range {
  from: number
  to: number
}

/** Some channels of the same samples, in the memory of the kernels. */
export interface Signal extends Range {
  channels: number
  /** Where the first sample of the first channel lies, and how far behind it that of the next; in bytes. */
  address: number
  stride: number
}

/** So much silence there is before and after a sentence: as far as any convolution looks. */
const margin = 32
const behind = margin + maxBehind

export const widened = ({ from, to }: Range, by: number, length: number): Range => ({
  from: Math.max(0, from - by),
  to: Math.min(length, to + by),
})

/** A smaller part of the same. */
export const partOf = (signal: Signal, { from, to }: Range): Signal => ({
  ...signal,
  from,
  to,
  address: signal.address + (from - signal.from) * 4,
})

/** Memory for signals, behind what is kept in it for good. It is given out one after the other, and again from a place that was noted. */
export class SignalMemory {
  readonly memory = new WebAssembly.Memory({ initial: 1 })
  floats = new Float32Array(this.memory.buffer)
  #next = 0

  get place(): number {
    return this.#next
  }

  set place(place: number) {
    this.#next = place
  }

  keep(values: Float32Array): number {
    const address = this.#take(values.length)
    this.floats.set(values, address / 4)
    return address
  }

  signal(channels: number, { from, to }: Range): Signal {
    const row = margin + Math.ceil((to - from) / 4) * 4 + behind
    const address = this.#take(channels * row)
    return { channels, from, to, address: address + margin * 4, stride: row * 4 }
  }

  /** Before and after the sentence there is silence. */
  silenceAround({ channels, address, stride, from, to }: Signal, length: number): void {
    for (let channel = 0; channel < channels; channel++) {
      const begin = (address + channel * stride) / 4
      const end = begin + to - from
      if (from === 0) this.floats.fill(0, begin - margin, begin)
      if (to === length) this.floats.fill(0, end, end + margin)
    }
  }

  #take(count: number): number {
    const address = this.#next
    this.#next += Math.ceil(count / 4) * 16
    const missing = this.#next - this.memory.buffer.byteLength
    if (missing > 0) {
      this.memory.grow(pagesFor(missing))
      this.floats = new Float32Array(this.memory.buffer)
    }
    return address
  }
}
