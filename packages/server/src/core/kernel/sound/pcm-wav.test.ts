import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wavFile } from '#media/sound/wav.ts'
import { decodeBase64, readPcmWav, toSamples } from './pcm-wav.ts'

const samples = Int16Array.from({ length: 100 }, (_, index) => index * 300 - 15_000)
const file = Buffer.from(wavFile(samples, 16_000))

test('reads a file with its rate and samples', () => {
  const { rate, samples: bytes } = readPcmWav(file, { rates: [8000, 16_000] })
  assert.equal(rate, 16_000)
  assert.deepEqual(toSamples(bytes), samples)
})

test('rejects other rates and names the rate found', () => {
  assert.throws(() => readPcmWav(file, { rates: [8000, 11_025] }), {
    name: 'WavRefused',
    message: 'must be a WAV file with 16-bit PCM, mono, 8000 or 11025 Hz; found 16-bit PCM, mono, 16000 Hz',
  })
})

test('reads a file of unknown length only with `endless`', () => {
  const piped = Buffer.from(file)
  piped.writeUInt32LE(0xffffffff, 40)
  assert.throws(() => readPcmWav(piped, { rates: [16_000] }), /cut off/)
  assert.equal(readPcmWav(piped, { rates: [16_000], endless: true }).samples.length, 200)
})

test('rejects invalid base64', () => {
  assert.deepEqual(decodeBase64(file.toString('base64')), file)
  for (const content of ['?', 'AAA', 'AAAA AAAA', file.toString('base64url')]) assert.throws(() => decodeBase64(content), /base64/, content)
})
