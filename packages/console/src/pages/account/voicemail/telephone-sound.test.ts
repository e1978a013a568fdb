import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromBase64, maxSeconds, secondsOf, toBase64, wavOf } from './telephone-sound.ts'

test('converts samples to WAV, 16 bit and 8 kHz; clips instead of wrapping', () => {
  const wav = wavOf(Float32Array.of(0, 1, -1, 2, -2, 0.5))
  const view = new DataView(wav.buffer)
  assert.equal(new TextDecoder().decode(wav.subarray(0, 16)).replaceAll(/[^A-Za-z ]/g, ''), 'RIFFWAVEfmt ')
  assert.deepEqual([view.getUint16(22, true), view.getUint32(24, true), view.getUint16(34, true)], [1, 8000, 16])
  const samples = [0, 1, 2, 3, 4, 5].map((index) => view.getInt16(44 + index * 2, true))
  assert.deepEqual(samples, [0, 32_767, -32_767, 32_767, -32_767, 16_384])
})

test('round-trips long audio', () => {
  const wav = wavOf(new Float32Array(8000 * 3).fill(0.25))
  assert.equal(secondsOf(wav), 3)
  assert.deepEqual(fromBase64(toBase64(wav)), wav)
  assert.equal(maxSeconds, 131)
})
