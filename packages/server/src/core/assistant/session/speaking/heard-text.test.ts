import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import { heardText, type TimedWords } from './playout.ts'

const utterances: TimedWords[] = [
  { text: 'Good morning.', fromMs: 0, toMs: 1300 },
  { text: '', fromMs: 1300, toMs: 2000 },
  { text: 'How can I help you?', fromMs: 2000, toMs: 3900 },
]

test('returns whole words, spread over the audio of their utterance', () => {
  const heard = (ms: number): string => heardText(utterances, ms, 3900)
  assert.deepEqual([0, 300, 400, 1299, 1300, 1999].map(heard), ['', '', 'Good', 'Good', 'Good morning.', 'Good morning.'])
  assert.equal(heard(2750), 'Good morning. How can')
  assert.equal(heard(9999), 'Good morning. How can I help you?')
})

test('returns no more than could have been heard of an incomplete utterance', () => {
  const open: TimedWords[] = [{ text: 'A sentence of forty characters, more or less', fromMs: 0, toMs: undefined }]
  assert.equal(heardText(open, 500, 500), 'A')
  assert.equal(heardText(open, 6000, 6000), open[0]?.text)
})

test('grows word by word and is always a prefix of the whole', () => {
  const words = fc.array(
    fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme-ascii' }).map((word) => word.replaceAll(/\s/g, 'x')),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(words, fc.integer({ min: 1, max: 5000 })), { minLength: 1, maxLength: 5 }), (parts) => {
      let at = 0
      const timeline = parts.map(([text, lasts]): TimedWords => ({ text: text.join(' '), fromMs: at, toMs: (at += lasts) }))
      const whole = timeline.map(({ text }) => text).join(' ')
      let before = ''
      for (let ms = 0; ms <= at; ms += 97) {
        const heard = heardText(timeline, ms, at)
        assert.ok(whole.startsWith(heard) && heard.startsWith(before), `${heard} at ${ms}`)
        before = heard
      }
      assert.equal(heardText(timeline, at, at), whole)
    }),
  )
})
