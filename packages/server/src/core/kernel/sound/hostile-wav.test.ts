import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import { wavFile } from '#media/sound/wav.ts'
import { readPcmWav, WavRefused } from './pcm-wav.ts'

const strict = { rates: [8000], maxSeconds: 600, headBytes: 64 * 1024 }
const good = Buffer.from(
  wavFile(
    Int16Array.from({ length: 100 }, (_, i) => i * 100),
    8000,
  ),
)

const changed = (change: (file: Buffer) => void): Buffer => {
  const copy = Buffer.from(good)
  change(copy)
  return copy
}

const chunk = (id: string, bytes: Uint8Array, size = bytes.length): Buffer => {
  const head = Buffer.alloc(8)
  head.write(id, 0, 'latin1')
  head.writeUInt32LE(size, 4)
  return Buffer.concat([head, bytes])
}

/** Format chunk of the good file with another coding. */
const format = (code: number, subformat = ''): Buffer => {
  const fmt = Buffer.from(good.subarray(20, 36))
  fmt.writeUInt16LE(code, 0)
  return Buffer.concat([fmt, Buffer.from('16001000', 'hex'), Buffer.from('04000000', 'hex'), Buffer.from(subformat, 'hex')])
}

const file = (...chunks: Buffer[]): Buffer => Buffer.concat([good.subarray(0, 12), ...chunks])
const sound = chunk('data', good.subarray(44))
const fmt = chunk('fmt ', good.subarray(20, 36))
const pcm = '0100000000001000800000aa00389b71'
const float = '0300000000001000800000aa00389b71'

const says = (bytes: Buffer, what: RegExp): void => assert.throws(() => readPcmWav(bytes, strict), { name: 'WavRefused', message: what })

test('accepts plain and extensible 16-bit PCM, mono, 8 kHz, with additional chunks', () => {
  for (const bytes of [
    good,
    file(chunk('fmt ', format(0xfffe, pcm)), sound),
    file(chunk('LIST', Buffer.alloc(60_000)), fmt, chunk('odd ', Buffer.alloc(4)), sound, chunk('id3 ', Buffer.alloc(99))),
  ])
    assert.equal(readPcmWav(bytes, strict).samples.length, 200)
})

test('rejects wrong lengths', () => {
  says(
    changed((f) => f.writeUInt32LE(0xffffffff, 40)),
    /cut off/,
  )
  says(
    changed((f) => f.writeUInt32LE(0, 40)),
    /empty/,
  )
  says(
    changed((f) => f.writeUInt32LE(199, 40)),
    /middle of a sample/,
  )
  says(
    changed((f) => f.writeUInt32LE(0xffffffff, 16)),
    /cut off/,
  )
  says(
    changed((f) => f.writeUInt32LE(0, 16)),
    /too short/,
  )
  says(file(fmt, chunk('junk', Buffer.alloc(8), 0xfffffff8), sound), /cut off/)
})

test('rejects files that are not WAV, lack audio or hide it behind other chunks', () => {
  says(
    changed((f) => f.write('RF64', 0)),
    /no WAV/,
  )
  says(
    changed((f) => f.write('RIFX', 0)),
    /no WAV/,
  )
  says(
    changed((f) => f.write('AVI ', 8)),
    /no WAV/,
  )
  says(file(sound, fmt), /does not say its format/)
  says(file(fmt), /no sound/)
  says(file(fmt, chunk('LIST', Buffer.alloc(70_000)), sound), /first 65536 bytes/)
  // Ten megabytes of empty chunks must not be scanned.
  const walk = file(fmt, Buffer.alloc(10 * 1024 * 1024), sound)
  says(walk, /more than 100 parts/)
})

test('rejects other formats and names the format found', () => {
  const described = (change: (f: Buffer) => void, what: RegExp): void => says(changed(change), what)
  described((f) => f.writeUInt16LE(0, 22), /found 16-bit PCM, 0 channels, 8000 Hz/)
  described((f) => f.writeUInt16LE(2, 22), /found 16-bit PCM, stereo, 8000 Hz/)
  described((f) => f.writeUInt32LE(4_000_000_000, 24), /found 16-bit PCM, mono, 4000000000 Hz/)
  described((f) => {
    f.writeUInt16LE(2, 22)
    f.writeUInt32LE(44_100, 24)
    f.writeUInt16LE(24, 34)
  }, /found 24-bit PCM, stereo, 44100 Hz/)
  described((f) => f.writeUInt16LE(6, 20), /found coding 6/)
  described((f) => f.writeUInt16LE(0xfffe, 20), /found coding 65534/)
  says(file(chunk('fmt ', format(0xfffe, float)), sound), /found coding 65534/)
})

test('rejects a file truncated at any position', () => {
  for (let length = 0; length < good.length; length++) says(good.subarray(0, length), /WAV/)
})

test('either reads or rejects garbage and damaged files', () => {
  const outcome = (bytes: Buffer): boolean => {
    try {
      const { samples } = readPcmWav(bytes, strict)
      return samples.buffer === bytes.buffer && samples.length <= bytes.length && samples.length % 2 === 0
    } catch (error) {
      return error instanceof WavRefused
    }
  }
  const change = fc.tuple(fc.nat({ max: 64 }), fc.uint8Array({ minLength: 1, maxLength: 8 }))
  const damaged = fc.array(change, { minLength: 1, maxLength: 6 }).map((changes) =>
    changed((copy) => {
      for (const [at, bytes] of changes) copy.set(bytes.subarray(0, copy.length - at), at)
    }),
  )
  const named = fc.tuple(fc.constantFrom('fmt ', 'data', 'LIST', 'RIFF'), fc.uint8Array({ maxLength: 60 }), fc.option(fc.nat(0xffffffff)))
  const built = fc
    .array(named, { maxLength: 12 })
    .map((parts) => file(...parts.map(([id, bytes, size]) => chunk(id, bytes, size ?? bytes.length))))
  const garbage = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))
  fc.assert(fc.property(fc.oneof(damaged, built, garbage), outcome), { numRuns: 3000 })
})
