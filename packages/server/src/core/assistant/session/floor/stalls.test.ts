import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConversationFixture, nothingLeft } from '#test/session/conversation-fixture.ts'

const filler = { type: 'speak', session_id: '', text: 'One moment' } as const
const nobody = (): void => assert.fail('nobody hears it')

/** A streamed speech that has had no audio for more than a second. */
const stalled = async (more: Parameters<ConversationFixture['say']>[1] = {}): Promise<ConversationFixture> => {
  const fixture = new ConversationFixture()
  fixture.say('Let me see. ', { stream_id: 's', last: false, ...more }, 'one')
  await fixture.clock.advance(600)
  assert.equal(fixture.conversation.stalled, false, 'it sounds')
  await fixture.clock.advance(1_700)
  assert.equal(fixture.conversation.stalled, true)
  return fixture
}

test('plays a filler inside a stalled speech and then resumes the speech', async () => {
  const fixture = await stalled()
  let sounds = 0
  fixture.conversation.sayAside(filler, 'two', () => sounds++)
  await fixture.clock.advance(300)
  assert.equal(sounds, 1)
  fixture.say('Here it is.', { stream_id: 's', last: true }, 'three')
  await fixture.clock.advance(3_000)
  assert.deepEqual(fixture.story, ['spoke', 'quiet'])
  assert.deepEqual(
    fixture.all('spoke').map(({ text, heardText, completed }) => [text, heardText, completed]),
    [['Let me see. Here it is.', 'Let me see. Here it is.', true]],
  )
  assert.deepEqual(await fixture.close(), nothingLeft)
})

test('drops a filler when the speech continues or the caller speaks before it has audio', async () => {
  const goesOn = await stalled()
  goesOn.tts.firstMs = 500
  goesOn.conversation.sayAside(filler, 'two', nobody)
  goesOn.tts.firstMs = 20
  goesOn.say('Here it is.', { stream_id: 's', last: true }, 'three')
  await goesOn.clock.advance(3_000)
  assert.deepEqual(goesOn.story, ['spoke', 'quiet'])
  assert.deepEqual(await goesOn.close(), nothingLeft)

  const interrupted = await stalled()
  interrupted.tts.firstMs = 500
  interrupted.conversation.sayAside(filler, 'two', nobody)
  await interrupted.caller.speaks('hello there', 600)
  await interrupted.caller.silent(1_000)
  assert.deepEqual(interrupted.story, ['speechStarted', 'cut', 'quiet', 'said hello there (barged in)'])
  assert.deepEqual(await interrupted.close(), nothingLeft)
})

test('never plays a filler that is cancelled during synthesis', async () => {
  const fixture = await stalled()
  fixture.tts.firstMs = 500
  const takeBack = fixture.conversation.sayAside(filler, 'two', nobody)
  await fixture.clock.advance(100)
  takeBack()
  await fixture.clock.advance(3_000)
  assert.deepEqual(await fixture.close(), nothingLeft)
})

test('ends a stalled speech at caller words during the filler, unless it is not interruptible', async () => {
  const usual = await stalled()
  usual.conversation.sayAside({ ...filler, text: 'One moment, that takes a while' }, 'two', () => {})
  await usual.clock.advance(200)
  await usual.caller.speaks('hello there', 400)
  await usual.caller.silent(3_000)
  usual.say('Nobody wants to hear that.', { stream_id: 's', last: true }, 'three')
  await usual.clock.advance(3_000)
  assert.deepEqual(usual.story, ['speechStarted', 'cut', 'said hello there', 'quiet'])
  assert.deepEqual(await usual.close(), nothingLeft)

  const manual = await stalled({ barge_in: { strategy: 'manual' } })
  manual.conversation.sayAside({ ...filler, text: 'One moment, that takes a while' }, 'two', () => {})
  await manual.clock.advance(200)
  await manual.caller.speaks('hello there', 400)
  await manual.caller.silent(700)
  manual.say('This has to be heard.', { stream_id: 's', last: true }, 'three')
  await manual.clock.advance(4_000)
  assert.deepEqual(manual.story, ['speechStarted', 'said hello there', 'spoke', 'quiet'])
  assert.deepEqual(await manual.close(), nothingLeft)
})

test('does not count a speech paused by hold as stalled', async () => {
  const fixture = new ConversationFixture()
  fixture.say('Let me see, that takes a while. ', { stream_id: 's', last: false }, 'one')
  await fixture.clock.advance(500)
  const feed = fixture.leg.feeds[0] ?? assert.fail('it sounds')
  feed.playedMs = () => 400
  await fixture.clock.advance(4_000)
  assert.equal(fixture.conversation.stalled, false)
  assert.deepEqual(await fixture.close(), nothingLeft)
})

test('does not count a stream as stalled after a question', async () => {
  const fixture = new ConversationFixture()
  fixture.say('What is your name? ', { stream_id: 's', last: false }, 'one')
  await fixture.clock.advance(4_000)
  assert.equal(fixture.conversation.stalled, false)
  assert.deepEqual(await fixture.close(), nothingLeft)
})
