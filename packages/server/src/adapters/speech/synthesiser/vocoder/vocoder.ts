import type { ModelWeights } from '#adapters/speech/tensors.ts'
import {
  leak,
  openLayers,
  type Layers,
  type OpenLayer,
  type Stage,
  type Step,
  partOf,
  SignalMemory,
  widened,
  type Range,
  type Signal,
} from './layers.ts'

/** Latent frames of a sentence. */
export interface Latent {
  frames: number
  /** One row of all frames per channel. */
  values: Float32Array
}

/**
 * The last part of a voice: HiFi-GAN, which turns frames into sound. Any part of a sentence comes out the same whether made alone or with
 * others, because each layer computes as much as the next one looks at. ONNX Runtime would compute as much of every layer as the first one
 * needs, and is slow with few channels.
 */
export class Vocoder {
  readonly #memory = new SignalMemory()
  readonly #layers: Layers<OpenLayer>
  readonly #samplesPerFrame: number
  /** Memory from here on is reused. */
  readonly #free: number

  constructor(weights: ModelWeights) {
    this.#layers = openLayers(weights, this.#memory)
    this.#free = this.#memory.place
    this.#samplesPerFrame = this.#layers.stages.reduce((product, { times }) => product * times, 1)
  }

  /** Sound of these frames; samples are between -1 and 1. */
  sound(latent: Latent, from: number, to: number): Float32Array {
    const { stages, last } = this.#layers
    const wanted = { from: from * this.#samplesPerFrame, to: to * this.#samplesPerFrame }
    const [frames = wanted, ...ranges] = this.#rangesFor(widened(wanted, last.before, latent.frames * this.#samplesPerFrame), latent.frames)
    this.#memory.place = this.#free
    let signal = this.#begin(latent, frames)
    let length = latent.frames
    stages.forEach((stage, nth) => {
      length *= stage.times
      signal = this.#stage(stage, signal, ranges[nth] ?? wanted, length)
    })
    const sound = this.#memory.signal(1, wanted)
    this.#run(last, signal, sound)
    const begin = sound.address / 4
    const samples = this.#memory.floats.slice(begin, begin + wanted.to - wanted.from)
    for (let i = 0; i < samples.length; i++) samples[i] = limited(samples[i]!)
    return samples
  }

  /** The frames, and the samples of each stage, that these samples of the last stage need. */
  #rangesFor(last: Range, frames: number): Range[] {
    const ranges = [last]
    let needed = last
    let length = frames * this.#samplesPerFrame
    for (const { reach, times, early, upsample } of this.#layers.stages.toReversed()) {
      const { from, to } = widened(needed, reach, length)
      length /= times
      needed = {
        from: Math.max(0, Math.floor((from + early) / times) - upsample.before),
        to: Math.min(length, Math.floor((to - 1 + early) / times) + 1),
      }
      ranges.unshift(needed)
    }
    return ranges
  }

  #begin({ frames, values }: Latent, range: Range): Signal {
    const { first } = this.#layers
    const read = this.#memory.signal(first.input, widened(range, first.before, frames))
    const made = this.#memory.signal(first.output, range)
    for (let channel = 0; channel < read.channels; channel++) {
      const row = values.subarray(channel * frames + read.from, channel * frames + read.to)
      this.#memory.floats.set(row, (read.address + channel * read.stride) / 4)
    }
    this.#memory.silenceAround(read, frames)
    this.#run(first, read, made)
    this.#memory.silenceAround(made, frames)
    return made
  }

  #stage(stage: Stage<OpenLayer>, input: Signal, range: Range, length: number): Signal {
    const memory = this.#memory
    const wide = widened(range, stage.reach, length)
    const signal = (): Signal => memory.signal(stage.channels, wide)
    const result = partOf(signal(), range)
    const free = memory.place
    const sound = { raw: signal(), activated: signal() }
    const sum = partOf(signal(), range)
    const between = { raw: signal(), activated: signal(), far: signal() }
    this.#upsample(stage, input, sound.raw, sound.activated)
    memory.silenceAround(sound.activated, length)
    stage.blocks.forEach((steps, nth) => {
      let before = sound
      rangesOf(steps, range, length).forEach((made, place) => {
        const { far, near } = steps[place]!
        const isLast = place === steps.length - 1
        const seen = partOf(between.far, widened(made, near.before, length))
        this.#run(far, before.activated, seen)
        memory.silenceAround(seen, length)
        const activated = isLast && nth === stage.blocks.length - 1 ? result : partOf(between.activated, made)
        this.#run(near, seen, isLast ? sum : partOf(between.raw, made), partOf(before.raw, made), activated)
        memory.silenceAround(activated, length)
        before = { raw: between.raw, activated: partOf(between.activated, made) }
      })
    })
    memory.place = free
    return result
  }

  /** The layer makes separate channels: interleaves those of one signal. */
  #upsample({ upsample, times, early, channels }: Stage<OpenLayer>, input: Signal, raw: Signal, activated: Signal): void {
    const first = Math.floor((raw.from + early) / times)
    const apart = this.#memory.signal(channels * times, { from: first, to: Math.floor((raw.to - 1 + early) / times) + 1 })
    this.#run(upsample, input, apart)
    const { floats } = this.#memory
    for (let row = 0; row < apart.channels; row++) {
      const phase = row % times
      const channel = (row - phase) / times
      const source = (apart.address + row * apart.stride) / 4 - first
      const target = (raw.address + channel * raw.stride) / 4 - raw.from
      const activatedTarget = (activated.address + channel * activated.stride) / 4 - raw.from
      const from = Math.ceil((raw.from + early - phase) / times)
      for (let i = from, place = i * times + phase - early; place < raw.to; i++, place += times) {
        const value = floats[source + i]!
        floats[target + place] = value
        floats[activatedTarget + place] = value > 0 ? value : leak * value
      }
    }
  }

  #run({ shape, run, address, before, output }: OpenLayer, input: Signal, made: Signal, added = made, activated = made): void {
    const from = input.address + (made.from - before - input.from) * 4
    const length = (made.to - made.from) * 4
    const blocks = output / shape.rows
    run(from, input.stride, input.channels, address, made.address, made.stride, blocks, length, added.address, activated.address)
  }
}

/** The hyperbolic tangent: by a fraction where that is exact, since it takes a third of the time. */
const limited = (value: number): number => {
  const square = value * value
  if (square > 1) return Math.tanh(value)
  return (value * (10_395 + square * (1260 + 21 * square))) / (10_395 + square * (4725 + square * (210 + square)))
}

/** The range of each step that the last step needs. */
const rangesOf = (steps: readonly Step<OpenLayer>[], last: Range, length: number): Range[] => {
  const ranges = [last]
  for (const { far, near } of steps.slice(1).toReversed()) ranges.unshift(widened(ranges[0] ?? last, far.before + near.before, length))
  return ranges
}
