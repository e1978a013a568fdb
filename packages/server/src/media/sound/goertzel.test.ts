import assert from 'node:assert/strict'
import { test } from 'node:test'
import { goertzelCoefficient, goertzelPower } from './tone.ts'

const rate = 8000
const tone = Int16Array.from({ length: 800 }, (_, i) => 8000 * Math.sin((2 * Math.PI * 1000 * i) / rate))

test('the power of a full-window sine is its energy times half the length, and 0 at other frequencies', () => {
  const energy = tone.reduce((sum, sample) => sum + sample * sample, 0)
  const power = goertzelPower(tone, goertzelCoefficient(1000, rate))
  assert.ok(Math.abs(power / ((energy * tone.length) / 2) - 1) < 1e-3)
  assert.ok(goertzelPower(tone, goertzelCoefficient(1500, rate)) < 1e-4 * power)
})

test('counts only samples between the two positions', () => {
  const samples = new Int16Array(1600)
  samples.set(tone, 800)
  const coefficient = goertzelCoefficient(1000, rate)
  assert.equal(goertzelPower(samples, coefficient, 0, 800), 0)
  assert.equal(goertzelPower(samples, coefficient, 800), goertzelPower(tone, coefficient))
})
