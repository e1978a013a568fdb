import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logMel, melBands } from './mel.ts'
import { PackedSpectrum, spectrumBins, spectrumSize } from './packed-spectrum.ts'

const powerByDefinition = (frame: Float64Array, bin: number): number => {
  let [re, im] = [0, 0]
  for (const [i, sample] of frame.entries()) {
    re += sample * Math.cos((2 * Math.PI * bin * i) / spectrumSize)
    im -= sample * Math.sin((2 * Math.PI * bin * i) / spectrumSize)
  }
  return re ** 2 + im ** 2
}

test('two spectra at once are the same as each by its definition', () => {
  const spectrum = new PackedSpectrum()
  for (let i = 0; i < spectrumSize; i++) {
    spectrum.first[i] = Math.sin(i * i)
    spectrum.second[i] = Math.cos(3 * i) + 0.1
  }
  spectrum.transform()
  const power = new Float64Array(spectrumBins)
  for (const which of ['first', 'second'] as const) {
    spectrum.power(which, power)
    for (const bin of [0, 1, 17, 100, 199, 200]) {
      const expected = powerByDefinition(spectrum[which], bin)
      assert.ok(Math.abs((power[bin] ?? 0) - expected) < 1e-6 * (1 + expected), `${which}, ${bin}`)
    }
  }
})

test('a tone is in its band, and after the sound there is silence', () => {
  const frames = 60
  const tone = Float32Array.from({ length: 4_801 }, (_, i) => Math.sin((2 * Math.PI * 1_000 * i) / 16_000))
  const mel = logMel(tone, frames)
  const column = (frame: number): number[] => Array.from({ length: melBands }, (_, band) => mel[band * frames + frame] ?? 0)
  const loudest = column(15).indexOf(Math.max(...column(15)))
  assert.ok(loudest >= 24 && loudest <= 27, `${loudest}`)
  // All that is 80 dB below the loudest is the same silence.
  assert.equal(new Set(column(50)).size, 1)
  assert.ok(Math.abs(Math.max(...column(15)) - 2 - (column(50)[0] ?? 0)) < 0.01)
})
