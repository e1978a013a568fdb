import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Weights } from '#adapters/speech/tensors.ts'
import { Vocoder } from './vocoder.ts'

/** One row of samples per channel. */
type Rows = number[][]

const stages = [
  { times: 8, taps: 16, channels: 8 },
  { times: 8, taps: 16, channels: 4 },
  { times: 2, taps: 8, channels: 4 },
  { times: 2, taps: 2, channels: 2 },
  { times: 2, taps: 2, channels: 2 },
]
const kernels = [3, 7, 11]
const dilations = [1, 3, 5]

/** A small voice with reproducible random weights. */
const madeUpWeights = (): Map<string, Weights> => {
  let seed = 1
  const chance = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647 - 0.5
  const weights = new Map<string, Weights>()
  const add = (name: string, ...dimensions: number[]): void => {
    const length = dimensions.reduce((product, size) => product * size, 1)
    // Keeps the level about the same across a layer.
    const scale = Math.sqrt(16 / (dimensions.length > 1 ? length / dimensions[0]! : 16))
    weights.set(name, { dimensions, values: Float32Array.from({ length }, () => chance() * scale) })
  }
  const both = (name: string, channels: number, ...dimensions: number[]): void => {
    add(`${name}.weight`, ...dimensions)
    add(`${name}.bias`, channels)
  }
  add('emb_g.weight', 1, 5)
  both('dec.cond', 8, 8, 5, 1)
  both('dec.conv_pre', 8, 8, 4, 7)
  stages.forEach(({ taps, channels }, nth) => {
    both(`dec.ups.${nth}`, channels, stages[nth - 1]?.channels ?? 8, channels, taps)
    kernels.forEach((kernel, block) =>
      dilations.forEach((_, place) => {
        for (const half of ['convs1', 'convs2'])
          both(`dec.resblocks.${nth * 3 + block}.${half}.${place}`, channels, channels, channels, kernel)
      }),
    )
  })
  add('dec.conv_post.weight', 1, 2, 7)
  return weights
}

const weights = madeUpWeights()
const numbers = (name: string): Float32Array => weights.get(name)?.values ?? new Float32Array(99)
const leaky = (rows: Rows, leak = 0.1): Rows => rows.map((row) => row.map((value) => (value > 0 ? value : leak * value)))
const sum = (one: Rows, other: Rows): Rows => one.map((row, channel) => row.map((value, i) => value + other[channel]![i]!))

/** Reference by definition: the whole sentence, one number after the other. */
const convolved = (input: Rows, name: string, outputs: number, taps: number, dilation = 1): Rows => {
  const [factors, bias] = [numbers(`${name}.weight`), numbers(`${name}.bias`)]
  return Array.from({ length: outputs }, (_, to) =>
    input[0]!.map((_, i) => {
      let value = bias[to]!
      input.forEach((row, from) => {
        for (let tap = 0; tap < taps; tap++)
          value += factors[(to * input.length + from) * taps + tap]! * (row[i + (tap - (taps - 1) / 2) * dilation] ?? 0)
      })
      return value
    }),
  )
}

const upsampled = (input: Rows, name: string, { times, taps, channels }: (typeof stages)[number]): Rows => {
  const [factors, bias] = [numbers(`${name}.weight`), numbers(`${name}.bias`)]
  const length = input[0]!.length * times
  const made = Array.from({ length: channels }, (_, to) => Array.from({ length }, () => bias[to]!))
  input.forEach((row, from) =>
    row.forEach((value, i) =>
      made.forEach((target, to) => {
        for (let tap = 0; tap < taps; tap++) {
          const place = i * times + tap - (taps - times) / 2
          if (place >= 0 && place < length) target[place]! += value * factors[(from * channels + to) * taps + tap]!
        }
      }),
    ),
  )
  return made
}

const blockOf = (sound: Rows, name: string, channels: number, taps: number): Rows =>
  dilations.reduce((before, dilation, place) => {
    const far = convolved(leaky(before), `${name}.convs1.${place}`, channels, taps, dilation)
    return sum(before, convolved(leaky(far), `${name}.convs2.${place}`, channels, taps))
  }, sound)

const soundOf = (latent: Rows): number[] => {
  const speaker = numbers('dec.cond.bias').map((value, row) =>
    numbers('emb_g.weight').reduce((all, one, column) => all + one * numbers('dec.cond.weight')[row * 5 + column]!, value),
  )
  let sound = convolved(latent, 'dec.conv_pre', 8, 7).map((row, channel) => row.map((value) => value + speaker[channel]!))
  stages.forEach((stage, nth) => {
    const begun = upsampled(leaky(sound), `dec.ups.${nth}`, stage)
    const blocks = kernels.map((taps, block) => blockOf(begun, `dec.resblocks.${nth * 3 + block}`, stage.channels, taps))
    sound = blocks.reduce(sum).map((row) => row.map((value) => value / 3))
  })
  weights.set('dec.conv_post.bias', { dimensions: [1], values: Float32Array.of(0) })
  return convolved(leaky(sound, 0.01), 'dec.conv_post', 1, 7)[0]!.map(Math.tanh)
}

const frames = 4
const latent = Array.from({ length: 4 }, (_, channel) => Array.from({ length: frames }, (_, i) => Math.sin(i * 3.7 + channel)))
const values = Float32Array.from(latent.flat())

test('the vocoder computes its layers, for the whole and for any part', () => {
  const whole = soundOf(latent)
  const vocoder = new Vocoder(madeUpWeights())
  const loudest = Math.max(...whole.map(Math.abs))
  assert.ok(loudest > 0.01)
  for (const [from, to] of [
    [0, frames],
    [0, 1],
    [1, 2],
    [2, frames],
    [3, frames],
  ] as const) {
    const part = vocoder.sound({ frames, values }, from, to)
    assert.equal(part.length, (to - from) * 512)
    part.forEach((value, i) => assert.ok(Math.abs(value - whole[from * 512 + i]!) < 1e-4 * loudest, `frames ${from} to ${to}, sample ${i}`))
  }
})

test('rejects a model with a missing layer', () => {
  const missing = madeUpWeights()
  missing.delete('dec.ups.3.weight')
  assert.throws(() => new Vocoder(missing), /has no dec\.ups\.3\.weight/)
})
