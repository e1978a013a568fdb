// test: own process
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import { piecesOf } from '#test/conformance/tts.ts'
import { SpeechUnavailable, type Tts } from '#core/kernel/ports/speech.ts'
import { pronounceable } from './pronounceable.ts'
import { openSynthesiser } from './synthesiser.ts'
import { Loudness, shapeSound, SoundShaper } from './shape-sound.ts'

const rate = 16_000
const ms = (samples: number): number => (samples * 1000) / rate

test("reduces text to characters that the models' rules can read", () => {
  assert.equal(pronounceable('Café – “naïve” twenty-one (or so); it’s 5!', 'en'), "Cafe, naive twenty one, or so, it's!")
  assert.equal(pronounceable('Größe: A B C, E-Mail an Zoë', 'de'), 'Größe, ah beh zeh, Email an Zoe')
  const words = [
    { word: 'Nguyễn', ipa: 'wɪn' },
    { word: 'Saint-Lô', ipa: 'sɛ̃lo' },
  ]
  assert.equal(pronounceable('Mr nguyễn (of Saint-Lô, \ue001)', 'en', words), 'Mr \ue000, of \ue001,')
  for (const nothing of ['', ' … ', '?!', '123', '日本語', "'"]) assert.equal(pronounceable(nothing, 'en'), '')
})

test('keeps only known characters of any input', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      assert.match(pronounceable(text, 'en'), /^[a-zA-Z'.,!?… ]*$/)
      assert.match(pronounceable(text, 'de'), /^[a-zA-ZäöüÄÖÜß'.,!?… ]*$/)
    }),
  )
})

/** A tone with silence around it. */
const tone = (beforeMs: number, toneMs: number, afterMs: number): Int16Array =>
  Int16Array.from({ length: ((beforeMs + toneMs + afterMs) * rate) / 1000 }, (_, i) =>
    ms(i) >= beforeMs && ms(i) < beforeMs + toneMs ? Math.round(10_000 * Math.sin(i / 2)) : (i % 3) * 10,
  )

test('adjusts the silence around speech to the text', () => {
  const shaped = (text: string): number => ms(shapeSound(tone(300, 500, 600), rate, text).length)
  assert.ok(Math.abs(shaped('A sentence.') - 825) < 10)
  assert.ok(Math.abs(shaped('a clause,') - 695) < 10)
  assert.ok(Math.abs(shaped('words') - 615) < 10)
  assert.ok(ms(shapeSound(tone(0, 500, 0), rate, 'words').length) < 560)
  assert.equal(shapeSound(new Int16Array(1_000), rate, 'x').length, 0)
  assert.equal(shapeSound(new Int16Array(0), rate, 'x').length, 0)
})

test('shapes chunks like the whole sound', () => {
  const whole = tone(300, 500, 600)
  const expected = shapeSound(whole, rate, 'A sentence.')
  for (const size of [1, 79, 800, 4_801, 5_000, whole.length]) {
    const shaper = new SoundShaper(rate, 'A sentence.', 10_000)
    const given: number[] = []
    for (let at = 0; at < whole.length; at += size) given.push(...shaper.add(whole.subarray(at, at + size)))
    given.push(...shaper.end())
    assert.deepEqual(Int16Array.from(given), expected, `pieces of ${size}`)
  }
})

test('returns speech immediately, and silence only when speech follows', () => {
  const shaper = new SoundShaper(rate, 'A sentence.')
  const add = (...piece: [number, number, number]): number => ms(shaper.add(tone(...piece)).length)
  assert.equal(add(400, 0, 0), 0)
  assert.equal(add(0, 100, 100), 115)
  assert.equal(add(200, 0, 0), 0)
  assert.equal(add(100, 50, 300), 450)
  assert.equal(ms(shaper.end().length), 310)
})

test('amplifies without clipping: a chunk that is too loud makes the rest quieter', () => {
  const made = (gain: number, ...pieces: number[][]): number[][] => {
    const loudness = new Loudness(gain)
    return pieces.map((piece) => [...loudness.toSamples(Float32Array.from(piece))])
  }
  assert.deepEqual(made(2, [0, 0.25, -0.25]), [[0, 16_384, -16_383]])
  assert.deepEqual(made(2, [0.5, -0.9], [0.25]), [[16_384, -29_490], [8_192]])
  assert.deepEqual(made(1, [0.25], [2, -1], [1]), [[8_192], [29_490, -14_745], [14_745]])
})

const log = (): void => {}
const forever = new AbortController().signal
const french: Tts = {
  name: 'espeak',
  rate,
  ssml: false,
  speaks: (language) => /^(fr|en)/.test(language),
  async *synthesize({ text }) {
    yield Int16Array.of(text.length)
  },
}
const models = { folderWith: () => Promise.reject(new SpeechUnavailable('not fetched: tts-en')) }

test('speaks other languages with other voices, if available', async () => {
  const synthesiser = openSynthesiser({ models, workers: 1, others: [french], log })
  assert.deepEqual(
    ['en-US', 'de', 'fr-FR', 'it-IT'].map((language) => synthesiser.speaks(language)),
    [true, true, true, false],
  )
  assert.deepEqual(await piecesOf(synthesiser.synthesize({ text: 'Salut', language: 'fr' }, forever)), [Int16Array.of(5)])
  await assert.rejects(piecesOf(synthesiser.synthesize({ text: 'Ciao', language: 'it' }, forever)), {
    name: 'SpeechUnavailable',
    message: 'no voice speaks "it" here: install espeak-ng, or choose a provider that speaks it',
  })
  await assert.rejects(synthesiser.warm('it'), /install espeak-ng/)
  await synthesiser.warm('fr')
  await synthesiser.close()
})

test('replaces the embedded voice without its model, or reports the missing package', async () => {
  const synthesiser = openSynthesiser({ models, workers: 1, others: [french], log })
  assert.deepEqual(await piecesOf(synthesiser.synthesize({ text: 'Hi', language: 'en' }, forever)), [Int16Array.of(2)])
  await assert.rejects(piecesOf(synthesiser.synthesize({ text: 'Hallo', language: 'de' }, forever)), {
    name: 'SpeechUnavailable',
    message: /tts-en/,
  })
  await assert.rejects(synthesiser.warm('de'), { name: 'SpeechUnavailable', message: /tts-en/ })
  await synthesiser.close()
})

test('without models only the other voices speak; other languages are rejected', async () => {
  const synthesiser = openSynthesiser({ models: undefined, workers: 1, others: [french], log })
  assert.deepEqual(
    ['en-US', 'de', 'fr-FR'].map((language) => synthesiser.speaks(language)),
    [true, false, true],
  )
  await assert.rejects(synthesiser.warm('de'), /no voice speaks "de" here/)
  await assert.rejects(piecesOf(synthesiser.synthesize({ text: 'Hallo', language: 'de' }, forever)), /install espeak-ng/)
  await synthesiser.close()
})

test('reports a model that cannot be loaded and leaves no threads behind', async () => {
  const broken = { folderWith: () => Promise.resolve(import.meta.dirname) }
  const synthesiser = openSynthesiser({ models: broken, workers: 1, others: [], log })
  await assert.rejects(piecesOf(synthesiser.synthesize({ text: 'Hello', language: 'en' }, forever)), {
    name: 'SpeechUnavailable',
    message: /^the voice failed: .*ENOENT/,
  })
  await synthesiser.close()
})
