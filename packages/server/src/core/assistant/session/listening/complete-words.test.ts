import assert from 'node:assert/strict'
import { test } from 'node:test'
import { completenessOf, endOfTurnSilence } from './complete-words.ts'

const english: Record<string, readonly string[]> = {
  complete: ['Yes.', 'no', 'Yes, please!', 'No, thank you.', 'That’s right.', 'OK'],
  open: [
    'My name is',
    'I would like to speak to the.',
    'From Berlin to -',
    'It is um',
    'zero three zero',
    '0 3 0 1',
    'the number is 4719',
    'I am waiting…',
    'and',
  ],
  hanging: ['Well, I think,', 'There is one other participant in the conference,'],
  unclear: ['I would like a table for two.', 'Where are you from?', 'At five o’clock.', 'Room 12.', 'one', ''],
}

const german: Record<string, readonly string[]> = {
  complete: ['Ja.', 'Nein, danke.', 'ja genau', 'Auf Wiederhören!'],
  open: ['Ich möchte mit dem', 'Mein Name ist', 'Das ist für', 'null drei null', 'Ich brauche einen,', 'ähm'],
  unclear: ['Rufen Sie mich bitte an.', 'Ich komme mit dem Zug.', 'Um acht.', 'Wie heißen Sie?', 'Zimmer zwölf'],
}

test('what the words tell about whether more is to come', () => {
  for (const [language, lists] of Object.entries({ 'en-US': english, de: german }))
    for (const [expected, texts] of Object.entries(lists))
      for (const text of texts) assert.equal(completenessOf(text, language), expected, `${language}: ${text}`)
})

test('of other languages only the punctuation is understood', () => {
  assert.equal(completenessOf('Je voudrais parler à la', 'fr'), 'unclear')
  assert.equal(completenessOf('Bonjour,', 'fr'), 'hanging')
})

test('the silence is shortened and lengthened within bounds, and never against an explicit wish', () => {
  const silences = (wanted: number): number[] =>
    ['yes', 'I am done.', 'I am done,', 'my name is'].map((text) => endOfTurnSilence(wanted, text, 'en'))
  assert.deepEqual(silences(500), [300, 500, 750, 1000])
  assert.deepEqual(silences(150), [150, 150, 225, 900])
  assert.deepEqual(silences(1000), [600, 1000, 1200, 1200])
  assert.deepEqual(silences(2000), [1200, 2000, 2000, 2000])
})
