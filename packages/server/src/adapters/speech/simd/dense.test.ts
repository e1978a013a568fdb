import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDense, concurrentOutputs, packDense, type DenseShape } from './dense.ts'
import { WebAssembly } from './wasm.ts'

const wave = (nth: number): number => Math.sin(nth * 12.9898) * 0.7
/** Memory layout in floats. Rows of inputs overlap. */
const [input, inputStride, output, outputStride, weights] = [0, 5, 1024, 256, 4096]
const [inputs, outputs] = [37, 50]

const shapes = ([1, 2, 4] as const).flatMap((rows): DenseShape[] => [
  { rows, rectified: false },
  { rows, rectified: true },
])

for (const shape of shapes) {
  test(`${shape.rows} rows${shape.rectified ? ', rectified' : ''}: matches the definition`, () => {
    const memory = new WebAssembly.Memory({ initial: 1 })
    const floats = new Float32Array(memory.buffer)
    for (let i = 0; i < output; i++) floats[i] = wave(i + 0.5)
    const packed = packDense(
      shape,
      { inputs, outputs },
      (to, from) => wave(to * inputs + from),
      (to) => wave(9000 + to),
    )
    floats.set(packed, weights)
    const run = openDense(memory, shapes)(shape)
    const blocks = Math.ceil(outputs / concurrentOutputs(shape))
    run(input * 4, inputStride * 4, inputs, weights * 4, output * 4, outputStride * 4, blocks)
    for (let row = 0; row < shape.rows; row++)
      for (let to = 0; to < outputs; to++) {
        let sum = wave(9000 + to)
        for (let from = 0; from < inputs; from++) sum += wave(to * inputs + from) * floats[input + row * inputStride + from]!
        const expected = shape.rectified ? Math.max(0, sum) : sum
        assert.ok(Math.abs(floats[output + row * outputStride + to]! - expected) < 1e-4, `row ${row}, output ${to}`)
      }
  })
}
