import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSpeakable } from './is-speakable.ts'

test('finds words, numbers and signs that are read as words', () => {
  for (const text of [
    'Hi',
    ' 4 ',
    '½',
    '€',
    '5 %',
    '你好',
    'Да',
    '<speak>Hi</speak>',
    '👍 ok',
    'a<b',
    '<break time="1s"/>',
    '<speak><audio src="x"/></speak>',
  ])
    assert.equal(isSpeakable(text), true, text)
})

test('finds nothing to say in emptiness, punctuation, emoji and tags', () => {
  for (const text of [
    '',
    ' \n',
    '…',
    '?!',
    '—',
    '👍',
    '👩‍👩‍👧',
    '🇩🇪',
    '1️⃣',
    '❤️',
    '<speak></speak>',
    '<speak><p> </p></speak>',
    '<flush/>',
    '**',
    '\u200b',
  ])
    assert.equal(isSpeakable(text), false, text)
})

test('reads hostile tags in linear time', () => {
  const started = process.cpuUsage().user
  assert.equal(isSpeakable('<'.repeat(10_000)), false)
  assert.equal(isSpeakable(`<${'a '.repeat(5_000)}`), true)
  assert.ok(process.cpuUsage().user - started < 500_000)
})
