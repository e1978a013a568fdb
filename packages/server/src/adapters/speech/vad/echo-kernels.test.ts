import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openEchoKernels } from './echo-canceller.ts'

const [parts, bins, steadiness, overlap] = [3, 9, 0.9, 0.5]
const wave = (nth: number): number => Math.sin(nth * 12.9898) * 0.7
/** The sent sound is in a ring: its part index differs from that of the path. */
const [sentPart, pathPart] = [2, 1]

const opened = () => {
  const kernels = openEchoKernels({ parts, bins, steadiness, overlap })
  const { kept, real, imaginary, spread, share, uncertainty } = kernels
  ;[kept, real, imaginary, spread, share].forEach((numbers, nth) => numbers.forEach((_, i) => (numbers[i] = wave(1000 * nth + i))))
  uncertainty.forEach((_, i) => (uncertainty[i] = 0.5 + wave(i) / 4))
  const before = {
    sentReal: kernels.sentReal.slice(),
    sentImaginary: kernels.sentImaginary.slice(),
    pathReal: kernels.pathReal.slice(),
    pathImaginary: kernels.pathImaginary.slice(),
    uncertainty: uncertainty.slice(),
    real: real.slice(),
    imaginary: imaginary.slice(),
    spread: spread.slice(),
  }
  return { kernels, before }
}
const near = (value: number | undefined, expected: number, what: string): void =>
  assert.ok(Math.abs(value! - expected) < 1e-6, `${what}: ${value} instead of ${expected}`)

test('predict adds the echo of a part and its uncertainty as defined', () => {
  const { kernels, before } = opened()
  kernels.predict(sentPart, pathPart)
  for (let k = 0; k < bins; k++) {
    const [s, w] = [sentPart * kernels.stride + k, pathPart * kernels.stride + k]
    const [a, b, c, d] = [before.sentReal[s]!, before.sentImaginary[s]!, before.pathReal[w]!, before.pathImaginary[w]!]
    near(kernels.real[k], before.real[k]! + a * c - b * d, `real ${k}`)
    near(kernels.imaginary[k], before.imaginary[k]! + a * d + b * c, `imaginary ${k}`)
    near(kernels.spread[k], before.spread[k]! + (a * a + b * b) * before.uncertainty[w]!, `spread ${k}`)
  }
})

test('learn updates one part as defined and leaves the others unchanged', () => {
  const { kernels, before } = opened()
  const { stride } = kernels
  kernels.learn(sentPart, pathPart)
  for (let k = 0; k < bins; k++) {
    const [s, w] = [sentPart * stride + k, pathPart * stride + k]
    const [a, b, known] = [before.sentReal[s]!, before.sentImaginary[s]!, before.uncertainty[w]!]
    const step = known * kernels.share[k]!
    const re = before.pathReal[w]! + step * (a * before.real[k]! + b * before.imaginary[k]!)
    const im = before.pathImaginary[w]! + step * (a * before.imaginary[k]! - b * before.real[k]!)
    const after = (1 - overlap * step * (a * a + b * b)) * known
    near(kernels.pathReal[w], steadiness * re, `real ${k}`)
    near(kernels.pathImaginary[w], steadiness * im, `imaginary ${k}`)
    near(kernels.uncertainty[w], steadiness ** 2 * after + (1 - steadiness ** 2) * (re * re + im * im), `uncertainty ${k}`)
  }
  for (const name of ['pathReal', 'pathImaginary', 'uncertainty'] as const)
    for (const part of [0, 2]) {
      const [from, to] = [part * stride, (part + 1) * stride]
      assert.deepEqual(kernels[name].slice(from, to), before[name].slice(from, to), `${name} of part ${part}`)
    }
})
