import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { sttConformance } from '#test/conformance/stt.ts'
import { embeddedModels } from '#test/speech/embedded-models.ts'
import { readGermanSpeech } from '#test/speech/synthesised-speech.ts'
import { readGoodbyes, readRecordedSpeech, readRecording, recordedWords, type SpokenText } from '#test/speech/recorded-speech.ts'
import { SpeechUnavailable, type ExpectedAnswer, type Transcript } from '#core/kernel/ports/speech.ts'
import { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { modelSizes, partsFor } from '#adapters/speech/models/model-list.ts'
import { spelled } from '#core/speech/spelling/spelling.ts'
import { Recogniser } from '#adapters/speech/recogniser/recogniser.ts'

/** The machine's English model as in an installation; Whisper base everywhere, to limit test time. */
const { english } = modelSizes({ OFFHOOK_ENGLISH: 'auto', OFFHOOK_WHISPER: 'auto', OFFHOOK_SPEECH_WORKERS: 0 })
const sizes = { english, whisper: 'base' } as const
const models = await embeddedModels(...partsFor(sizes).filter((part) => part.startsWith('stt')))
const recordings = !existsSync(recordedWords) && process.env.CI !== 'true' && 'Debian’s recordings are not installed'
const skip = models.skip || recordings
const log = (): void => {}
const open = (): Recogniser => new Recogniser({ models, log, sizes, workers: 1, processors: 2 })
const neverAborted = new AbortController().signal

/** A model takes seconds to load: all tests share one, and the last closes it. */
let shared: Recogniser | undefined
const recogniser = (): Recogniser => (shared ??= open())
const closeShared = async (): Promise<void> => shared?.close()
after(closeShared)

/** Unambiguous words. */
const clearSpeech = async (): Promise<SpokenText[]> => (await readRecordedSpeech()).slice(2, 6)

describe('the embedded recogniser', { skip }, () => {
  let english: SpokenText[] = []
  let german: SpokenText[] = []

  before(async () => {
    await recogniser().prepare(['en', 'de'])
    english = await clearSpeech()
    german = await readGermanSpeech()
  })

  const hear = async (
    sound: Int16Array,
    languages: string[],
    vocabulary: string[] = [],
    expected?: ExpectedAnswer,
  ): Promise<Transcript> => {
    const track = SoundTrack.of(30)
    track.write(sound)
    return recogniser().open(track, { languages, vocabulary }).transcribe(0, track.length, neverAborted, expected)
  }

  test('detects which of several languages is spoken', async () => {
    const languages = ['en-GB', 'de-AT']
    for (const [{ samples } = assert.fail(), language] of [
      [english[0], 'en-GB'],
      [german[2], 'de-AT'],
    ] as const)
      assert.equal((await hear(samples, languages)).language, language)
  })

  test('finds no words in noise, clicks and tones', async () => {
    for (const [name, sound] of Object.entries(noises))
      for (const language of ['en', 'de']) assert.equal((await hear(sound, [language])).text, '', `${name}, ${language}`)
  })

  test('reports probabilities of what follows the last word', async () => {
    for (const [{ samples } = assert.fail(), language] of [
      [english[0], 'en'],
      [german[2], 'de'],
    ] as const) {
      const { tail = assert.fail() } = await hear(samples, [language])
      const sum = Object.values(tail).reduce((all, part) => all + part, 0)
      assert.ok(sum > 0.9 && sum < 1.001, `${language}: ${JSON.stringify(tail)}`)
    }
  })

  test('writes goodbye in one form', async () => {
    for (const { samples, text } of await readGoodbyes())
      assert.match(spelled((await hear(samples, ['en'])).text, 'en'), /\bgoodbye\b/i, text)
  })

  test('hears an answer as one of the options, and longer ones as they are', async () => {
    const options = { phrases: ['hello', 'Good-bye'] }
    for (const { samples, text } of (await readGoodbyes()).slice(0, 2))
      assert.match((await hear(samples, ['en'], [], options)).text, /^good-?bye\b/i, text)
    const [sentence = assert.fail()] = english
    assert.equal((await hear(sentence.samples, ['en'], [], options)).text, (await hear(sentence.samples, ['en'])).text)
  })

  test(
    'hears expected answers with the larger model while others wait',
    { skip: sizes.english !== 'base' && 'a small machine' },
    async () => {
      const [sentence = assert.fail()] = english
      const others = Array.from({ length: 8 }, () => hear(sentence.samples, ['en']))
      const answers = await Promise.all([
        hear(sentence.samples, ['en'], [], { phrases: [] }),
        hear((await readRecording('digits/7')).samples, ['en']),
      ])
      assert.deepEqual(
        answers.map(({ model }) => model),
        ['moonshine-base', 'moonshine-base'],
      )
      await Promise.all(others)
    },
  )

  test('accepts likely words as hints', async () => {
    const { samples, text } = german[2] ?? assert.fail()
    const heard = await hear(samples, ['de'], ['richtig', 'Reservierung', 'Frau Müller-Lüdenscheidt'])
    assert.match(heard.text, /nicht richtig/, text)
  })
})

sttConformance({
  name: 'Moonshine',
  open: () => ({ stt: recogniser(), close: () => Promise.resolve() }),
  language: 'en-US',
  spoken: clearSpeech,
  tolerance: 0.1,
  skip,
})

sttConformance({
  name: 'Whisper',
  open: () => ({ stt: recogniser(), close: closeShared }),
  language: 'de-DE',
  spoken: readGermanSpeech,
  tolerance: 0.2,
  skip: models.skip,
})

test('names the missing models', async () => {
  const missing = { folderWith: () => Promise.reject(new SpeechUnavailable('still being fetched')), close: () => Promise.resolve() }
  const poor = new Recogniser({ models: missing, log, sizes: { english: 'tiny', whisper: 'base' }, workers: 1, processors: 2 })
  const stream = poor.open(SoundTrack.of(1), { languages: ['en'], vocabulary: [] })
  await assert.rejects(stream.transcribe(0, 0, neverAborted), SpeechUnavailable)
  await poor.prepare(['en', 'de'])
  await poor.close()
})

const rate = 8_000
const shaped = (at: (t: number) => number): Int16Array => Int16Array.from({ length: 1.6 * rate }, (_, i) => 32_767 * at(i / rate))
const sine = (hz: number, t: number): number => Math.sin(2 * Math.PI * hz * t)
let state = 7
const random = (): number => (state = (state * 16_807) % 2_147_483_647) / 1_073_741_823.5 - 1

const noises = {
  hiss: shaped(() => 0.02 * random()),
  hum: shaped((t) => 0.1 * sine(50, t) + 0.05 * sine(150, t)),
  ringing: shaped((t) => 0.2 * sine(425, t)),
  keys: shaped((t) => (t % 0.2 < 0.1 ? 0.2 * (sine(770, t) + sine(1336, t)) : 0)),
  clicks: shaped((t) => (t % 0.3 < 0.002 ? 0.5 : 0)),
  cough: shaped((t) => (t > 0.2 ? 0.5 * random() * Math.exp(-15 * (t - 0.2)) : 0)),
}
