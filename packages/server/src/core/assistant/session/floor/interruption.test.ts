import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isBackChannel, reasonToStop, type Interjection } from './interruption.ts'

const heard = (text: string, more: Partial<Interjection> = {}): Interjection => ({
  text,
  confidence: 0.9,
  language: 'en-GB',
  voicedMs: 400,
  answers: false,
  final: false,
  ...more,
})

test('does not stop for back-channels in five languages, and for mere sounds in others', () => {
  const said: Record<string, string[]> = {
    en: [
      'Mhm.',
      'Uh-huh',
      'Yeah, okay.',
      'All right!',
      'I see',
      'Yes',
      'Oh, wow.',
      'Got it, okay',
      'Unham,',
      'On how?',
      'Um hum, anhan',
      'O, pay.',
    ],
    de: ['Mhm', 'Ja, genau.', 'Ach so.', 'Alles klar', 'Okay, ich verstehe', 'Hm, ja, ja'],
    fr: ['D’accord.', "Oui, d'accord", 'Très bien', "Ah bon, c'est ça"],
    es: ['Sí, claro.', 'Ajá', 'Muy bien, de acuerdo', 'Vale vale'],
    it: ['Sì, va bene.', 'Certo', 'Ho capito', "D'accordo, perfetto"],
    nl: ['Mhm', 'Okay!'],
  }
  for (const [language, texts] of Object.entries(said))
    for (const text of texts) {
      for (const final of [false, true]) assert.equal(reasonToStop(heard(text, { language, voicedMs: 1500, final })), undefined, text)
      assert.equal(isBackChannel(text, language), true, text)
    }
  assert.equal(isBackChannel('', 'en'), false)
  assert.equal(isBackChannel('…', 'en'), false)
  for (const text of ['Yes, but not today', 'On him', 'Anna', 'A man']) assert.equal(isBackChannel(text, 'en'), false, text)
  assert.equal(isBackChannel('Unham', 'de'), false)
})

test('stops at one stop word with any confidence', () => {
  for (const [language, text] of Object.entries({ en: 'Yeah, wait', de: 'Moment!', fr: 'Attendez', es: 'Espere', it: 'Aspetti' }))
    assert.equal(reasonToStop(heard(text, { language, confidence: 0.1 })), 'stop_word')
  assert.equal(reasonToStop(heard('Stop it', { language: 'pl' })), 'words', 'where none are known, words are words')
})

test('stops at one confident word, two likely words, or any word in a long voice', () => {
  assert.equal(reasonToStop(heard('Tuesday', { confidence: 0.6 })), 'words')
  assert.equal(reasonToStop(heard('Tuesday', { confidence: 0.59 })), undefined)
  assert.equal(reasonToStop(heard('Okay Tuesday', { confidence: 0.59 })), undefined, 'one of the two says nothing')
  assert.equal(reasonToStop(heard('on Tuesday', { confidence: 0.4 })), 'words')
  assert.equal(reasonToStop(heard('on Tuesday', { confidence: 0.39 })), undefined)
  assert.equal(reasonToStop(heard('Tuesday', { confidence: 0.1, voicedMs: 700 })), 'long_voice')
  assert.equal(reasonToStop(heard('I', { voicedMs: 900 })), undefined, 'a letter may be the beginning of anything')
  assert.equal(reasonToStop(heard('Tuesday', { confidence: undefined })), 'words', 'who does not tell is believed')
})

test('ignores words that are too long for the voiced time', () => {
  assert.equal(reasonToStop(heard("I'm coming", { voicedMs: 260 })), undefined)
  assert.equal(reasonToStop(heard("I'm coming", { voicedMs: 280 })), 'words')
  assert.equal(reasonToStop(heard('Stop talking right now', { voicedMs: 200 })), 'stop_word', 'these are worth being wrong')
  assert.equal(reasonToStop(heard("I'm um", { voicedMs: 260 })), undefined, 'an apostrophe is no letter')
})

test('accepts back-channels as the answer in the last clause of a question', () => {
  assert.equal(reasonToStop(heard('Yes.', { answers: true })), 'answer')
  assert.equal(reasonToStop(heard('ok', { answers: true })), 'answer')
  assert.equal(reasonToStop(heard('Yes.', { answers: true, confidence: 0.5 })), undefined)
  assert.equal(reasonToStop(heard('Yes.', { answers: true, confidence: 0.5, final: true })), 'answer')
})

test('stops at clear words when the turn is over', () => {
  assert.equal(reasonToStop(heard('Hi', { final: true })), 'end_of_turn')
  assert.equal(reasonToStop(heard('Hi', { final: true, confidence: 0.49 })), undefined)
})
