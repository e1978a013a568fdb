import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Speakable, speakable } from './speakable.ts'

const cases: [string, string][] = [
  ['We are open from nine to five.', 'We are open from nine to five.'],
  ['**Sure**, we _can_ do `that`.', 'Sure, we can do that.'],
  ['# Hours\n\n- Monday\n- Tuesday: closed.\n', 'Hours. Monday. Tuesday: closed.'],
  ['See [our page](https://example.org/a?b=c) or https://example.org/x.', 'See our page or.'],
  ['Great 😀👍🏽 thanks 🇩🇪!', 'Great thanks!'],
  ['<caller-ab12>Hello</caller-ab12> <b>you</b>', 'Hello you'],
  ['It costs 3 < 5 euros, 2 - 1 left.', 'It costs 3 < 5 euros, 2 - 1 left.'],
  ['<|im_end|>Done', 'Done'],
  ['first_name stays', 'first_name stays'],
  ['1. Call us\n2. Wait', '1. Call us. 2. Wait'],
]

test('removes text that a voice cannot say', () => {
  for (const [written, said] of cases) assert.equal(speakable(written), said)
})

test('gives the same result for any chunking', () => {
  for (const [written, said] of cases) {
    for (const size of [1, 2, 3, 7]) {
      const voice = new Speakable()
      const pieces = written.match(new RegExp(`.{1,${size}}`, 'gsu')) ?? []
      assert.equal((pieces.map((piece) => voice.put(piece)).join('') + voice.end()).trim(), said, `${size}: ${written}`)
    }
  }
})

test('emits a word as soon as the next one begins', () => {
  const voice = new Speakable()
  assert.deepEqual(
    ['Cer', 'tainly', ',', ' we', ' are'].map((token) => voice.put(token)),
    ['', '', '', 'Certainly,', ' we'],
  )
  assert.equal(voice.end(), ' are')
})
