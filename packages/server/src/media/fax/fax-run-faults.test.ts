// test: chance
import assert from 'node:assert/strict'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { FaxPage } from '#test/fax/fax-pages.ts'
import { audioSettings, framesPerSecond, startFaxPair, t38Settings } from '#test/fax/fax-pair.ts'
import { needs } from '#test/peers/debian.ts'
import { G711 } from '../codec/g711.ts'
import { rtpHeaderBytes, writeRtpHeader } from '../rtp/rtp.ts'
import { readWav } from '../sound/wav.ts'
import { frameSamples } from './fax-rtp.ts'

test('after a hang-up the sender knows the delivered pages and the receiver keeps them', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  const scene = await startFaxPair(t)
  const { caller, called } = scene
  for (const { run } of [caller, called]) run.configure(t38Settings)
  scene.pass(300, (bytes) => (caller.events.includes('page 2') ? undefined : bytes))
  assert.deepEqual([caller.outcome?.code, caller.outcome?.pages], [21, 2])
  called.run.close()
  assert.equal(called.outcome?.pages, 2)
  const received = await scene.received()
  assert.equal(received.length, 2)
})

for (const line of [audioSettings, t38Settings]) {
  test(`both sides notice a cut of a ${line.kind} line at any time`, async (t) => {
    if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
    for (let cut = 4; cut < 26; cut += 1.88) {
      const scene = await startFaxPair(t)
      const { caller, called, pass } = scene
      for (const { run } of [caller, called]) run.configure(line)
      pass(cut)
      pass(120, () => undefined)
      assert.ok(caller.outcome && called.outcome, `cut after ${cut} s`)
      assert.ok(called.outcome.pages >= caller.outcome.pages, `cut after ${cut} s`)
    }
  })
}

test('gives up after a minute of silence', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  const { caller, pass } = await startFaxPair(t)
  caller.run.configure(audioSettings)
  pass(70)
  assert.deepEqual(caller.events, [])
  assert.deepEqual(caller.outcome, { code: 2, pages: 0, bitRate: 0, errorCorrection: false, carriedBy: 'audio', station: '' })
})

/** A human voice, looped. */
const voice = async (): Promise<() => Uint8Array> => {
  const { samples } = readWav(await readFile(join(import.meta.dirname, '../../../assets/prompts/de/voicemail-greeting.wav')))
  const codec = new G711('PCMA')
  let frame = 0
  return () => {
    const bytes = new Uint8Array(rtpHeaderBytes + frameSamples)
    const at = (frame * frameSamples) % (samples.length - frameSamples)
    writeRtpHeader(bytes, 8, false, frame, frame * frameSamples, 1)
    codec.encode(samples.subarray(at, at + frameSamples), bytes, rtpHeaderBytes)
    frame++
    return bytes
  }
}

test('gives up after at most a minute when a human talks instead of a fax machine', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  const { caller, called } = await startFaxPair(t)
  const say = await voice()
  for (const { run } of [caller, called]) run.configure(audioSettings)
  for (let frame = 0; frame < 65 * framesPerSecond; frame++) {
    const bytes = say()
    for (const { run } of [caller, called]) {
      run.receive(bytes)
      run.tick()
    }
  }
  const nothing = { pages: 0, bitRate: 0, errorCorrection: false, carriedBy: 'audio', station: '' }
  assert.deepEqual(
    [caller.outcome, called.outcome],
    [
      { ...nothing, code: 2 },
      { ...nothing, code: 48 },
    ],
  )
})

/** A few bits per row: more than one block of error correction. */
const endless = (height: number): FaxPage => {
  const bits = new Uint8Array(216 * height)
  for (let y = 0; y < height; y++) bits[y * 216 + ((y >> 1) % 216)] = 0xff
  return { width: 1728, height, bits }
}

test('gives up on an endless page', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  for (const [height, code] of [
    [20_000, 0],
    [80_000, 49],
  ] as const) {
    const scene = await startFaxPair(t, 0, [endless(height)])
    for (const { run } of [scene.caller, scene.called]) run.configure(t38Settings)
    scene.pass(400)
    assert.equal(scene.called.outcome?.code, code, `${height} rows`)
  }
})

test('does not confirm a page that is not on disk', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  for (const line of [audioSettings, t38Settings]) {
    const { caller, called, file, pass } = await startFaxPair(t)
    for (const { run } of [caller, called]) run.configure(line)
    while (!caller.events.includes('page 1')) pass(1)
    await rm(file)
    pass()
    assert.deepEqual([caller.outcome?.pages, called.outcome?.pages, called.outcome?.code], [1, 1, undefined])
    assert.notEqual(caller.outcome?.code, 0)
  }
})

test('gives up when no transport is configured', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  const { caller, called, pass } = await startFaxPair(t)
  pass(70)
  assert.deepEqual([caller.outcome?.code, called.outcome?.code], [undefined, undefined])
  assert.ok(caller.outcome && called.outcome)
})

test('reports no pages when closed before it began', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  const { caller } = await startFaxPair(t)
  caller.run.close()
  assert.equal(caller.outcome?.code, undefined)
  assert.equal(caller.outcome?.pages, 0)
})
