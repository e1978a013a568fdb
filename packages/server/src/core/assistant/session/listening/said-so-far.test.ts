import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nothingLeft, ConversationFixture, type ConversationFixtureOptions } from '#test/session/conversation-fixture.ts'
import { SaidSoFar } from './turn-words.ts'

const ms = (milliseconds: number): number => milliseconds * 8

const inPause = (transcript: { text: string; confidence?: number; language?: string }) => ({
  turn: ms(700),
  last: ms(2000),
  to: ms(2120),
  transcript,
})

test('leaves only the rest of a turn unknown after a pause', () => {
  const soFar = new SaidSoFar()
  assert.equal(soFar.unknownFrom(ms(700)), ms(700))
  soFar.understood(inPause({ text: 'Three six.', confidence: 0.9, language: 'en' }))
  assert.equal(soFar.unknownFrom(ms(700)), ms(700), 'the voice has not gone on')
  soFar.goesOn(ms(2800))
  assert.equal(soFar.unknownFrom(ms(700)), ms(2500), 'a little before the voice')
  const rest = { text: ' nine two', confidence: 0.6, language: 'nl', tail: { stop: 0, question: 0, goesOn: 1, end: 0, word: 0 } }
  const { confidence = 0, ...all } = soFar.with(ms(700), rest)
  assert.deepEqual(all, { text: 'Three six. nine two', language: 'en', tail: rest.tail })
  assert.ok(confidence > 0.6 && confidence < 0.9, 'each counts as much as it says')
})

test('keeps everything unknown after a short pause, late words, or another turn', () => {
  const soFar = new SaidSoFar()
  soFar.understood(inPause({ text: 'one' }))
  soFar.goesOn(ms(2290))
  assert.equal(soFar.unknownFrom(ms(700)), ms(700), 'in the middle of a word, perhaps')
  soFar.goesOn(ms(9000))
  assert.equal(soFar.unknownFrom(ms(700)), ms(700), 'what was said between is not known')
  soFar.understood(inPause({ text: 'one' }))
  soFar.goesOn(ms(2310))
  assert.equal(soFar.unknownFrom(ms(700)), ms(2120), 'not what was listened to already')
  assert.equal(soFar.unknownFrom(ms(9000)), ms(9000))
  assert.deepEqual(soFar.with(ms(9000), { text: 'two' }), { text: 'two' })
})

test('ignores a part without words', () => {
  const soFar = new SaidSoFar()
  const words = { text: 'Three six.', confidence: 0.9 }
  soFar.understood(inPause(words))
  soFar.goesOn(ms(2800))
  assert.deepEqual(soFar.with(ms(700), { text: '.', confidence: 0.2 }), words)
})

test('recognises a voice without words again', () => {
  const soFar = new SaidSoFar()
  soFar.understood(inPause({ text: '' }))
  soFar.goesOn(ms(2800))
  assert.equal(soFar.unknownFrom(ms(700)), ms(700))
  assert.deepEqual(soFar.with(ms(700), { text: 'yes' }), { text: 'yes' })
})

const withFixture = async (options: ConversationFixtureOptions, play: (fixture: ConversationFixture) => Promise<void>): Promise<void> => {
  const fixture = new ConversationFixture(options)
  await play(fixture)
  assert.deepEqual(await fixture.close(), nothingLeft)
}

const secondsAsked = ({ stt }: ConversationFixture): number[] => stt.asked.map(({ from, to }) => Math.round((to - from) / ms(100)) / 10)

test('reads a number in groups, reports one turn, and ends soon after its last digit', () =>
  withFixture({}, async (fixture) => {
    fixture.conversation.expect({ expects: 'digits', expects_digits: 6 })
    for (const group of ['three six', 'nine two']) {
      await fixture.caller.speaks(group, 1000)
      await fixture.caller.silent(800)
    }
    await fixture.caller.speaks('five one', 1000)
    const said = fixture.clock.now()
    await fixture.caller.silent(1000)
    assert.deepEqual(secondsAsked(fixture), [1.1, 1.4, 1.4], 'with 300 ms before the voice')
    assert.deepEqual(
      fixture.all('said').map(({ text, at }) => [text, at - said]),
      [['3 6 9 2 5 1', 300]],
    )
  }))

test('recognises an unclear group together with the next one', () =>
  withFixture({}, async (fixture) => {
    fixture.conversation.expect({ expects: 'digits', expects_digits: 4 })
    fixture.stt.deafTo = 'three six'
    await fixture.caller.speaks('three six', 1000)
    await fixture.caller.silent(800)
    await fixture.caller.speaks('nine two', 1000)
    await fixture.caller.silent(1000)
    assert.deepEqual(secondsAsked(fixture), [1.1, 2.9])
    assert.deepEqual(fixture.story, ['speechStarted', 'said 3 6 9 2'])
  }))

test('recognises only the part of a long turn after its last long pause again', () =>
  withFixture({}, async (fixture) => {
    await fixture.caller.speaks('this is what I wanted to tell you and', 3500)
    await fixture.caller.silent(600)
    await fixture.caller.speaks('then there is something else that is', 3500)
    await fixture.caller.silent(600)
    await fixture.caller.speaks('not quite as urgent', 2000)
    await fixture.caller.silent(2500)
    assert.deepEqual(secondsAsked(fixture), [3.6, 7.8, 2.5])
    assert.deepEqual(
      fixture.all('said').map(({ text }) => text),
      ['this is what I wanted to tell you and then there is something else that is not quite as urgent'],
    )
  }))
