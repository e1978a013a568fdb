import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StreamFramer } from './framing.ts'
import { limits } from '../grammar/scan.ts'
import { pathologicalMessages, pathologicalSdp, pathologicalValues, readStreamed, tryTo } from '../testing/sip-pathological.ts'

/** The best of many turns: other programs interrupt some of them, but not all. */
class Stopwatch {
  readonly #read: () => unknown
  #rounds = 1
  bestMs = Infinity

  constructor(read: () => unknown) {
    this.#read = read
  }

  /** Each turn is long enough to measure, and short enough to finish before an interruption. */
  turn(): void {
    const startedAt = performance.now()
    for (let i = 0; i < this.#rounds; i++) tryTo(this.#read)
    this.bestMs = Math.min(this.bestMs, (performance.now() - startedAt) / this.#rounds)
    this.#rounds = Math.max(1, Math.min(200, Math.ceil(0.5 / this.bestMs)))
  }
}

/** Twice the input takes about twice as long; quadratic time would take four times as long in every run. */
const assertLinear = (make: (size: number) => () => unknown, size: number): void => {
  const reads = [make(size / 2), make(size)] as const
  let ratio = Infinity
  for (let attempt = 0; attempt < 50 && ratio > 2.5; attempt++) {
    const [half, whole] = [new Stopwatch(reads[0]), new Stopwatch(reads[1])]
    for (let turn = 0; turn < 25; turn++) for (const one of [half, whole]) one.turn()
    ratio = Math.min(ratio, whole.bestMs / half.bestMs)
  }
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
