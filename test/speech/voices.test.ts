import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { piecesOf, ttsConformance, type OpenedTts } from '#test/conformance/tts.ts'
import { embeddedModels } from '#test/speech/embedded-models.ts'
import { wordErrorRate } from '#adapters/speech/callers/word-errors.ts'
import { SpeechUnavailable, type Tts } from '#core/kernel/ports/speech.ts'
import { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { english as systemPhrases } from '#core/speech/system-phrases/system-phrases.ts'
import { spokenText } from '#core/speech/text-normalization/spoken-text.ts'
import { resampleSound } from '#media/codec/resample.ts'
import { Recogniser } from '#adapters/speech/recogniser/recogniser.ts'
import { openProgramVoices } from '#adapters/speech/synthesiser/program-voices.ts'
import { SentenceMaking } from '#adapters/speech/synthesiser/sentence-making.ts'
import { openSynthesiser, type Synthesiser } from '#adapters/speech/synthesiser/synthesiser.ts'
import { voiceLanguages } from '#adapters/speech/synthesiser/voice-languages.ts'
import { VoiceModel } from '#adapters/speech/synthesiser/voice-model.ts'

const log = (): void => {}
const models = await embeddedModels('stt-en', 'stt-multi', 'tts-en', 'tts-de')
const { skip } = models

/** A model takes seconds to load: all tests share the same voices. */
let shared: Synthesiser | undefined
const voices = (): Synthesiser => (shared ??= openSynthesiser({ models, workers: 1, others: [], log }))
const open = (): OpenedTts => ({ tts: voices(), close: () => Promise.resolve() })
after(() => shared?.close())

const soundOf = async (tts: Tts, text: string, language: string): Promise<Int16Array> => {
  const pieces = await piecesOf(tts.synthesize({ text: spokenText(text, language), language }, new AbortController().signal))
  return resampleSound(Int16Array.from(pieces.flatMap((piece) => [...piece])), tts.rate, 8000)
}

/** The voices vary each time: fewer sentences would sometimes exceed the limit. */
const englishTexts = [
  'Hello, I would like to change my appointment from Tuesday to Thursday morning.',
  "We can't do that today, but it isn't a problem tomorrow.",
  'The internet connection has been down since Monday evening.',
  'It costs $25 and will be there on March 3rd at 10:30.',
]
const germanTexts = [
  'Guten Tag, ich möchte meinen Termin von Dienstag auf Donnerstag verschieben.',
  'Ich habe gestern meine Kreditkarte verloren und muss sie sofort sperren.',
  'Die Lieferung kostet 25 Euro und kommt am 3. Mai.',
]

describe('the embedded voices', { skip }, () => {
  test('are understood on the telephone, in English and German', async (t) => {
    const tts = voices()
    const recogniser = new Recogniser({ models, log, sizes: { english: 'tiny', whisper: 'base' }, workers: 1, processors: 2 })
    t.after(() => recogniser.close())
    const heard = async (said: string, language: string): Promise<{ said: string; heard: string }> => {
      const track = SoundTrack.of(30)
      track.write(await soundOf(tts, said, language))
      const stream = recogniser.open(track, { languages: [language], vocabulary: [] })
      const { text } = await stream.transcribe(0, track.length, new AbortController().signal)
      stream.close()
      return { said, heard: text }
    }
    const listen = async (texts: string[], language: string): Promise<{ said: string; heard: string }[]> => {
      const pairs = []
      for (const text of texts) pairs.push(await heard(text, language))
      return pairs
    }
    await Promise.all([tts.warm('en'), tts.warm('de'), recogniser.prepare(['en', 'de'])])
    const english = await listen(englishTexts, 'en-US')
    // Clause by clause, each in chunks: nothing is lost between them or at the end.
    const [question = assert.fail()] = await listen([systemPhrases.warmTransfer.question], 'en-US')
    assert.match(question.heard, /press (?:one|1)\b.*press (?:two|2)\b.*take the call/i)
    assert.ok(wordErrorRate([question], 'en-US') <= 0.25, JSON.stringify(question))
    const german = await listen(germanTexts, 'de-DE')
    assert.ok(wordErrorRate(english, 'en-US') <= 0.15, JSON.stringify(english))
    // Whisper base gets a fifth of this voice's words wrong, over many sentences.
    assert.ok(wordErrorRate(german, 'de-DE') <= 0.4, JSON.stringify(german))
  })
})

describe('a sentence in pieces', { skip }, () => {
  const sentences = {
    en: { text: 'Your next appointment is on Thursday at half past ten.', speed: 1, pitch: 0 },
    de: { text: 'Ihr nächster Termin ist am Donnerstag um halb elf.', speed: 1.2, pitch: -3 },
  }
  for (const language of voiceLanguages) {
    test(`sounds as in one piece, ${language}`, async () => {
      const model = await VoiceModel.load(await models.folderWith(), language, 1)
      const { speed, pitch, text } = sentences[language]
      const read = await model.read(text, speed)
      const sound = (...ends: number[]): Int16Array[] => {
        const making = new SentenceMaking(model, read, { text, pitch })
        const pieces = []
        for (let i = 0; pieces.at(-1)?.last !== true; i++) pieces.push(making.next(ends[i] ?? read.frames))
        return pieces.map(({ samples }) => samples)
      }
      const [whole] = sound(read.frames)
      const pieces = sound(36, 60, 30)
      assert.equal(pieces.length, 4)
      assert.ok(differenceDb(whole ?? assert.fail(), Int16Array.from(pieces.flatMap((piece) => [...piece]))) < -90)
    })
  }
})

/** Level of the difference of two sounds relative to the sound. */
const differenceDb = (one: Int16Array, other: Int16Array): number => {
  assert.equal(one.length, other.length)
  const energy = (samples: Int16Array): number => samples.reduce((sum, sample) => sum + sample * sample, 0)
  return 10 * Math.log10(energy(one.map((sample, i) => sample - (other[i] ?? 0))) / energy(one))
}

// English is the same with another model, which is slower here.
ttsConformance({
  name: 'embedded German',
  language: 'de-DE',
  sentence: 'Vielen Dank für Ihren Anruf, wie kann ich Ihnen helfen?',
  story: 'Wir haben von neun bis siebzehn Uhr geöffnet. Am Sonntag ist geschlossen. Bitte rufen Sie morgen wieder an. Auf Wiederhören.',
  open,
  skip,
})

describe('the embedded voices, when they are closed', { skip }, () => {
  test('end in the middle of a sentence', async () => {
    const utterance = { text: englishTexts.join(' '), language: 'en' }
    const speech = voices().synthesize(utterance, new AbortController().signal)[Symbol.asyncIterator]()
    assert.equal((await speech.next()).done, false)
    const next = speech.next()
    await Promise.all([voices().close(), assert.rejects(next, SpeechUnavailable)])
    await assert.rejects(piecesOf(voices().synthesize(utterance, new AbortController().signal)), SpeechUnavailable)
  })
})

const programs = await openProgramVoices(log)
await programs.close()

// Pico is not free in Debian's sense: runs the suite only where it is installed.
for (const name of programs.pico ? (['pico', 'espeak'] as const) : (['espeak'] as const)) {
  ttsConformance({
    name,
    language: 'en-US',
    skip: programs[name] === undefined && process.env.CI !== 'true' && `${name} is not installed`,
    async open() {
      const opened = await openProgramVoices(log)
      return { tts: opened[name] ?? assert.fail(), close: opened.close }
    },
  })
}
