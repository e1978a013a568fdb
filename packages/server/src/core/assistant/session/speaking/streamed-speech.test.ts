import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nothingLeft, ConversationFixture } from '#test/session/conversation-fixture.ts'

const withFixture = async (play: (fixture: ConversationFixture) => Promise<void>): Promise<void> => {
  const fixture = new ConversationFixture()
  await play(fixture)
  assert.deepEqual(await fixture.close(), nothingLeft)
}

test('speaks each sentence while later ones arrive', () =>
  withFixture(async (fixture) => {
    const piece = (text: string, last = false): void => fixture.say(text, { stream_id: 's', last }, 'one')
    piece('Let me see')
    await fixture.clock.advance(200)
    assert.equal(fixture.tts.said.length, 0)
    piece('. There are')
    await fixture.clock.advance(200)
    assert.deepEqual(
      fixture.tts.said.map(({ text }) => text),
      ['Let me see.'],
    )
    piece(' two tables.')
    await fixture.clock.advance(3000)
    assert.equal(fixture.tts.said[1]?.text, 'There are two tables.', 'a pause after a full stop is the end of a sentence')
    assert.deepEqual(fixture.story, [], 'the speech goes on')
    piece(' At the window', true)
    await fixture.clock.advance(3000)
    assert.deepEqual(fixture.story, ['spoke', 'quiet'])
    assert.equal(fixture.all('spoke')[0]?.text, 'Let me see. There are two tables. At the window')
    assert.ok(fixture.heardInOrder)
  }))

test('accepts an SSML document as a part', () =>
  withFixture(async (fixture) => {
    fixture.say('One', { stream_id: 's', last: false })
    fixture.say('<speak>Two<break time="100ms"/></speak>', { stream_id: 's', last: false })
    fixture.conversation.say({ type: 'speak', session_id: '', ssml: '<speak>Three', stream_id: 's' }, 'broken')
    await fixture.clock.advance(3000)
    assert.deepEqual(
      fixture.tts.said.map(({ text }) => text),
      ['One', 'Two', 'Three'],
    )
    assert.equal(fixture.problems.length, 1)
    assert.match(fixture.problems[0] ?? '', /the SSML is said as plain text/)
    assert.equal(fixture.all('spoke')[0]?.durationMs, 11 * 50 + 100)
  }))

test('pauses at a tag in plain text, and says at once what precedes a flush', () =>
  withFixture(async (fixture) => {
    const piece = (text: string, last = false): void => fixture.say(text, { stream_id: 's', last }, 'one')
    const said = (): string[] => fixture.tts.said.map(({ text }) => text)
    piece('One moment <fl')
    await fixture.clock.advance(100)
    assert.deepEqual(said(), [], 'the tag is not complete')
    piece('ush /> two<bre')
    await fixture.clock.advance(100)
    assert.deepEqual(said(), ['One moment'])
    piece('ak time="100ms"/> three? <flush/>')
    await fixture.clock.advance(100)
    piece('4 <', true)
    await fixture.clock.advance(3000)
    assert.deepEqual(said(), ['One moment', 'two', 'three?', 'four'])
    assert.deepEqual(fixture.story, ['spoke', 'quiet'])
    assert.deepEqual(fixture.problems, [])
  }))

test('says names as the flow and the document pronounce them', async () => {
  const pronunciations = [
    { word: 'Siegl', say: 'Seegle' },
    { word: 'Nguyễn', say: '/wɪn/' },
  ]
  const fixture = new ConversationFixture({ settings: { pronunciations } })
  fixture.say('Nguyễn and Siegl at 5')
  fixture.say('<speak><phoneme ph="ʃiː">Xi</phoneme> asks Nguyễn</speak>')
  await fixture.clock.advance(5000)
  assert.deepEqual(
    fixture.tts.said.map(({ text, ipa }) => [text, ipa?.map((one) => one.ipa)]),
    [
      ['Nguyễn and Seegle at five', ['wɪn']],
      ['Xi asks Nguyễn', ['ʃiː', 'wɪn']],
    ],
  )
  assert.equal(fixture.all('spoke')[0]?.text, 'Nguyễn and Siegl at 5', 'the words stay as written')
  assert.deepEqual(await fixture.close(), nothingLeft)
})

test('ignores later parts of a cut stream and allows its id again', () =>
  withFixture(async (fixture) => {
    fixture.say('One sentence, which is rather long. ', { stream_id: 's', last: false })
    await fixture.clock.advance(500)
    fixture.conversation.interrupt()
    fixture.say('Another sentence. ', { stream_id: 's', last: false })
    fixture.say('The end.', { stream_id: 's', last: true })
    await fixture.clock.advance(1000)
    assert.deepEqual(fixture.story, ['cut', 'quiet'])
    fixture.say('Again.', { stream_id: 's' })
    await fixture.clock.advance(1000)
    assert.deepEqual(fixture.story, ['cut', 'quiet', 'spoke', 'quiet'])
  }))

test('limits a stream to the length of one text and reports the rest', () =>
  withFixture(async (fixture) => {
    fixture.say('This is a sentence of forty characters. '.repeat(250), { stream_id: 's', last: false })
    fixture.say('One more. ', { stream_id: 's', last: false })
    fixture.say('The end.', { stream_id: 's' })
    await fixture.clock.advance(1000)
    fixture.conversation.interrupt()
    assert.equal(fixture.all('spoke')[0]?.text?.length, 10_000)
    assert.deepEqual(fixture.story, ['cut', 'quiet'])
    assert.deepEqual(fixture.problems, ['text: a speech has at most 10000 characters; the rest of the stream is not said'])
  }))

test('ends a stream after 5 s without text; a later part starts a new speech', () =>
  withFixture(async (fixture) => {
    fixture.say('Just a moment', { stream_id: 's', last: false })
    await fixture.clock.advance(4_900)
    assert.deepEqual(fixture.story, [])
    await fixture.clock.advance(1000)
    assert.deepEqual(fixture.story, ['spoke', 'quiet'])
    assert.equal(fixture.tts.said[0]?.text, 'Just a moment')
    fixture.say('Here it is', { stream_id: 's' })
    await fixture.clock.advance(1000)
    assert.deepEqual(fixture.story, ['spoke', 'quiet', 'spoke', 'quiet'])
  }))
