import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../machine/temporary-folder.ts'
import { amplitudeOf } from './spectrum.ts'
import { peakOf, secondsOf, secondsOfSound } from './tones.ts'
import { parseWav, readWav, writeTone } from './wav.ts'

test('finds a tone at its frequency with its strength, and at no other', async (t) => {
  const file = join(await temporaryFolder(t), 'tone.wav')
  for (const rate of [8000, 16_000, 48_000]) {
    await writeTone(file, { hz: 600, seconds: 2, rate })
    const { channels, rate: read } = await readWav(file)
    const samples = channels[0] ?? new Float32Array()
    assert.deepEqual([channels.length, read, samples.length], [1, rate, 2 * rate])
    assert.ok(Math.abs(amplitudeOf(samples, 600, rate) - 16_000 / 32_768) < 0.01)
    assert.equal(secondsOf(samples, rate, 600), 2)
    for (const other of [500, 700, 1100, 1900]) assert.equal(secondsOf(samples, rate, other), 0)
  }
})

test('counts a tone only in its part of the sound', () => {
  const rate = 8000
  const samples = new Float32Array(3 * rate)
  for (let i = rate; i < 2 * rate; i++) samples[i] = 0.5 * Math.sin((2 * Math.PI * 1100 * i) / rate)
  assert.ok(Math.abs(secondsOf(samples, rate, 1100) - 1) <= 0.08)
  assert.ok(Math.abs(secondsOfSound(samples, rate) - 1) <= 0.08)
  assert.ok(peakOf(samples, rate, 1100) > 0.45)
  assert.equal(secondsOf(samples.subarray(0, rate), rate, 1100), 0)
})

test('reads a file that is still being written, also in both G.711 laws', async (t) => {
  const file = join(await temporaryFolder(t), 'tone.wav')
  await writeTone(file, { hz: 600, seconds: 1, rate: 8000 })
  const bytes = await readFile(file)
  bytes.writeUInt32LE(0, 40)
  assert.equal(parseWav(bytes).channels[0]?.length, 8000)
  for (const [code, silence, loudest] of [
    [6, 0xd5, 0xaa],
    [7, 0xff, 0x80],
  ] as const) {
    const law = Buffer.concat([bytes.subarray(0, 44), Buffer.from([silence, loudest])])
    law.writeUInt16LE(code, 20)
    const [quiet = 1, loud = 0] = parseWav(law).channels[0] ?? []
    assert.ok(Math.abs(quiet) < 0.001 && loud > 0.95, `${code}: ${quiet} ${loud}`)
  }
})
