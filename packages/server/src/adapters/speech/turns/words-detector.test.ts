import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { embeddedTurnDetector } from '#core/speech/turns/embedded-turn-detector.ts'
import type { Pause } from '#core/kernel/ports/assistant.ts'
import { turnModelFolder } from '#places.ts'
import { turnDetectorConformance } from '#test/conformance/turn-detector.ts'
import { WordsDetector } from './words-detector.ts'

const never = new AbortController().signal
const quiet = (): Int16Array<ArrayBuffer> => new Int16Array(8000)
const pauseAfter = (text: string, language: string, more: Partial<Pause> = {}): Pause => ({ text, language, sound: quiet, ...more })

const loaded = async (t: TestContext): Promise<(text: string, language: string, asked?: string) => Promise<number>> => {
  const detector = new WordsDetector(turnModelFolder, assert.fail)
  t.after(() => detector.close())
  await detector.prepare()
  return async (text, language, asked) => {
    const { probability, parts } = await detector.judge(pauseAfter(text, language, asked === undefined ? {} : { asked }), never)
    assert.deepEqual(Object.keys(parts), ['words'])
    return probability
  }
}

turnDetectorConformance({
  name: 'words',
  open: async () => {
    const detector = new WordsDetector(turnModelFolder, assert.fail)
    await detector.prepare()
    return { detector, close: () => detector.close() }
  },
})

test('distinguishes whole turns from unfinished ones, in five languages', async (t) => {
  const judge = await loaded(t)
  const turns: Record<string, [whole: string, unfinished: string][]> = {
    de: [
      ['Ich hätte gern einen Termin am Donnerstagnachmittag.', 'Ich hätte gern.'],
      ['Können Sie mich bitte mit der Buchhaltung verbinden?', 'Können Sie mich bitte mit der?'],
      ['Ich möchte meinen Vertrag kündigen.', 'Ich möchte meinen Vertrag zum Ende des.'],
    ],
    en: [['I would like to make an appointment on Thursday.', 'I would like to make an.']],
    es: [['Quería pedir una cita para el jueves.', 'Quería pedir una cita para el.']],
    fr: [['Je voudrais prendre rendez-vous jeudi matin.', 'Je voudrais prendre rendez-vous avec le.']],
    it: [['Vorrei prendere un appuntamento per giovedì.', 'Vorrei prendere un appuntamento per il.']],
  }
  for (const [language, pairs] of Object.entries(turns)) {
    for (const [whole, unfinished] of pairs) {
      const [over, open] = [await judge(whole, language), await judge(unfinished, language)]
      assert.ok(over > 0.5 && open < 0.15, `${whole} ${over}, ${unfinished} ${open}`)
    }
  }
})

test('knows what was asked', async (t) => {
  const judge = await loaded(t)
  const answer = await judge('Müller', 'de', 'Guten Tag. Wie ist Ihr Name?')
  const opening = await judge('Müller', 'de', 'Was kann ich für Sie tun?')
  assert.ok(answer > opening, `${answer}, ${opening}`)
})

test('fuses the words with marks and voice in English', async (t) => {
  const detector = new WordsDetector(turnModelFolder, assert.fail)
  t.after(() => detector.close())
  await detector.prepare()
  const tail = { stop: 0.9, question: 0, goesOn: 0.1, end: 0, word: 0 }
  const judge = async (text: string, energyDb: number) =>
    detector.judge(
      pauseAfter(text, 'en', { asked: 'How can I help you?', tail, lastSound: { energyDb, aboveLow: 2, againstMedian: -3 } }),
      never,
    )
  const [whole, unfinished] = ['I would like to cancel my order.', 'I would like to cancel my.']
  const falling = await judge(whole, -12)
  assert.deepEqual(Object.keys(falling.parts), ['marks', 'words', 'length', 'sound'])
  assert.ok(falling.probability > (await judge(whole, 0)).probability)
  const open = await judge(unfinished, -12)
  assert.ok(falling.probability > open.probability + 0.2, `${falling.probability}, ${open.probability}`)
})

test('is never surer in English than the recordings of people allow', async (t) => {
  const detector = new WordsDetector(turnModelFolder, assert.fail)
  t.after(() => detector.close())
  await detector.prepare()
  for (const [text, stop, expected] of [
    ['Yes, that is all.', 0.98, 0.9],
    ['I would like to speak to the', 0.01, 0.1],
  ] as const) {
    const tail = { stop, question: 0, goesOn: 0.98 - stop, end: 0.01, word: 0 }
    const { probability } = await detector.judge(pauseAfter(text, 'en', { tail }), never)
    assert.ok(Math.abs(probability - expected) < 0.05 && probability >= 0.1 && probability <= 0.9, `${text} ${probability}`)
  }
})

test('leaves other languages to the rule', async (t) => {
  const detector = new WordsDetector(turnModelFolder, assert.fail)
  t.after(() => detector.close())
  await detector.prepare()
  const pause = pauseAfter('jeg vil gerne', 'da')
  assert.deepEqual(await detector.judge(pause, never), embeddedTurnDetector.judge(pause))
})

test('uses the rule until the model is loaded', async () => {
  const detector = new WordsDetector(turnModelFolder, assert.fail)
  const pause = pauseAfter('Ich hätte gern.', 'de')
  assert.deepEqual(await detector.judge(pause, never), embeddedTurnDetector.judge(pause))
  await detector.prepare()
  assert.deepEqual(Object.keys((await detector.judge(pause, never)).parts), ['words'])
  await detector.close()
})

test('logs weights that cannot be loaded, once, and uses the rule', async () => {
  const logged: string[] = []
  const detector = new WordsDetector('/nonexistent', (code) => void logged.push(code))
  const pause = pauseAfter('Ich hätte gern.', 'de')
  await detector.prepare()
  for (let i = 0; i < 3; i++) assert.deepEqual(await detector.judge(pause, never), embeddedTurnDetector.judge(pause))
  assert.deepEqual(logged, ['turn_model_unusable'])
  await detector.close()
})
