import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConversationFixture, nothingLeft } from '#test/session/conversation-fixture.ts'

const filler = { type: 'speak', session_id: '', text: 'One moment' } as const

test('plays a filler before the answer without reporting it', async () => {
  const fixture = new ConversationFixture()
  let sounds = 0
  const takeBack = fixture.conversation.sayAside(filler, 'one', () => sounds++)
  await fixture.clock.advance(100)
  assert.equal(sounds, 1)
  takeBack()
  fixture.say('Here it is', {}, 'two')
  await fixture.clock.advance(3000)
  assert.deepEqual(
    fixture.tts.said.map(({ text }) => text),
    ['One moment', 'Here it is'],
  )
  assert.deepEqual(fixture.story, ['spoke', 'quiet'])
  assert.equal(fixture.all('spoke')[0]?.text, 'Here it is')
  assert.deepEqual(await fixture.close(), nothingLeft)
})

test('cancels a filler that is not yet audible', async () => {
  const fixture = new ConversationFixture()
  fixture.say('Something else', {}, 'one')
  const takeBack = fixture.conversation.sayAside(filler, 'one', () => assert.fail('it was taken back'))
  takeBack()
  await fixture.clock.advance(3000)
  assert.deepEqual(fixture.story, ['spoke', 'quiet'])
  assert.deepEqual(await fixture.close(), nothingLeft)
})
