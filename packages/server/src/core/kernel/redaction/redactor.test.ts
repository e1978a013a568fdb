import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redactions } from '@offhook/contract/v3/flow-values.ts'
import { Redactor } from './redactor.ts'

const redactor = new Redactor(redactions)
const card = '4111 1111 1111 1111'

test('redacts texts, lists, objects and numbers, but not ids and measures', () => {
  const value = {
    type: 'user_speak',
    session: { id: '1234-5678', from_phone_number: '4921163550' },
    text: `My card is ${card}`,
    words: [{ text: '4111' }, { text: '1111' }],
    speech_started_at: 1_790_000_000_000,
    fields: { card: 4111111111111111, guests: 2, notes: ['max@example.com', 'none'] },
  }
  assert.deepEqual(redactor.value(value), {
    type: 'user_speak',
    session: value.session,
    text: 'My card is [card]',
    speech_started_at: 1_790_000_000_000,
    fields: { card: '[card]', guests: 2, notes: ['[email]', 'none'] },
  })
})

test('returns the same object and body when there are no matches', () => {
  const value = { text: 'Hello', words: [{ text: 'Hello' }], list: [1, null, { a: true }] }
  assert.equal(redactor.value(value), value)
  const body = '{ "type": "speak",\n "text": "Hello" }'
  assert.equal(redactor.body(body), body)
  assert.equal(redactor.body(`{"text":"${card}"}`), '{"text":"[card]"}')
  assert.equal(redactor.body(`{"text":"${card}`), '{"text":"[card]', 'cut off')
})

test('hides digits in streamed pieces, DTMF keys and incomplete speech', () => {
  const piece = (text: string) => redactor.value({ type: 'speak', stream_id: 's', text })
  assert.deepEqual(piece('Your card 4111'), { type: 'speak', stream_id: 's', text: '…' })
  assert.deepEqual(piece('Good morning'), { type: 'speak', stream_id: 's', text: 'Good morning' })
  assert.deepEqual(redactor.value({ type: 'dtmf_received', digit: '7' }), { type: 'dtmf_received', digit: '•' })
  assert.deepEqual(
    ['7', '#'].map((key) => new Redactor(['email']).key(key)),
    ['7', '#'],
  )
  assert.equal(new Redactor(['card']).begun('it is 4111 1111'), 'it is [digits]')
  assert.equal(new Redactor(['email']).begun('it is 4111 1111'), 'it is 4111 1111')
})
