import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Pause, TurnDetector } from '#core/kernel/ports/assistant.ts'

export interface OpenedTurnDetector {
  detector: TurnDetector
  close(): Promise<void>
}

export interface TurnDetectorCase {
  name: string
  open: () => OpenedTurnDetector | Promise<OpenedTurnDetector>
}

const never = new AbortController().signal
const tone = (seconds: number, amplitude: number): Int16Array<ArrayBuffer> =>
  Int16Array.from({ length: seconds * 8000 }, (_, index) => Math.round(Math.sin(index / 8) * amplitude))

const pauseAfter = (text: string, language: string, sound: Int16Array<ArrayBuffer>, more: Partial<Pause> = {}): Pause => ({
  text,
  language,
  sound: (seconds) => sound.slice(Math.max(0, sound.length - seconds * 8000)),
  ...more,
})

const pauses: readonly Pause[] = [
  pauseAfter('I would like a table for two.', 'en', tone(2, 8000)),
  pauseAfter('Yes.', 'en-US', tone(0.3, 32_767), { tail: { stop: 0.9, question: 0, goesOn: 0.1, end: 0, word: 0 } }),
  pauseAfter('Mein Name ist', 'de', tone(1, 100), { lastSound: { energyDb: -40, aboveLow: 60, againstMedian: -60 } }),
  pauseAfter('Which folder should I?', 'en', tone(20, 2000), {
    tail: { stop: 0, question: 1, goesOn: 0, end: 0, word: 0 },
    lastSound: { energyDb: 40, aboveLow: 0, againstMedian: 60 },
  }),
  pauseAfter('0 3 0', 'tlh', new Int16Array(0)),
  pauseAfter('…', '', new Int16Array(8000)),
  pauseAfter('word '.repeat(2000), 'fr', tone(30, 1)),
]

/** Conformance tests of every turn detector. */
export const turnDetectorConformance = ({ name, open }: TurnDetectorCase): void => {
  describe(`turn detector: ${name}`, () => {
    let opened: OpenedTurnDetector
    before(async () => {
      opened = await open()
    })
    after(() => opened.close())

    test('returns a probability with its cause for every pause', async () => {
      for (const pause of pauses) {
        const { probability, parts } = await opened.detector.judge(pause, never)
        assert.ok(probability >= 0 && probability <= 1, `${pause.text.slice(0, 40)}: ${probability}`)
        for (const [part, value] of Object.entries(parts)) assert.ok(Number.isFinite(value), part)
      }
    })

    test('returns the same probability for the same pause, regardless of queries in between', async () => {
      const asked = [...pauses, ...pauses.toReversed()]
      const answers = await Promise.all(asked.map(async (pause) => (await opened.detector.judge(pause, never)).probability))
      assert.deepEqual(answers.slice(pauses.length).toReversed(), answers.slice(0, pauses.length))
    })

    test('ends an aborted query, and answers the next', async () => {
      const stop = new AbortController()
      const asked = Promise.allSettled(pauses.map(async (pause) => opened.detector.judge(pause, stop.signal)))
      stop.abort(new Error('the caller goes on'))
      for (const outcome of await asked) if (outcome.status === 'rejected') assert.equal(outcome.reason, stop.signal.reason)
      const [pause] = pauses
      if (pause) assert.ok((await opened.detector.judge(pause, never)).probability >= 0)
    })
  })
}
