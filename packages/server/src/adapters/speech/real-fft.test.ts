import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomOf } from '#test/sound/spectrum.ts'
import { RealFft } from './real-fft.ts'

/** Powers of two, and the size of a 25 ms window at 16 kHz. */
const sizes = [2, 64, 6, 50, 400]
const soundOf = (size: number): Float64Array => {
  const random = randomOf(3)
  return Float64Array.from({ length: size }, () => random() - 0.5)
}

for (const size of sizes) {
  test(`${size} samples: computes the spectrum by its definition, at any offset`, () => {
    const fft = new RealFft(size)
    const sound = soundOf(size)
    const [real, imaginary] = [new Float64Array(5 + fft.bins), new Float64Array(5 + fft.bins)]
    fft.forward(sound, real, imaginary, 5)
    for (let k = 0; k < fft.bins; k++) {
      const angle = (i: number): number => (2 * Math.PI * k * i) / size
      assert.ok(Math.abs(real[5 + k]! - sound.reduce((sum, x, i) => sum + x * Math.cos(angle(i)), 0)) < 1e-9)
      assert.ok(Math.abs(imaginary[5 + k]! + sound.reduce((sum, x, i) => sum + x * Math.sin(angle(i)), 0)) < 1e-9)
    }
  })

  test(`${size} samples: restores the sound from its spectrum`, () => {
    const fft = new RealFft(size)
    const sound = soundOf(size)
    const [real, imaginary, again] = [new Float64Array(fft.bins), new Float64Array(fft.bins), new Float64Array(size)]
    fft.forward(sound, real, imaginary)
    fft.inverse(real, imaginary, again)
    for (let i = 0; i < size; i++) assert.ok(Math.abs(again[i]! - sound[i]!) < 1e-12)
  })
}
