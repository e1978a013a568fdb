import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConversationFixture, nothingLeft, type ConversationFixtureOptions } from '#test/session/conversation-fixture.ts'

const disclosure = 'You are talking to a machine that writes down what is said here.'

const withFixture = async (options: ConversationFixtureOptions, play: (fixture: ConversationFixture) => Promise<void>): Promise<void> => {
  const fixture = new ConversationFixture(options)
  await play(fixture)
  assert.deepEqual(await fixture.close(), nothingLeft)
}

const strategies = ['none', 'manual', 'minimum_characters', 'immediate', 'words'] as const

test('plays protected speech to its end with every strategy, and still hears the caller', async () => {
  for (const strategy of strategies)
    await withFixture({ settings: { bargeIn: { strategy } } }, async (fixture) => {
      fixture.say(disclosure, { protect: true, barge_in: { strategy } })
      await fixture.clock.advance(500)
      await fixture.caller.speaks('stop I want a person')
      await fixture.caller.silent(8000)
      assert.deepEqual(fixture.story, ['speechStarted', 'said stop I want a person', 'spoke', 'quiet'], strategy)
      const [spoke] = fixture.all('spoke')
      assert.equal(spoke?.heardText, disclosure)
      assert.equal(fixture.all('said')[0]?.bargedIn, false)
      assert.ok(fixture.heardInOrder)
    })
})

test('plays protected speech after a caller turn that makes other speech outdated', () =>
  withFixture({}, async (fixture) => {
    await fixture.caller.speaks('hello is there anybody')
    fixture.say(disclosure, { protect: true }, 'disclosure')
    fixture.say('Good morning.', {}, 'greeting')
    await fixture.caller.silent(8000)
    assert.deepEqual(fixture.story, ['speechStarted', 'discarded greeting', 'said hello is there anybody', 'spoke', 'quiet'])
  }))

test('plays protected speech that waits behind a speech that the caller interrupts', async () => {
  for (const strategy of ['minimum_characters', 'immediate', 'words'] as const)
    await withFixture({ settings: { bargeIn: { strategy } } }, async (fixture) => {
      fixture.say('We are open from nine to five on every day of the week, and on Saturdays until noon.', {}, 'hours')
      fixture.say(disclosure, { protect: true }, 'disclosure')
      fixture.say('Good morning.', {}, 'greeting')
      await fixture.clock.advance(500)
      await fixture.caller.speaks('stop I want a person')
      await fixture.caller.silent(8000)
      const story = ['speechStarted', 'cut', 'discarded greeting', 'said stop I want a person (barged in)', 'spoke', 'quiet']
      assert.deepEqual(fixture.story, story, strategy)
      assert.equal(fixture.all('spoke').at(-1)?.heardText, disclosure, strategy)
    })
})

test("keeps protected speech at the endpoint's bargeIn and drops the rest", () =>
  withFixture({}, async (fixture) => {
    fixture.say(disclosure, { protect: true })
    fixture.say('Good morning.', {}, 'greeting')
    await fixture.clock.advance(500)
    assert.equal(fixture.conversation.protects, true)
    fixture.conversation.bargeIn()
    await fixture.clock.advance(8000)
    assert.equal(fixture.conversation.protects, false)
    assert.deepEqual(fixture.story, ['discarded greeting', 'spoke', 'quiet'])
    fixture.say(disclosure, { protect: true })
    await fixture.clock.advance(500)
    fixture.conversation.interrupt()
    assert.deepEqual(fixture.story.slice(3), ['cut', 'quiet'], 'a transfer or the end of the call ends it')
  }))

test('reports a back-channel during protected speech as such', () =>
  withFixture({}, async (fixture) => {
    fixture.say(disclosure, { protect: true })
    await fixture.clock.advance(500)
    await fixture.caller.speaks('okay')
    await fixture.caller.silent(8000)
    assert.deepEqual(fixture.story, ['speechStarted', 'backchannel okay', 'spoke', 'quiet'])
  }))
