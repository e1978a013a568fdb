import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wavPicture } from './wav-peaks.ts'

const wav = (channels: number, rate: number, samples: Int16Array, declared = samples.byteLength): Uint8Array => {
  const bytes = Buffer.alloc(44 + samples.byteLength)
  bytes.write('RIFF')
  bytes.write('WAVEfmt ', 8)
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(channels, 22)
  bytes.writeUInt32LE(rate, 24)
  bytes.writeUInt16LE(16, 34)
  bytes.write('data', 36)
  bytes.writeUInt32LE(declared, 40)
  bytes.set(new Uint8Array(samples.buffer), 44)
  return bytes
}

test('measures the loudness of each channel over time', () => {
  const seconds = 3
  const samples = Int16Array.from({ length: 8_000 * 2 * seconds }, (_, index) => (index % 2 === 0 ? 16_384 : index < 16_000 ? 0 : -8_192))
  const { peaks, seconds: length } = wavPicture(wav(2, 8_000, samples))
  assert.equal(length, seconds)
  const [left = new Float32Array(), right = new Float32Array()] = peaks
  assert.ok(left.every((peak) => peak === 0.5))
  assert.equal(right[0], 0)
  assert.equal(right.at(-1), -0.25)
  assert.ok(left.length <= 1_200)
})

test('reads the existing part of a truncated file', () => {
  assert.equal(wavPicture(wav(1, 8_000, new Int16Array(8_000), 0xff_ff_ff_00)).seconds, 1)
})

test('rejects other files', () => {
  assert.throws(() => wavPicture(new Uint8Array(100)), /no 16 bit WAV/)
})
