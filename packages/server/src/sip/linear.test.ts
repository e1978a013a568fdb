import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StreamFramer } from './framing.ts'
import { limits } from './limits.ts'
import {
  pathologicalMessages,
  pathologicalSdp,
  pathologicalValues,
  readStreamed,
  tryTo,
} from '../../../../test/support/sip-pathological.ts'

/** The best of many, each long enough to be measured: what else runs on the machine does not count. */
const bestMs = (read: () => unknown): number => {
  let best = Infinity
  let rounds = 1
  for (let attempt = 0; attempt < 12; attempt++) {
    const began = performance.now()
    for (let i = 0; i < rounds; i++) tryTo(read)
    const ms = performance.now() - began
    best = Math.min(best, ms / rounds)
    rounds = Math.max(1, Math.min(200, Math.ceil(2 / best)))
  }
  return best
}

/** Twice as much input takes about twice as long. Quadratic would be four times. */
const assertLinear = (make: (size: number) => () => unknown, size: number): void => {
  const [half, whole] = [make(size / 2), make(size)]
  let ratio = Infinity
  for (let attempt = 0; attempt < 5 && ratio > 2.5; attempt++) ratio = Math.min(ratio, bestMs(whole) / bestMs(half))
  assert.ok(ratio <= 2.5, `twice the input took ${ratio.toFixed(2)} times as long`)
}

for (const [name, make] of Object.entries(pathologicalMessages)) {
  test(`linear: a message with ${name}`, () => assertLinear((size) => readStreamed(make(size)), limits.streamBytes))
}

for (const [name, make] of Object.entries(pathologicalValues)) {
  test(`linear: ${name}`, () => assertLinear(make, limits.streamBytes))
}

for (const [name, make] of Object.entries(pathologicalSdp)) {
  test(`linear: a session description with ${name}`, () => assertLinear(make, limits.sdpBytes))
}

const byteByByte = (text: string) => (): void => {
  const framer = new StreamFramer()
  const bytes = Buffer.from(text)
  for (let i = 0; i < bytes.length; i++) framer.feed(bytes.subarray(i, i + 1))
}

test('linear: a stream that arrives byte by byte', () => {
  assertLinear((size) => byteByByte(`OPTIONS sip:x SIP/2.0\r\n${'h: x\r\n'.repeat(size / 6)}\r\n`), 32 * 1024)
  assertLinear((size) => byteByByte(`OPTIONS sip:x SIP/2.0\r\nContent-Length: ${size}\r\n\r\n${'b'.repeat(size)}`), 32 * 1024)
  assertLinear((size) => byteByByte('\r\n'.repeat(size / 2)), 32 * 1024)
})

test('linear: lines of a stream that could be Content-Length and are not', () => {
  const make = (size: number) => () => new StreamFramer().feed(Buffer.from(`OPTIONS sip:x SIP/2.0\r\n${'c\r\n'.repeat(size / 3)}\r\n`))
  assertLinear(make, limits.streamBytes - 100)
})
