import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { bargeInStrategies } from '@offhook/contract/assistant/actions.ts'
import { nothingLeft, TalkStage } from '#test/session/talk-stage.ts'

type Step =
  | { do: 'speaks'; words: number; ms: number }
  | { do: 'silent'; ms: number }
  | { do: 'say'; strategy: (typeof bargeInStrategies)[number]; sentences: number; streamed: boolean }
  | { do: 'interrupt' }

const tens = (least: number, most: number): fc.Arbitrary<number> =>
  fc.integer({ min: least / 10, max: most / 10 }).map((value) => value * 10)

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('speaks' as const), words: fc.nat({ max: 4 }), ms: tens(200, 1200) }) },
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
  { weight: 1, arbitrary: fc.record({ do: fc.constant('interrupt' as const) }) },
)

/** Plays it; gives the words in the order in which the caller said them. */
const perform = async (stage: TalkStage, steps: readonly Step[]): Promise<void> => {
  for (const [index, one] of steps.entries()) {
    if (one.do === 'interrupt') stage.talk.interrupt()
    else if (one.do === 'silent') await stage.caller.silent(one.ms)
    else if (one.do === 'speaks') {
      await stage.caller.speaks(Array.from({ length: one.words }, (_, word) => `word${index}x${word}`).join(' '), one.ms)
      await stage.caller.silent(120)
    } else {
      const text = Array.from({ length: one.sentences }, (_, place) => `Sentence ${'abc'[place]} of a speech.`).join(' ')
      const stream = one.streamed ? { stream_id: `stream${index}`, last: false } : {}
      stage.say(text, { barge_in: { strategy: one.strategy, allow_after_ms: index % 3 === 0 ? 400 : 0 }, ...stream }, `speech${index}`)
      if (one.streamed && index % 2 === 0) stage.say('', { stream_id: `stream${index}`, last: true }, `speech${index}`)
    }
  }
}

/** What holds whatever happens, as the story of what was told. */
const checkStory = (stage: TalkStage, steps: readonly Step[]): void => {
  let open = false
  for (const one of stage.told) {
    if (one.told === 'speechStarted') {
      assert.equal(open, false, 'one turn at a time')
      open = true
    } else if (one.told === 'said' || one.told === 'falseAlarm') {
      assert.equal(open, true)
      open = false
    }
    if (one.told === 'said' && one.bargedIn) assert.equal(typeof one.heardText, 'string')
  }
  assert.equal(open, false)
  const ended = [...stage.all('spoke'), ...stage.all('discarded')].map(({ eventId }) => eventId)
  const wanted = steps.flatMap((one, index) => (one.do === 'say' ? [`speech${index}`] : []))
  assert.deepEqual(ended.toSorted(), wanted.toSorted(), 'each speech ends once, and none without a word')
  const told = stage.all('said').flatMap(({ text }) => text.split(' '))
  const said = stage.caller.words.map(({ text }) => text)
  const mayBeIgnored = steps.some((one) => one.do === 'say' && one.strategy === 'none')
  if (!mayBeIgnored) assert.deepEqual(told, said, 'each word once, in order')
  assert.deepEqual(
    told,
    said.filter((word) => told.includes(word)),
  )
}

test('whatever caller, customer and clock do: one turn after the other, no word twice, every speech ends once, nothing is left', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), tens(20, 700), async (steps, answersAfterMs) => {
      const stage = new TalkStage()
      stage.stt.answersAfterMs = answersAfterMs
      await perform(stage, steps)
      await stage.caller.silent(3000)
      stage.talk.interrupt()
      checkStory(stage, steps)
      const feedsBefore = stage.leg.feeds.length
      assert.deepEqual(await stage.close(), nothingLeft)
      await stage.clock.advance(35_000)
      assert.equal(stage.leg.feeds.length, feedsBefore)
    }),
    { numRuns: 40 },
  )
})
