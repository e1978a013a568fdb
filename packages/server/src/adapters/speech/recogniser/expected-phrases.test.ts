import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectedInstead } from './expected-phrases.ts'
import type { Step } from './greedy.ts'

const pieces = [' Ja', ' ja', ' Ne', ' ne', 'in', ' J', 'ahr', ' Ver', 'trieb', ' Technik', '<end>']
const end = pieces.length - 1

/** A decoder that gives each text these probabilities of the next piece; others are very unlikely. */
const decoderOf = (probabilities: Readonly<Record<string, Readonly<Record<string, number>>>>) => {
  const asked: string[] = []
  const stepAt = (text: string): Step => {
    asked.push(text)
    const known = probabilities[text] ?? {}
    const last = Float32Array.from(pieces, (piece) => Math.log(known[piece] ?? 1e-6))
    return { scores: { last, at: () => last }, after: async ([word = end]) => Promise.resolve(stepAt(text + pieces[word]!)) }
  }
  const decoder = {
    start: stepAt(''),
    token: (piece: string) => (pieces.includes(piece) ? pieces.indexOf(piece) : undefined),
    logProbabilities: (scores: Float32Array) => (token: number) => scores[token]!,
    ending: (scores: Float32Array) => scores[end]!,
    signal: new AbortController().signal,
  }
  return { asked, decoder }
}

const asks = (phrases: string[]) => ({ phrases, vocabulary: [] })
const unclear = {
  '': { ' J': 0.6, ' Ja': 0.05, ' Ne': 0.001, ' Ver': 0.001, ' Technik': 0.0001 },
  ' J': { ahr: 0.9 },
  ' Jahr': { '<end>': 0.9 },
  ' Ja': { '<end>': 0.8 },
  ' Ne': { in: 0.9 },
  ' Nein': { '<end>': 0.9 },
}
const free = { text: 'Jahr', total: Math.log(0.6 * 0.9 * 0.9) }

test('takes the expected phrase that the decoder thinks likeliest', async () => {
  const { decoder, asked } = decoderOf(unclear)
  const heard = await expectedInstead(free, asks(['ja', 'nein']), decoder)
  assert.equal(heard?.text, 'ja')
  assert.ok(heard.confidence > 0.5, String(heard.confidence))
  assert.ok(!asked.includes(' Nein'), 'unlikely phrases cost nothing')
})

test('follows a phrase of several tokens', async () => {
  const { decoder } = decoderOf({
    '': { ' Ver': 0.2, ' J': 0.5 },
    ' Ver': { trieb: 0.9 },
    ' Vertrieb': { '<end>': 0.9 },
  })
  assert.equal((await expectedInstead({ text: 'fer Trieb', total: -3 }, asks(['Technik', 'Vertrieb']), decoder))?.text, 'Vertrieb')
})

test('keeps the free text if no phrase, or no single one, comes close', async () => {
  const none = decoderOf({ '': { ' J': 0.999_999 } }).decoder
  assert.equal(await expectedInstead({ text: 'Jahr', total: 0 }, asks(['Technik']), none), undefined)
  const even = decoderOf({
    '': { ' Ja': 0.3, ' Technik': 0.3 },
    ' Ja': { '<end>': 0.9 },
    ' Technik': { '<end>': 0.9 },
  }).decoder
  assert.equal(await expectedInstead({ text: 'Jahr', total: -1 }, asks(['ja', 'Technik']), even), undefined)
})

test('keeps a text that is longer than every phrase, and confirms one that is expected', async () => {
  const { decoder } = decoderOf(unclear)
  assert.equal(await expectedInstead({ text: 'ja, das kann sein', total: -1 }, asks(['ja', 'nein']), decoder), undefined)
  assert.deepEqual(await expectedInstead({ text: 'Nein.', total: -1 }, asks(['ja', 'nein']), decoder), { text: 'Nein.', confidence: 0.8 })
})

test('takes a word of the vocabulary only if it is nearly as likely as the free text', async () => {
  const vocabulary = { phrases: [], vocabulary: ['Ja'] }
  assert.equal((await expectedInstead(free, vocabulary, decoderOf(unclear).decoder))?.text, 'Ja')
  const rare = { ...unclear, '': { ' J': 0.6, ' Ja': 0.012 } }
  assert.equal(await expectedInstead(free, vocabulary, decoderOf(rare).decoder), undefined)
  assert.equal((await expectedInstead(free, asks(['ja']), decoderOf(rare).decoder))?.text, 'ja')
  assert.equal(await expectedInstead(free, asks([]), decoderOf(unclear).decoder), undefined)
})

test('takes a short answer, to which hums come close, only if it is likely', async () => {
  const { decoder } = decoderOf({ '': { ' Technik': 0.001, ' Ja': 0.001 }, ' Technik': { '<end>': 0.8 }, ' Ja': { '<end>': 0.8 } })
  assert.equal((await expectedInstead(free, asks(['Technik']), decoder))?.text, 'Technik')
  assert.equal(await expectedInstead(free, asks(['ja']), decoder), undefined)
  assert.equal(await expectedInstead({ ...free, text: '' }, asks(['ja']), decoderOf(unclear).decoder), undefined)
})
