import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readGreeting } from './greetings.ts'

interface Format {
  tag?: number
  channels?: number
  rate?: number
  bits?: number
  extra?: Buffer
}

const chunk = (id: string, content: Buffer, length = content.length): Buffer => {
  const head = Buffer.alloc(8)
  head.write(id, 0, 'latin1')
  head.writeUInt32LE(length, 4)
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)])
}

const format = ({ tag = 1, channels = 1, rate = 8000, bits = 16, extra = Buffer.alloc(0) }: Format = {}): Buffer => {
  const content = Buffer.alloc(16)
  content.writeUInt16LE(tag, 0)
  content.writeUInt16LE(channels, 2)
  content.writeUInt32LE(rate, 4)
  content.writeUInt32LE((rate * channels * bits) / 8, 8)
  content.writeUInt16LE((channels * bits) / 8, 12)
  content.writeUInt16LE(bits, 14)
  return chunk('fmt ', Buffer.concat([content, extra]))
}

const riff = (...chunks: Buffer[]): string => {
  const body = Buffer.concat(chunks)
  const head = Buffer.from('RIFF____WAVE', 'latin1')
  head.writeUInt32LE(body.length + 4, 4)
  return Buffer.concat([head, body]).toString('base64')
}

const samples = Buffer.from(Array.from({ length: 16_000 }, (_, index) => index % 251))

const refusal = (content: string): string => {
  try {
    readGreeting(content)
  } catch (error) {
    return (error as Error).message
  }
  return 'accepted'
}

test('reads samples and duration of a valid greeting', () => {
  const { audio, durationMs } = readGreeting(riff(format(), chunk('data', samples)))
  assert.equal(durationMs, 1000)
  const file = Buffer.from(audio, 'base64')
  assert.equal(file.length, 44 + samples.length)
  assert.deepEqual(file.subarray(44), samples)
  assert.deepEqual(readGreeting(audio), { audio, durationMs }, 'what we keep is itself a greeting')
})

test('skips and drops other chunks, including those of odd length', () => {
  const content = riff(
    chunk('LIST', Buffer.from('odd')),
    format(),
    chunk('bext', Buffer.from('<?php')),
    chunk('data', samples),
    chunk('LIST', samples),
  )
  const { audio, durationMs } = readGreeting(content)
  assert.equal(durationMs, 1000)
  assert.ok(!Buffer.from(audio, 'base64').includes('<?php'))
})

test('accepts WAVE_FORMAT_EXTENSIBLE only with PCM', () => {
  const pcm = Buffer.from(`16001000000000000100000000001000800000aa00389b71`, 'hex')
  const float = Buffer.from(`16001000000000000300000000001000800000aa00389b71`, 'hex')
  assert.equal(readGreeting(riff(format({ tag: 0xfffe, extra: pcm }), chunk('data', samples))).durationMs, 1000)
  assert.match(refusal(riff(format({ tag: 0xfffe, extra: float }), chunk('data', samples))), /found coding 65534/)
  assert.match(refusal(riff(format({ tag: 0xfffe }), chunk('data', samples))), /found coding 65534/)
})

test('names the detected format in a rejection', () => {
  const data = chunk('data', samples)
  assert.match(refusal(riff(format({ channels: 2, rate: 44_100 }), data)), /found 16-bit PCM, stereo, 44100 Hz/)
  assert.match(refusal(riff(format({ bits: 8 }), data)), /found 8-bit PCM, mono, 8000 Hz/)
  assert.match(refusal(riff(format({ tag: 7, bits: 8 }), data)), /found coding 7 with 8 bits/)
  assert.match(refusal(riff(data)), /does not say its format before the sound/)
  assert.match(refusal(riff(format())), /holds no sound/)
  assert.match(refusal(riff(format(), chunk('data', Buffer.alloc(0)))), /is empty/)
  assert.match(refusal(riff(format(), chunk('data', samples.subarray(0, 7)))), /middle of a sample/)
  assert.match(refusal(riff(chunk('fmt ', Buffer.alloc(4)), data)), /too short/)
  assert.match(refusal(Buffer.from('ID3 this is an MP3').toString('base64')), /no WAV file/)
  assert.match(refusal(''), /no WAV file/)
  assert.match(refusal('UklGRg*='), /not valid base64/)
})

test('rejects chunk lengths beyond the file', () => {
  assert.match(refusal(riff(format(), chunk('data', samples, 0xffff_ffff))), /cut off: its "data" part lacks 4294951295 bytes/)
  assert.match(refusal(riff(format(), chunk('LIST', Buffer.alloc(2), 0xffff_fff0), chunk('data', samples))), /cut off: its "LIST" part/)
  assert.match(refusal(riff(format(), chunk('junk', Buffer.alloc(0)), Buffer.from('data'))), /holds no sound/)
})

test('rejects every truncation of a valid file', () => {
  const file = Buffer.from(riff(format(), chunk('data', samples.subarray(0, 64))), 'base64')
  for (let length = 0; length < file.length; length++)
    assert.match(refusal(file.subarray(0, length).toString('base64')), /WAV/, `${length} bytes were accepted`)
})

test('limits the whole file to 2 MiB', () => {
  const room = 2 * 1024 * 1024 - 44
  assert.equal(refusal(riff(format(), chunk('data', Buffer.alloc(room)))), 'accepted')
  assert.match(refusal(riff(format(), chunk('data', Buffer.alloc(room + 2)))), /at most 2097152/)
})
