import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logMel, melBands } from './mel.ts'

test('a tone appears in its band, followed by silence', () => {
  const frames = 60
  const tone = Float32Array.from({ length: 4_801 }, (_, i) => Math.sin((2 * Math.PI * 1_000 * i) / 16_000))
  const mel = logMel(tone, frames)
  const column = (frame: number): number[] => Array.from({ length: melBands }, (_, band) => mel[band * frames + frame] ?? 0)
  const loudest = column(15).indexOf(Math.max(...column(15)))
  assert.ok(loudest >= 24 && loudest <= 27, `${loudest}`)
  // Values 80 dB or more below the loudest become the same silence.
  assert.equal(new Set(column(50)).size, 1)
  assert.ok(Math.abs(Math.max(...column(15)) - 2 - (column(50)[0] ?? 0)) < 0.01)
})
