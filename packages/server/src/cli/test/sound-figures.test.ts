import assert from 'node:assert/strict'
import { test } from 'node:test'
import { frameMs, frameSamples } from './microphone.ts'
import { SoundFigures, type SaidSentence } from './sound-figures.ts'

const loud = new Int16Array(frameSamples).fill(5_000)

/** A call on a clock of its own. */
class Scene {
  now = 0
  readonly responses: number[] = []
  readonly sound = new SoundFigures((ms) => this.responses.push(ms))

  assistant(ms: number): void {
    for (const end = this.now + ms; this.now < end; this.now += frameMs) this.sound.plays(loud, this.now)
  }

  /** `during`: what happens while the caller speaks. */
  caller(text: string, ms: number, into?: SaidSentence['into'], during: () => void = () => {}): void {
    const at = this.sound.says({ text, language: 'en', into }, this.now)
    at.from = this.now
    during()
    this.now = at.from + ms
    at.to = this.now
    at.ended = true
  }

  heard(text: string): void {
    this.sound.heard(text)
  }

  /** The service begins to play. */
  speaks(text: string, ms: number): void {
    this.sound.speaks(text, this.now)
    this.assistant(ms)
  }
}

test('measures from the last sound of the caller to the first sound of the answer, and not to a filler', () => {
  const scene = new Scene()
  scene.sound.speaks('Welcome.', 0)
  scene.assistant(1_000)
  scene.now += 500
  scene.caller('When are you open?', 1_200)
  scene.now += 700
  scene.heard('when are you open')
  scene.sound.filler('One moment.')
  scene.speaks('One moment.', 600)
  scene.now += 2_000
  scene.speaks('From nine to five.', 1_000)
  const { responsesMs, cutOffs, words, wordErrors, falseStops } = scene.sound.figures
  assert.deepEqual(
    { responsesMs, cutOffs, words, wordErrors, falseStops },
    { responsesMs: [3_300], cutOffs: 0, words: 4, wordErrors: 0, falseStops: 0 },
  )
  assert.deepEqual(scene.responses, [3_300])
})

test('counts a sentence that was split, or answered before its end, as cut off', () => {
  const scene = new Scene()
  scene.caller('I would like a table', 3_000, undefined, () => scene.heard('I would like'))
  scene.now += 500
  scene.heard('a table')
  scene.speaks('For when?', 500)
  scene.now += 500
  scene.caller('For Saturday', 1_000)
  scene.heard('for Sunday')
  scene.speaks('Good.', 500)
  const { cutOffs, sentences, wordErrors, responsesMs } = scene.sound.figures
  assert.deepEqual(
    { cutOffs, sentences, wordErrors, responses: responsesMs.length },
    { cutOffs: 1, sentences: 2, wordErrors: 1, responses: 1 },
  )
})

test('measures interruptions, and counts those that were missed', () => {
  const scene = new Scene()
  scene.speaks('A long story.', 2_000)
  scene.caller('Stop please', 800, 'stop', () => {
    scene.assistant(400)
    scene.sound.stopped(scene.now)
  })
  scene.heard('stop please')
  scene.now += 600
  scene.speaks('Yes?', 2_000)
  scene.caller('Stop', 800, 'stop', () => scene.assistant(800))
  scene.assistant(2_000)
  const { stopsMs, missedInterruptions, falseStops } = scene.sound.figures
  assert.deepEqual({ stopsMs, missedInterruptions, falseStops }, { stopsMs: [400], missedInterruptions: 1, falseStops: 0 })
})

test('counts stops by a back-channel, and by noise after the caller', () => {
  const scene = new Scene()
  scene.speaks('A long story.', 1_000)
  scene.caller('mhm', 300, 'back-channel', () => scene.assistant(200))
  scene.sound.stopped(scene.now)
  scene.caller('Go on', 600)
  scene.heard('go on')
  scene.speaks('It was in May.', 3_000)
  scene.sound.stopped(scene.now)
  const { falseStops, sentences, missedInterruptions } = scene.sound.figures
  assert.deepEqual({ falseStops, sentences, missedInterruptions }, { falseStops: 2, sentences: 1, missedInterruptions: 0 })
})
