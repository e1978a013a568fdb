import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConversationFixture, type ConversationFixtureOptions } from '#test/session/conversation-fixture.ts'
import { abandonMs } from '#core/speech/voices/rehearsals.ts'

const withFixture = async (options: ConversationFixtureOptions, run: (fixture: ConversationFixture) => Promise<void>): Promise<void> => {
  const fixture = new ConversationFixture(options)
  await run(fixture)
  await fixture.conversation.close()
}

const said = ({ tts }: ConversationFixture): string[] => tts.said.map(({ text }) => text)

test('synthesizes prefetch texts after the speech, so that they start immediately', () =>
  withFixture({}, async (fixture) => {
    fixture.say('What can I do for you?', { prefetch: ['We are open. Until six.', 'Goodbye.'] })
    await fixture.clock.advance(4000)
    assert.deepEqual(said(fixture), ['What can I do for you?', 'We are open.', 'Until six.', 'Goodbye.'])
    assert.deepEqual(
      fixture.tts.said.map(({ ahead }) => ahead),
      [undefined, abandonMs, abandonMs, abandonMs],
    )
    fixture.say('Goodbye.')
    await fixture.clock.advance(3000)
    assert.equal(fixture.all('spoke')[1]?.firstSoundMs, 0)
    assert.equal(fixture.tts.said.length, 4)
  }))

test('replaces older prefetches by newer ones and cancels all at the end of the session', () =>
  withFixture({}, async (fixture) => {
    fixture.tts.firstMs = 1000
    fixture.say('One.', { prefetch: ['a.', 'b.', 'c.'] })
    await fixture.clock.advance(2500)
    assert.deepEqual(said(fixture), ['One.', 'a.', 'b.'])
    fixture.say('One.', { prefetch: ['d.', 'e.'] })
    await fixture.clock.advance(500)
    assert.deepEqual(said(fixture).slice(3), ['d.'])
    await fixture.conversation.close()
    await fixture.clock.advance(5000)
    assert.deepEqual(said(fixture).slice(3), ['d.'])
    assert.equal(fixture.tts.running, 0)
  }))

test("synthesizes system phrases and the flow's texts once, only with a fixed voice", async () => {
  const settings = { retryText: 'Sorry?', fallback: { transferTo: '49' }, fillers: { texts: ['Hm, let me see.'] } }
  await withFixture({ settings }, async (fixture) => {
    fixture.say('Hello.')
    await fixture.clock.advance(10_000)
    assert.deepEqual(said(fixture), ['Hello.'], 'a provider would be paid for it')
  })
  await withFixture({ settings }, async (fixture) => {
    fixture.tts.known = '1'
    fixture.say('Hello.')
    await fixture.clock.advance(10_000)
    fixture.say('And hello again.')
    await fixture.clock.advance(10_000)
    const own = ['Hm, let me see.', 'Sorry?', 'Are you still there?']
    assert.deepEqual(
      said(fixture).filter((text) => own.includes(text)),
      own,
    )
    assert.equal(new Set(said(fixture)).size, said(fixture).length)
  })
})
