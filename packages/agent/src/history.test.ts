import assert from 'node:assert/strict'
import { test } from 'node:test'
import { History } from './history.ts'

const said = (history: History): (string | null)[] =>
  history
    .messages()
    .slice(1)
    .map(({ content }) => content)

/** One speech for each text. */
const speak = (history: History, ...texts: string[]): void => {
  const answer = history.answer()
  for (const text of texts) {
    answer.say(text)
    answer.end()
  }
}

test('applies an interruption to the latest speech, never to an older one', () => {
  const history = new History(() => '')
  speak(history, 'Tonight we have soup and cake.')
  history.sounded('Tonight we have soup and cake.', 'Tonight we have')
  history.interrupted('Tonight we have')
  history.caller('Stop')
  speak(history, 'Of course.')
  history.interrupted('')
  assert.deepEqual(said(history), ['Tonight we have…', 'Stop'])
})

test("accepts a cut that is reported only with the caller's next words", () => {
  const history = new History(() => '')
  speak(history, 'One moment.', 'We are open until five.')
  history.sounded('One moment.', undefined)
  history.sounded('We are open until five.', undefined)
  history.interrupted('We are open')
  assert.deepEqual(said(history), ['One moment. We are open…'])
})

test('joins a paused speech that is reported in two parts', () => {
  const history = new History(() => '')
  const answer = history.answer()
  answer.say('Let me see. ')
  history.sounded('Let me see.', undefined)
  answer.say('Here it is.')
  answer.end()
  history.sounded('Here it is.', undefined)
  history.interrupted(undefined)
  assert.deepEqual(said(history), ['Let me see. Here it is.'])
})

test('ignores third-party speech such as a filler', () => {
  const history = new History(() => '')
  speak(history, 'Yes.')
  history.sounded('One moment, please.', undefined)
  history.interrupted(undefined)
  assert.deepEqual(said(history), [])
})

test('counts protected speech as heard, whenever it is reported', () => {
  const history = new History(() => '')
  history.answer().protect('You talk to a machine.')
  history.interrupted(undefined)
  history.caller('Hello')
  history.sounded('You talk to a machine.', undefined)
  assert.deepEqual(said(history), ['You talk to a machine.', 'Hello'])
})

test('drops the oldest entries first, tool calls with their answers', () => {
  const history = new History(() => 'system')
  const answer = history.answer()
  answer.called([{ id: 'a', name: 'look_up', arguments: '{broken' }])
  answer.result('a', 'x'.repeat(30_000))
  history.caller('y'.repeat(30_000))
  speak(history, 'z')
  assert.deepEqual(
    history.messages().map(({ role, content }) => `${role} ${content?.length}`),
    ['system 6', 'user 30000', 'assistant 1'],
  )
})
