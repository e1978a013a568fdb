import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openConvolutions, packWeights, type ConvolutionShape, type Ending } from './convolution.ts'
import { WebAssembly } from './wasm.ts'

const leak = 0.1
const activated = (value: number): number => (value > 0 ? value : leak * value)
const wave = (nth: number): number => Math.sin(nth * 12.9898) * 0.7

/** Memory layout in floats; a channel has `stride` floats. */
const [stride, input, output, added, second, weights] = [256, 0, 4096, 8192, 12_288, 16_384]

/** By definition, one number after the other. */
const expectedOf = ({ taps, dilation, ending }: ConvolutionShape, floats: Float32Array, channel: number, inputs: number, place: number) => {
  let sum = wave(7000 + channel)
  for (let from = 0; from < inputs; from++)
    for (let tap = 0; tap < taps; tap++)
      sum += wave((channel * inputs + from) * taps + tap) * floats[input + from * stride + place + tap * dilation]!
  const at = channel * stride + place
  if (ending === 'plain') return { output: sum, second: floats[second + at]! }
  if (ending === 'activated') return { output: activated(sum), second: floats[second + at]! }
  const residual = sum + floats[added + at]!
  if (ending === 'residual') return { output: residual, second: activated(residual) }
  const summed = residual + floats[output + at]!
  if (ending === 'summed') return { output: summed, second: floats[second + at]! }
  return { output: floats[output + at]!, second: activated(summed / 3) }
}

const shapes = (['plain', 'activated', 'residual', 'summed', 'mean'] satisfies Ending[]).flatMap((ending): ConvolutionShape[] => [
  { rows: 4, taps: 11, dilation: 5, ending, leak },
  { rows: 2, taps: 3, dilation: 3, ending, leak },
  { rows: 1, taps: 7, dilation: 1, ending, leak },
])

for (const shape of shapes) {
  test(`${shape.rows} rows, ${shape.taps} taps, ${shape.ending}: matches the definition`, () => {
    const memory = new WebAssembly.Memory({ initial: 2 })
    const floats = new Float32Array(memory.buffer)
    for (let i = 0; i < weights; i++) floats[i] = wave(i + 0.5)
    const [inputs, outputs, length] = [3, 2 * shape.rows, 70]
    const packed = packWeights(
      shape,
      { input: inputs, output: outputs },
      (to, from, tap) => wave((to * inputs + from) * shape.taps + tap),
      (to) => wave(7000 + to),
    )
    floats.set(packed, weights)
    const before = floats.slice()
    const places = [input, weights, output, added, second].map((place) => place * 4) as [number, number, number, number, number]
    const run = openConvolutions(memory, shapes)(shape)
    run(places[0], stride * 4, inputs, places[1], places[2], stride * 4, outputs / shape.rows, length * 4, places[3], places[4])
    for (let channel = 0; channel < outputs; channel++)
      for (let place = 0; place < length; place++) {
        const expected = expectedOf(shape, before, channel, inputs, place)
        const at = channel * stride + place
        assert.ok(Math.abs(floats[output + at]! - expected.output) < 1e-4, `channel ${channel}, sample ${place}`)
        assert.ok(Math.abs(floats[second + at]! - expected.second) < 1e-4, `channel ${channel}, sample ${place}, second`)
      }
  })
}
