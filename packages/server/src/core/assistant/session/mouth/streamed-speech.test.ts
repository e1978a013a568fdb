import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nothingLeft, TalkStage } from '#test/session/talk-stage.ts'

const withStage = async (play: (stage: TalkStage) => Promise<void>): Promise<void> => {
  const stage = new TalkStage()
  await play(stage)
  assert.deepEqual(await stage.close(), nothingLeft)
}

test('each sentence is spoken while the rest is still coming', () =>
  withStage(async (stage) => {
    const piece = (text: string, last = false): void => stage.say(text, { stream_id: 's', last }, 'one')
    piece('Let me see')
    await stage.clock.advance(200)
    assert.equal(stage.tts.said.length, 0)
    piece('. There are')
    await stage.clock.advance(200)
    assert.deepEqual(
      stage.tts.said.map(({ text }) => text),
      ['Let me see.'],
    )
    piece(' two tables.')
    await stage.clock.advance(3000)
    assert.equal(stage.tts.said[1]?.text, 'There are two tables.', 'a pause after a full stop is the end of a sentence')
    assert.deepEqual(stage.story, [], 'the speech goes on')
    piece(' At the window', true)
    await stage.clock.advance(3000)
    assert.deepEqual(stage.story, ['spoke', 'quiet'])
    assert.equal(stage.all('spoke')[0]?.text, 'Let me see. There are two tables. At the window')
    assert.ok(stage.heardInOrder)
  }))

test('a piece may be a document', () =>
  withStage(async (stage) => {
    stage.say('One', { stream_id: 's', last: false })
    stage.say('<speak>Two<break time="100ms"/></speak>', { stream_id: 's', last: false })
    stage.talk.say({ type: 'speak', session_id: '', ssml: '<speak>Three', stream_id: 's' }, 'broken')
    await stage.clock.advance(3000)
    assert.deepEqual(
      stage.tts.said.map(({ text }) => text),
      ['One', 'Two', 'Three'],
    )
    assert.equal(stage.problems.length, 1)
    assert.match(stage.problems[0] ?? '', /the SSML is said as plain text/)
    assert.equal(stage.all('spoke')[0]?.durationMs, 11 * 50 + 100)
  }))

test('pieces of a speech that was cut are never heard; the id may be used again', () =>
  withStage(async (stage) => {
    stage.say('One sentence, which is rather long. ', { stream_id: 's', last: false })
    await stage.clock.advance(500)
    stage.talk.interrupt()
    stage.say('Another sentence. ', { stream_id: 's', last: false })
    stage.say('The end.', { stream_id: 's', last: true })
    await stage.clock.advance(1000)
    assert.deepEqual(stage.story, ['cut', 'quiet'])
    stage.say('Again.', { stream_id: 's' })
    await stage.clock.advance(1000)
    assert.deepEqual(stage.story, ['cut', 'quiet', 'spoke', 'quiet'])
  }))

test('it is no longer than one text may be, and the customer is told', () =>
  withStage(async (stage) => {
    stage.say('This is a sentence of forty characters. '.repeat(250), { stream_id: 's', last: false })
    stage.say('One more. ', { stream_id: 's', last: false })
    stage.say('The end.', { stream_id: 's' })
    await stage.clock.advance(1000)
    stage.talk.interrupt()
    assert.equal(stage.all('spoke')[0]?.text?.length, 10_000)
    assert.deepEqual(stage.story, ['cut', 'quiet'])
    assert.deepEqual(stage.problems, ['text: a speech has at most 10000 characters; the rest of the stream is not said'])
  }))

test('nobody waits for more than 30 seconds for the next piece', () =>
  withStage(async (stage) => {
    stage.say('Just a moment', { stream_id: 's', last: false })
    await stage.clock.advance(29_900)
    assert.deepEqual(stage.story, [])
    await stage.clock.advance(1000)
    assert.deepEqual(stage.story, ['spoke', 'quiet'])
    assert.equal(stage.tts.said[0]?.text, 'Just a moment')
  }))
