import assert from 'node:assert/strict'
import { test } from 'node:test'
import { G711, g711Silence } from './g711.ts'

const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte)
const everySample = Int16Array.from({ length: 65536 }, (_, index) => index - 32768)

for (const name of ['PCMA', 'PCMU'] as const) {
  test(`${name}: decoding and encoding a code word returns the same level`, () => {
    const codec = new G711(name)
    const levels = new Int16Array(256)
    assert.equal(codec.decode(everyByte, 0, 256, levels, 0), 256)
    const bytes = new Uint8Array(256)
    assert.equal(codec.encode(levels, bytes, 0), 256)
    const again = new Int16Array(256)
    codec.decode(bytes, 0, 256, again, 0)
    assert.deepEqual(again, levels)
    assert.equal(new Set(levels).size, name === 'PCMA' ? 256 : 255, 'µ-law knows zero twice')
  })

  test(`${name}: stays within half a quantisation step and monotonic`, () => {
    const codec = new G711(name)
    const bytes = new Uint8Array(65536)
    codec.encode(everySample, bytes, 0)
    const levels = new Int16Array(65536)
    codec.decode(bytes, 0, 65536, levels, 0)
    for (let i = 0; i < 65536; i++) {
      const sample = everySample[i]!
      const clipped = Math.max(-32256, Math.min(32256, sample))
      assert.ok(Math.abs(levels[i]! - clipped) <= Math.max(8, (Math.abs(sample) + 133) / 32), `${sample} became ${levels[i]}`)
      if (i > 0) assert.ok(levels[i]! >= levels[i - 1]!, `${sample} is quieter than the sample below it`)
    }
  })

  test(`${name}: encodes silence as the silence code word`, () => {
    const bytes = new Uint8Array(1)
    new G711(name).encode(new Int16Array(1), bytes, 0)
    assert.equal(bytes[0], g711Silence[name])
  })

  test(`${name}: writes at the given offset and never behind the end`, () => {
    const codec = new G711(name)
    const pcm = new Int16Array(6)
    assert.equal(codec.decode(everyByte, 100, 200, pcm, 2), 4)
    assert.deepEqual([...pcm.subarray(0, 2)], [0, 0])
    const bytes = new Uint8Array(4)
    assert.equal(codec.encode(Int16Array.of(1000, -1000), bytes, 1), 2)
    assert.equal(bytes[0], 0)
    assert.equal(bytes[3], 0)
  })
}

test('decodes the digital milliwatt of G.711 to a sine of 1000 Hz, 3.14 dB (A) and 3.17 dB (µ) below full scale', () => {
  const sequences = {
    PCMA: [0x34, 0x21, 0x21, 0x34, 0xb4, 0xa1, 0xa1, 0xb4],
    PCMU: [0x1e, 0x0b, 0x0b, 0x1e, 0x9e, 0x8b, 0x8b, 0x9e],
  }
  for (const [name, bytes] of Object.entries(sequences) as ['PCMA' | 'PCMU', number[]][]) {
    const pcm = new Int16Array(8)
    new G711(name).decode(Uint8Array.from(bytes), 0, 8, pcm, 0)
    const power = pcm.reduce((sum, sample) => sum + sample * sample, 0) / 8
    const fullScale = name === 'PCMA' ? 32768 : 32636
    const level = 10 * Math.log10(power / (fullScale ** 2 / 2))
    assert.ok(Math.abs(level + (name === 'PCMA' ? 3.14 : 3.17)) < 0.05, `${name}: ${level} dB`)
    for (let i = 0; i < 4; i++) assert.equal(pcm[i], -pcm[i + 4]!)
  }
})
