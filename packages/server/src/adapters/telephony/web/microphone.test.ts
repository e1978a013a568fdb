import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Microphone } from './microphone.ts'

const frameMs = 20
const samplesPerMs = 16

/** A feed that plays its content when the test advances time. */
class PacedFeed {
  written: number[] = []
  #played = 0

  readonly feed = {
    write: (samples: Int16Array) => {
      this.written.push(...samples.filter((_, i) => i % samplesPerMs === 0))
      return samples.length
    },
    playedMs: () => this.#played,
  }

  passes(ms: number): void {
    this.#played = Math.min(this.written.length, this.#played + ms)
  }

  get waitingMs(): number {
    return this.written.length - this.#played
  }
}

const frame = (value: number): Int16Array => new Int16Array(frameMs * samplesPerMs).fill(value)

/** Values of the written frames, each once, without the leading silence. */
const values = ({ written }: PacedFeed): number[] => written.filter((value, i) => value !== 0 && i % frameMs === 0)

test('buffers frames briefly, so that the next one may be late', () => {
  const paced = new PacedFeed()
  const microphone = new Microphone(paced.feed)
  microphone.write(frame(1001))
  assert.equal(paced.waitingMs, 60)
  for (let i = 2; i < 50; i++) {
    paced.passes(i % 2 === 0 ? 40 : 0) // every second one comes late, with the next
    microphone.write(frame(1000 + i))
    assert.ok(paced.waitingMs > 0, `nothing was left before frame ${i}`)
  }
  assert.deepEqual(
    values(paced),
    Array.from({ length: 49 }, (_, i) => 1001 + i),
    'all of them, in order',
  )
})

test('after a gap buffers longer, until a while passes without one', () => {
  const paced = new PacedFeed()
  const microphone = new Microphone(paced.feed)
  microphone.write(frame(1001))
  paced.passes(1000)
  assert.equal(paced.waitingMs, 0)
  microphone.write(frame(1002))
  assert.equal(paced.waitingMs, 100)
  for (const waits of [180, 180]) {
    paced.passes(1000)
    microphone.write(frame(1003))
    assert.equal(paced.waitingMs, waits)
  }
  for (let i = 0; i < 1200; i++) {
    paced.passes(frameMs)
    microphone.write(frame(10))
  }
  assert.ok(paced.waitingMs <= 80)
})

test('plays a burst after an interruption, except for sound older than a second', () => {
  const paced = new PacedFeed()
  const microphone = new Microphone(paced.feed)
  microphone.write(frame(1000))
  paced.passes(800)
  for (let i = 1; i < 40; i++) microphone.write(frame(1000 + i))
  assert.deepEqual(
    values(paced),
    Array.from({ length: 40 }, (_, i) => 1000 + i),
    'no word is lost',
  )
  for (let i = 0; i < 200; i++) microphone.write(frame(2000))
  assert.ok(paced.waitingMs <= 1020, `${paced.waitingMs} ms`)
})

test('removes excess delay in quiet moments, not during speech', () => {
  const paced = new PacedFeed()
  const microphone = new Microphone(paced.feed)
  for (let i = 0; i < 10; i++) microphone.write(frame(1000))
  const before = paced.waitingMs
  const pass = (value: number, frames: number): void => {
    for (let i = 0; i < frames; i++) {
      paced.passes(frameMs)
      microphone.write(frame(value))
    }
  }
  pass(1000, 150)
  assert.equal(paced.waitingMs, before)
  pass(10, 150)
  assert.ok(paced.waitingMs <= 80 && paced.waitingMs > 0, `${paced.waitingMs} ms`)
})

test('removes excess delay after some seconds if it is never quiet', () => {
  const paced = new PacedFeed()
  const microphone = new Microphone(paced.feed)
  for (let i = 0; i < 40; i++) microphone.write(frame(1000))
  assert.ok(paced.waitingMs > 800)
  for (let i = 0; i < 400; i++) {
    paced.passes(frameMs)
    microphone.write(frame(1000))
  }
  assert.ok(paced.waitingMs <= 80 && paced.waitingMs > 0, `${paced.waitingMs} ms`)
})
