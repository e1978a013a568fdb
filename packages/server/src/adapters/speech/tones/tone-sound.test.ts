import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import { G711 } from '#media/codec/g711.ts'
import { resampleSound } from '#media/codec/resample.ts'
import { toneMessages, toneSound } from './tone-speech.ts'

const overTheLine = (sound: Int16Array, law: 'PCMA' | 'PCMU'): Int16Array => {
  const codec = new G711(law)
  const bytes = new Uint8Array(sound.length)
  codec.encode(sound, bytes, 0)
  const decoded = new Int16Array(sound.length)
  codec.decode(bytes, 0, bytes.length, decoded, 0)
  return decoded
}

/** Soft noise, reproducible. */
const noise = (length: number, strength: number): Int16Array => {
  let state = 1
  return Int16Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7f_ff_ff_ff
    return Math.round((state / 0x40_00_00_00 - 1) * strength)
  })
}

const concat = (...parts: Int16Array[]): Int16Array => Int16Array.from(parts.flatMap((part) => [...part]))
const textsIn = (sound: Int16Array): string[] => toneMessages(sound).map(({ text, complete }) => (complete ? text : `${text}…`))

test('decodes any text from its tones through both kinds of G.711', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.constantFrom('PCMA', 'PCMU'), (text, law) => {
      assert.deepEqual(textsIn(overTheLine(toneSound(text), law)), [text])
    }),
    { numRuns: 60 },
  )
})

test('a short word lasts less than half a second', () => {
  assert.ok(toneSound('Hello').length < 4_000)
})

test('decodes several texts with pauses, at any position, quiet and with noise', () => {
  const quiet = toneSound('Guten Tag, Frau Müller').map((sample) => sample / 8)
  const line = concat(noise(1_237, 60), quiet, noise(801, 60), toneSound('42'), noise(333, 60))
  assert.deepEqual(textsIn(overTheLine(line, 'PCMU')), ['Guten Tag, Frau Müller', '42'])
})

test('survives stretching, omission and merging by a jitter buffer', () => {
  const sound = toneSound('stretched and cut')
  for (const at of [1_280, 1_400, 1_540]) {
    const shorter = concat(sound.slice(0, at), sound.slice(at + 160))
    const longer = concat(sound.slice(0, at), sound.slice(at - 160))
    const merged = concat(
      sound.slice(0, at),
      sound.slice(at, at + 160).map((sample, i) => sample + (((sound[at + 160 + i] ?? 0) - sample) * i) / 160),
      sound.slice(at + 320),
    )
    for (const changed of [shorter, longer, merged]) assert.deepEqual(textsIn(changed), ['stretched and cut'])
  }
})

test('survives resampling', () => {
  assert.deepEqual(textsIn(resampleSound(resampleSound(toneSound('wide'), 8_000, 16_000), 16_000, 8_000)), ['wide'])
})

test('decodes the beginning of a truncated text', () => {
  const sound = toneSound('Ich möchte bitte')
  const [message] = toneMessages(sound.subarray(0, 320 + 5 * 320 + 60))
  assert.deepEqual(
    { text: message?.text, complete: message?.complete, ended: message?.ended },
    { text: 'Ich m', complete: false, ended: false },
  )
})

test('does not report damaged text as complete', () => {
  const sound = toneSound('a number: 1234')
  const holed = sound.map((sample, index) => (index > 2_000 && index < 2_400 ? 0 : sample))
  const [message] = toneMessages(holed)
  assert.equal(message?.complete, false)
  assert.equal(message?.ended, true)
})

test('decodes no text from noise, silence and single tones', () => {
  const beep = Int16Array.from({ length: 8_000 }, (_, i) => 9_000 * Math.sin((2 * Math.PI * 1_000 * i) / 8_000))
  assert.deepEqual(toneMessages(concat(noise(16_000, 6_000), new Int16Array(8_000), beep)), [])
})
