import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toneLevel } from '#test/sound/spectrum.ts'
import { G711 } from '../codec/g711.ts'
import { sine } from './tone.ts'
import { maxWavBytes, readSound, readWav, wavFile, WavError } from './wav.ts'

const little = (value: number, bytes: number): number[] => Array.from({ length: bytes }, (_, i) => (value / 2 ** (8 * i)) & 0xff)
const chunk = (tag: string, data: number[], size = data.length): number[] => [
  ...Buffer.from(tag),
  ...little(size, 4),
  ...data,
  ...(data.length % 2 ? [0] : []),
]
const format = (code: number, channels: number, rate: number, bits: number): number[] => [
  ...little(code, 2),
  ...little(channels, 2),
  ...little(rate, 4),
  ...little((rate * channels * bits) / 8, 4),
  ...little((channels * bits) / 8, 2),
  ...little(bits, 2),
]
const file = (...chunks: number[][]): Uint8Array => {
  const body = [...Buffer.from('WAVE'), ...chunks.flat()]
  return Uint8Array.from([...Buffer.from('RIFF'), ...little(body.length, 4), ...body])
}
const samples16 = (...samples: number[]): number[] => samples.flatMap((sample) => little(sample & 0xffff, 2))

test('reads 16 bit PCM unchanged, one channel or two', () => {
  const mono = readWav(file(chunk('fmt ', format(1, 1, 8000, 16)), chunk('data', samples16(1, -2, 32767, -32768))))
  assert.deepEqual(mono, { rate: 8000, samples: Int16Array.of(1, -2, 32767, -32768) })
  const stereo = readWav(file(chunk('fmt ', format(1, 2, 16_000, 16)), chunk('data', samples16(100, 300, -32768, -32768))))
  assert.deepEqual(stereo, { rate: 16_000, samples: Int16Array.of(200, -32768) })
})

test('reads 8 bit PCM, A-law, µ-law and the extensible format', () => {
  assert.deepEqual([...readWav(file(chunk('fmt ', format(1, 1, 8000, 8)), chunk('data', [0, 128, 255]))).samples], [-32768, 0, 32512])
  for (const [code, name] of [
    [6, 'PCMA'],
    [7, 'PCMU'],
  ] as const) {
    const expected = new Int16Array(3)
    new G711(name).decode(Uint8Array.of(1, 100, 200), 0, 3, expected, 0)
    assert.deepEqual(readWav(file(chunk('fmt ', [...format(code, 1, 8000, 8), 0, 0]), chunk('data', [1, 100, 200]))).samples, expected)
    const long = [...format(0xfffe, 1, 8000, 8), 22, 0, 8, 0, 4, 0, 0, 0, code, 0, ...Array.from({ length: 14 }, () => 0)]
    assert.deepEqual(readWav(file(chunk('fmt ', long), chunk('data', [1, 100, 200]))).samples, expected)
  }
})

test('skips unrelated chunks, also of odd length', () => {
  const wav = file(
    chunk('LIST', [1, 2, 3]),
    chunk('fmt ', format(1, 1, 8000, 16)),
    chunk('fact', [0, 0, 0, 0]),
    chunk('data', samples16(7)),
    chunk('id3 ', [9]),
  )
  assert.deepEqual([...readWav(wav).samples], [7])
})

test('uses the actual length when the header has none', () => {
  for (const size of [0xffffffff, 0x7fffffff, 5000]) {
    assert.deepEqual(
      [...readWav(file(chunk('fmt ', format(1, 1, 8000, 16)), chunk('data', [...samples16(7, 8), 1], size)).slice(0, -1)).samples],
      [7, 8],
    )
  }
})

test('rejects unplayable files with a reason', () => {
  const fmt = chunk('fmt ', format(1, 1, 8000, 16))
  const refusals: [Uint8Array, RegExp][] = [
    [new Uint8Array(0), /not a WAV/],
    [Buffer.from('OggS not a wave file at all'), /not a WAV/],
    [Buffer.from('RIFF....AVI '), /not a WAV/],
    [file(), /does not say/],
    [file(fmt), /no audio/],
    [file(chunk('data', [1, 2]), fmt), /before the description/],
    [file(fmt, chunk('data', [])), /no audio/],
    [file(fmt, chunk('data', [1])), /no audio/],
    [file(chunk('fmt ', [1, 0, 1, 0])), /cut off/],
    [file(chunk('fmt ', format(0xfffe, 1, 8000, 16))), /cut off/],
    [file(chunk('fmt ', format(3, 1, 8000, 32)), chunk('data', [1, 2, 3, 4])), /format 3 with 32 bits/],
    [file(chunk('fmt ', format(85, 2, 44_100, 0)), chunk('data', [1, 2])), /format 85/],
    [file(chunk('fmt ', format(1, 6, 8000, 16)), chunk('data', [1, 2])), /6 channels/],
    [file(chunk('fmt ', format(1, 0, 8000, 16)), chunk('data', [1, 2])), /0 channels/],
    [file(chunk('fmt ', format(1, 1, 0, 16)), chunk('data', [1, 2])), /rate of 0 Hz/],
    [file(chunk('fmt ', format(1, 1, 47_999, 16)), chunk('data', [1, 2])), /rate of 47999 Hz/],
    [new Uint8Array(maxWavBytes + 1), /more than/],
    [file(chunk('LIST', [1, 2], 0xfffffff0), fmt), /does not say/],
    [file(...Array.from({ length: 1001 }, () => chunk('junk', [])), fmt, chunk('data', [1, 2])), /does not say/],
  ]
  for (const [bytes, reason] of refusals)
    assert.throws(
      () => readWav(bytes),
      (error) => error instanceof WavError && reason.test(error.message),
      String(reason),
    )
  const long = Buffer.concat([
    file(chunk('fmt ', format(6, 1, 8000, 8))),
    Buffer.from([...Buffer.from('data'), ...little(601 * 8000, 4)]),
    Buffer.alloc(601 * 8000),
  ])
  assert.throws(() => readWav(long), /longer than 600 seconds/)
})

test('resamples a sound to the wanted rate', () => {
  const cd = wavFile(sine([1000], 300, 44_100, -6), 44_100)
  const sound = readSound(cd, 8000)
  assert.equal(sound.length, 2400)
  assert.ok(Math.abs(toneLevel(sound.subarray(400, 2000), 1000, 8000) + 6) < 0.2)
})

test('reads the file that it wrote', () => {
  const samples = sine([440], 50, 8000)
  assert.deepEqual(readWav(wavFile(samples, 8000)), { rate: 8000, samples })
})
