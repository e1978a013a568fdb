import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pause, TurnDetector } from '#core/kernel/ports/assistant.ts'
import { defaultEndpointing } from '#core/speech/turns/turn-silence.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { ConversationFixture, nothingLeft } from '#test/session/conversation-fixture.ts'
import { EndJudge } from './turn-words.ts'

const never = new AbortController().signal
const pause: Pause = { text: 'it works very well here', language: 'en', sound: () => new Int16Array(8000) }
const sure: TurnDetector = { name: 'sure', judge: () => Promise.resolve({ probability: 1, parts: { model: 1 } }) }

test('uses a custom detector except for answers and digits', async () => {
  const judge = new EndJudge({ clock: new VirtualClock(0), turnDetector: sure }, assert.fail)
  const notifications = async (text: string): Promise<unknown[]> => {
    const { silenceMs, rule, probability } = await judge.judge({ ...pause, text }, defaultEndpointing, never)
    return [silenceMs, rule, probability]
  }
  assert.deepEqual(await notifications('my name is'), [350, 'probability', 1])
  assert.deepEqual(await notifications('yes'), [300, 'answer', 1])
  assert.deepEqual(await notifications('0 3 0'), [1000, 'digits', 1])
  assert.deepEqual(await notifications(''), [500, 'no_words', undefined])
})

test('replaces a failing detector by the embedded one, reports it, and stops asking after three failures', async () => {
  const wrong: [string, TurnDetector['judge']][] = [
    ['turn detector "x" failed (out of order)', () => Promise.reject(new Error('out of order'))],
    ['turn detector "x" failed (at once)', () => assertFails('at once')],
    ['turn detector "x" failed (nothing came within 300 ms)', () => new Promise(() => {})],
    ['turn detector "x" failed (NaN is no probability)', () => ({ probability: NaN, parts: {} })],
    ['turn detector "x" failed (1.5 is no probability)', () => Promise.resolve({ probability: 1.5, parts: {} })],
  ]
  for (const [expected, ask] of wrong) {
    const clock = new VirtualClock(0)
    const problems: string[] = []
    let asked = 0
    const counting: TurnDetector['judge'] = (...question) => {
      asked++
      return ask(...question)
    }
    const judge = new EndJudge({ clock, turnDetector: { name: 'x', judge: counting } }, (message) => void problems.push(message))
    for (let i = 0; i < 5; i++) {
      const answer = judge.judge(pause, defaultEndpointing, never)
      await clock.advance(300)
      const { silenceMs, parts } = await answer
      assert.deepEqual([silenceMs, parts && 'marks' in parts], [500, true])
    }
    assert.deepEqual([problems, asked], [[expected, expected, expected], 3])
    assert.equal(clock.pending(), 0)
  }
})

const assertFails = (message: string): never => {
  throw new Error(message)
}

test('delays a turn only by the time limit when a detector hangs, and reports it', async () => {
  const turnDetector: TurnDetector = { name: 'x', judge: () => new Promise(() => {}) }
  const fixture = new ConversationFixture({ turnDetector })
  await fixture.caller.speaks('it works very well here')
  const spoken = fixture.clock.now()
  await fixture.caller.silent(1000)
  const [said] = fixture.all('said')
  assert.equal((said?.at ?? 0) - spoken, 500)
  assert.equal(said?.end?.rule, 'probability')
  assert.deepEqual(fixture.problems, ['turn detector "x" failed (nothing came within 300 ms)'])
  assert.deepEqual(await fixture.close(), nothingLeft)
})

test('does not make a caller who continues wait for the detector', async () => {
  const signals: AbortSignal[] = []
  const turnDetector: TurnDetector = {
    name: 'x',
    judge: (_pause, signal) => {
      signals.push(signal)
      return signals.length === 1 ? new Promise(() => {}) : { probability: 1, parts: {} }
    },
  }
  const fixture = new ConversationFixture({ turnDetector })
  await fixture.caller.speaks('I would like')
  await fixture.caller.silent(200)
  await fixture.caller.speaks('a table')
  await fixture.caller.silent(1000)
  assert.deepEqual(fixture.story, ['speechStarted', 'said I would like a table'])
  assert.deepEqual([signals[0]?.aborted, fixture.problems], [true, []])
  assert.deepEqual(await fixture.close(), nothingLeft)
})

test('gives the detector what the assistant said last', async () => {
  const asked: (string | undefined)[] = []
  const turnDetector: TurnDetector = {
    name: 'x',
    judge: (given) => {
      asked.push(given.asked)
      return { probability: 1, parts: {} }
    },
  }
  const fixture = new ConversationFixture({ turnDetector })
  await fixture.caller.speaks('I would like a table')
  await fixture.caller.silent(1000)
  fixture.say('Gladly. For how many?')
  await fixture.clock.advance(10_000)
  await fixture.caller.speaks('four of us please')
  await fixture.caller.silent(1000)
  assert.deepEqual(asked, [undefined, 'Gladly. For how many?'])
  assert.deepEqual(await fixture.close(), nothingLeft)
})
