// test: chance
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import { bargeInStrategies } from '@offhook/contract/assistant/actions.ts'
import { nothingLeft, ConversationFixture } from '#test/session/conversation-fixture.ts'

type Step =
  | { do: 'speaks'; words: number; ms: number; listens: boolean }
  | { do: 'silent'; ms: number }
  | { do: 'say'; strategy: (typeof bargeInStrategies)[number]; sentences: number; streamed: boolean }
  | { do: 'fill'; takenBackAfterMs: number | undefined }
  | { do: 'interrupt' }

const tens = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min: min / 10, max: max / 10 }).map((value) => value * 10)

const speaks = fc.record({ do: fc.constant('speaks' as const), words: fc.nat({ max: 4 }), ms: tens(50, 1200), listens: fc.boolean() })

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: speaks },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('silent' as const), ms: tens(120, 1500) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('say' as const),
      strategy: fc.constantFrom(...bargeInStrategies),
      sentences: fc.integer({ min: 1, max: 3 }),
      streamed: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fill' as const), takenBackAfterMs: fc.option(tens(0, 300), { nil: undefined }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('interrupt' as const) }) },
)

const fill = async ({ conversation, caller }: ConversationFixture, takenBackAfterMs: number | undefined): Promise<void> => {
  const takeBack = conversation.sayAside({ type: 'speak', session_id: '', text: 'A moment' }, 'filler', () => {})
  await caller.silent(takenBackAfterMs ?? 50)
  if (takenBackAfterMs !== undefined) takeBack()
}

/** Performs the steps. */
const perform = async (fixture: ConversationFixture, steps: readonly Step[]): Promise<void> => {
  for (const [index, one] of steps.entries()) {
    if (one.do === 'interrupt') fixture.conversation.interrupt()
    else if (one.do === 'silent') await fixture.caller.silent(one.ms)
    else if (one.do === 'fill') await fill(fixture, one.takenBackAfterMs)
    else if (one.do === 'speaks') {
      await fixture.caller.speaks(
        Array.from({ length: one.words }, (_, word) => (one.listens ? 'okay' : `word${index}x${word}`)).join(' '),
        one.ms,
      )
      await fixture.caller.silent(120)
    } else {
      const text = Array.from({ length: one.sentences }, (_, place) => `Sentence ${'abc'[place]} of a speech.`).join(' ')
      const stream = one.streamed ? { stream_id: `stream${index}`, last: false } : {}
      fixture.say(text, { barge_in: { strategy: one.strategy, allow_after_ms: index % 3 === 0 ? 400 : 0 }, ...stream }, `speech${index}`)
      if (one.streamed && index % 2 === 0) fixture.say('', { stream_id: `stream${index}`, last: true }, `speech${index}`)
    }
  }
}

/** Checks that every ducked speech is restored or stopped. */
const checkLevels = (fixture: ConversationFixture): void => {
  const changes = fixture.all('ducked').map(({ ducked }) => ducked)
  assert.ok(
    changes.every((ducked, index) => ducked === (index % 2 === 0)),
    'softer and as before take turns',
  )
  assert.equal(changes.length % 2, 0)
  assert.equal(fixture.leg.ducked, false)
}

/** Checks the invariants of the reported events. */
const checkStory = (fixture: ConversationFixture, steps: readonly Step[]): void => {
  let open = false
  for (const one of fixture.told) {
    if (one.told === 'speechStarted') {
      assert.equal(open, false, 'one turn at a time')
      open = true
    } else if (one.told === 'said' || one.told === 'backchannel' || one.told === 'falseAlarm') {
      assert.equal(open, true)
      open = false
    }
    if (one.told === 'said' && one.bargedIn) assert.equal(typeof one.heardText, 'string')
  }
  assert.equal(open, false)
  const ended = [...fixture.all('spoke'), ...fixture.all('discarded')].map(({ eventId }) => eventId)
  const wanted = steps.flatMap((one, index) => (one.do === 'say' ? [`speech${index}`] : []))
  assert.deepEqual(ended.toSorted(), wanted.toSorted(), 'each speech ends once, and none without a word')
  const notified = fixture.told.flatMap((one) => (one.told === 'said' || one.told === 'backchannel' ? one.text.split(' ') : []))
  const said = fixture.caller.words.map(({ text }) => text)
  const mayBeIgnored = steps.some((one) => one.do === 'say' && one.strategy === 'none')
  if (!mayBeIgnored) assert.deepEqual(notified, said, 'each word once, in order')
  let at = 0
  for (const word of said) if (word === notified[at]) at += 1
  assert.equal(at, notified.length, 'no word twice, and none before another')
}

test('keeps turns sequential, words unique and every speech ended once for random callers, endpoints and delays', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), tens(20, 700), async (steps, answersAfterMs) => {
      const fixture = new ConversationFixture()
      fixture.stt.answersAfterMs = answersAfterMs
      await perform(fixture, steps)
      await fixture.caller.silent(3000)
      fixture.conversation.interrupt()
      checkStory(fixture, steps)
      checkLevels(fixture)
      const feedsBefore = fixture.leg.feeds.length
      assert.deepEqual(await fixture.close(), nothingLeft)
      await fixture.clock.advance(35_000)
      assert.equal(fixture.leg.feeds.length, feedsBefore)
    }),
    { numRuns: 40 },
  )
})
