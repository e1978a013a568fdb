import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import { maxUtteranceLength, UtteranceSplitter, utterancesOf } from './sentences.ts'

test('splits by sentence, with an early first utterance', () => {
  assert.deepEqual(
    utterancesOf('Thank you for calling, this is the office of Dr. Smith. How can I help? We close at 5 p.m. Today.', 'en-US'),
    ['Thank you for calling,', 'this is the office of Dr. Smith.', 'How can I help?', 'We close at 5 p.m.', 'Today.'],
  )
  assert.deepEqual(
    utterancesOf('Guten Morgen, Sie sprechen z. B. mit Hr. Müller. Kommen Sie am 3. Mai in den 2. Stock, Zimmer 3. Danke!', 'de-DE'),
    ['Guten Morgen,', 'Sie sprechen z. B. mit Hr. Müller.', 'Kommen Sie am 3. Mai in den 2. Stock, Zimmer 3.', 'Danke!'],
  )
})

test('does not split off a very short beginning', () => {
  assert.deepEqual(utterancesOf('Yes, that is right.', 'en'), ['Yes, that is right.'])
})

test('keeps numbers, versions and addresses together', () => {
  assert.deepEqual(utterancesOf('It costs 1,250.50 dollars at shop.example.com today. Fine.', 'en'), [
    'It costs 1,250.50 dollars at shop.example.com today.',
    'Fine.',
  ])
})

test('splits list items and paragraphs, but not wrapped lines', () => {
  assert.deepEqual(utterancesOf('We offer\n- pizza\n- pasta\n\n1. Choose\n2. Pay\nwith your\ncard', 'en'), [
    'We offer',
    '- pizza',
    '- pasta',
    '1. Choose',
    '2. Pay\nwith your\ncard',
  ])
})

test('splits a long sentence at clauses, otherwise before conjunctions, otherwise between words', () => {
  const clause = 'the parcel was handed to the driver in the morning'
  assert.deepEqual(utterancesOf(`Well, ${clause}, ${clause}, ${clause}.`, 'en').slice(1), [`${clause}, ${clause}.`])
  const words = utterancesOf(`${'lorem ipsum '.repeat(12)}and ${'dolor sit amet '.repeat(10)}`, 'la')
  assert.match(words[1] ?? '', /^and dolor/)
})

const sentence = fc.constantFrom(
  'Hello, ',
  'am 3. Mai ',
  'z. B. ',
  'Dr. No. ',
  'usw. Dann ',
  '5 p.m. ',
  'wait... ',
  '"Yes!" ',
  'a – b ',
  '\n- item\n',
  '\n\n',
  '12.5 ',
  'und so weiter und so fort ',
  'お元気ですか？',
  '😀',
  'x'.repeat(90),
)
const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.array(sentence, { maxLength: 40 }).map((parts) => parts.join('')),
)
const language = fc.constantFrom('en-US', 'de-DE', 'fr-FR')
const packed = (text: string): string => text.replace(/\s+/g, '')

test('keeps all text in order and within the maximum length', () => {
  fc.assert(
    fc.property(anyText, language, (text, language) => {
      const utterances = utterancesOf(text, language)
      assert.equal(packed(utterances.join('')), packed(text))
      for (const utterance of utterances) {
        assert.ok(utterance.length > 0 && utterance.length <= maxUtteranceLength)
        assert.ok(utterance.isWellFormed() || !text.isWellFormed())
      }
    }),
  )
})

test('splits streamed text at the same places', () => {
  fc.assert(
    fc.property(anyText, language, fc.infiniteStream(fc.integer({ min: 1, max: 30 })), (text, language, sizes) => {
      const cutter = new UtteranceSplitter(language)
      const utterances: string[] = []
      for (let at = 0; at < text.length;) {
        const size = sizes.next().value ?? 1
        utterances.push(...cutter.feed(text.slice(at, at + size)))
        at += size
      }
      assert.deepEqual([...utterances, ...cutter.flush()], utterancesOf(text, language))
    }),
  )
})

test('emits a complete sentence as soon as the next word begins', () => {
  const cutter = new UtteranceSplitter('en')
  assert.deepEqual(cutter.feed('One moment please. '), [])
  assert.deepEqual(cutter.feed('I'), ['One moment please.'])
  assert.deepEqual(cutter.flush(), ['I'])
  assert.deepEqual(cutter.flush(), [])
})
