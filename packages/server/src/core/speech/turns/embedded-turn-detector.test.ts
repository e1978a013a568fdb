import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LastSound, Tail } from '#core/kernel/ports/speech.ts'
import { embeddedTurnDetector } from './embedded-turn-detector.ts'
import { silenceAfter, defaultEndpointing } from './turn-silence.ts'

const tail = (known: Partial<Tail>): Tail => ({ stop: 0, question: 0, goesOn: 0, end: 0, word: 0, ...known })
const period = tail({ stop: 0.95, goesOn: 0.03 })
const comma = tail({ stop: 0.1, goesOn: 0.88 })
const sinks: LastSound = { energyDb: -9, aboveLow: 0.5, againstMedian: -4 }
const stays: LastSound = { energyDb: 0, aboveLow: 4, againstMedian: 0.5 }

const probability = (text: string, known: { tail?: Tail; lastSound?: LastSound } = {}, language = 'en-US'): number =>
  embeddedTurnDetector.judge({ text, language, ...known }).probability

/** Asserts strictly decreasing probabilities of the end. */
const falls = (...probabilities: number[]): void => {
  for (const [index, value] of probabilities.entries())
    assert.ok(index === 0 || value < (probabilities[index - 1] ?? 0), probabilities.join(' '))
}

test('raises the probability for final punctuation, falling pitch and complete sentences in English', () => {
  const text = 'I would like to book a table for tonight'
  for (const lastSound of [sinks, stays])
    falls(probability(text, { tail: period, lastSound }), probability(text, { tail: comma, lastSound }))
  for (const tail of [period, comma]) falls(probability(text, { tail, lastSound: sinks }), probability(text, { tail, lastSound: stays }))
  falls(
    probability('I live in Berlin', { tail: period, lastSound: sinks }),
    probability('I live in the', { tail: period, lastSound: sinks }),
  )
  falls(
    probability('Please call me.', { tail: period, lastSound: sinks }),
    probability('If you call me.', { tail: period, lastSound: sinks }),
  )
})

test('ends one or two English words despite a comma, which recognisers put after them', () => {
  assert.ok(probability('Berlin', { tail: comma, lastSound: sinks }) > 0.8)
})

test('weighs openers above guessed question marks', () => {
  const question = tail({ question: 0.9, stop: 0.05, goesOn: 0.02 })
  falls(
    probability('Which folder is it?', { tail: question, lastSound: sinks }),
    probability('Which folder should I?', { tail: question, lastSound: sinks }),
  )
  falls(probability('Which folder is it?'), probability('Which folder should I'))
})

test('uses punctuation and words without audio or tail, and in other languages', () => {
  for (const [language, whole, open] of [
    ['en', 'I live in Berlin', 'I live in the'],
    ['de', 'Ich komme mit dem Zug', 'Ich komme mit dem'],
    ['fr', 'Je voudrais une table', 'Je voudrais parler à la'],
    ['es', 'Quiero una mesa', 'Quiero hablar con el'],
    ['it', 'Vorrei un tavolo', 'Vorrei parlare con il'],
  ] as const) {
    falls(probability(`${whole}.`, {}, language), probability(whole, {}, language), probability(`${whole},`, {}, language))
    falls(probability(`${whole},`, {}, language), probability(open, {}, language), probability(`${open},`, {}, language))
    falls(probability(whole, { tail: period }, language), probability(whole, { tail: comma }, language))
  }
  falls(probability('Ja, gut.', {}, 'nl'), probability('Ja, gut', {}, 'nl'), probability('Ja, gut…', {}, 'nl'))
})

test('treats no German verbs and particles as openers', () => {
  const whole = probability('Rufen Sie mich an', {}, 'de')
  for (const text of ['Das möchte ich haben', 'Legen Sie bitte auf', 'Das kann sein', 'Kommen Sie mit herein'])
    assert.equal(probability(text, {}, 'de'), whole)
  for (const text of ['Mein Name ist', 'Ich brauche einen', 'Das ist für', 'Da war ein Mann und', 'Ich möchte ähm'])
    assert.ok(probability(text, {}, 'de') < 0.3, text)
})

test('requires the default silence without any evidence', () => {
  const text = 'it works very well here'
  const { ms } = silenceAfter({ text, language: 'en' }, probability(text), defaultEndpointing)
  assert.equal(ms, 500)
})

test('reports the contribution of each factor', () => {
  const { probability: p, parts } = embeddedTurnDetector.judge({ text: 'My name is', language: 'en', tail: period, lastSound: stays })
  assert.deepEqual(Object.keys(parts), ['marks', 'words', 'length', 'sound'])
  assert.ok((parts['words'] ?? 0) < -1 && p < 0.1)
})
