import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toneLevel } from '#test/sound/spectrum.ts'
import { createCodec } from './create-codec.ts'
import { prepareOpus } from './opus.ts'
import { sine } from '../sound/tone.ts'

const expected = {
  PCMA: { clockRate: 8000, sampleRate: 8000 },
  PCMU: { clockRate: 8000, sampleRate: 8000 },
  G722: { clockRate: 8000, sampleRate: 16_000 },
  opus: { clockRate: 48_000, sampleRate: 16_000 },
} as const

for (const [name, { clockRate, sampleRate }] of Object.entries(expected) as [
  keyof typeof expected,
  { clockRate: number; sampleRate: number },
][]) {
  test(`${name}: has its rates and passes a tone in frames of 20 ms`, async (t) => {
    await prepareOpus(1)
    const codec = createCodec(name)
    t.after(() => codec.close())
    assert.deepEqual([codec.name, codec.clockRate, codec.sampleRate], [name, clockRate, sampleRate])
    const frame = sampleRate / 50
    const pcm = sine([1000], 500, sampleRate, -12)
    const heard = new Int16Array(pcm.length)
    const bytes = new Uint8Array(1500)
    for (let at = 0; at < pcm.length; at += frame) {
      const length = codec.encode(pcm.subarray(at, at + frame), bytes, 12)
      assert.equal(codec.samples(bytes, 12, 12 + length), frame)
      assert.equal(codec.decode(bytes, 12, 12 + length, heard, at), frame)
    }
    const middle = heard.subarray(sampleRate / 5, (2 * sampleRate) / 5)
    assert.ok(Math.abs(toneLevel(middle, 1000, sampleRate) + 12) < 2)
  })
}
