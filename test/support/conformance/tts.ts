import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Tts, Utterance } from '#core/kernel/ports/speech.ts'

export interface OpenedTts {
  tts: Tts
  close(): Promise<void>
}

export interface TtsCase {
  /** Name of the adapter, and of the language if it has several. */
  name: string
  open: () => OpenedTts | Promise<OpenedTts>
  /** Language of the texts. */
  language: string
  /** Sentence of forty to eighty characters. */
  sentence?: string
  /** Text of several sentences. */
  story?: string
  /** Milliseconds of speech per character. */
  characterMs?: readonly [least: number, most: number]
  /** Reason to skip. */
  skip?: string | false
}

const usual = {
  sentence: 'Thank you for calling, how may I help you today?',
  story: 'We are open from nine to five. On Sundays the shop is closed. Please call again tomorrow morning. Thank you and goodbye.',
  characterMs: [25, 250] as const,
}

/** Conformance tests of every voice. */
export const ttsConformance = (given: TtsCase): void => {
  const { name, open, language, sentence, story, characterMs, skip = false } = { ...usual, ...given }
  describe(`${name} as a voice`, { skip }, () => {
    let opened: OpenedTts | undefined
    const tts = (): Tts => opened?.tts ?? assert.fail('not opened')
    const say = (text: string, more: Partial<Utterance> = {}, signal = new AbortController().signal): Promise<Int16Array[]> =>
      piecesOf(tts().synthesize({ text, language, ...more }, signal))

    before(async () => void (opened = await open()))
    after(() => opened?.close())

    test('supports its language', () => {
      assert.ok(tts().speaks(language))
      assert.ok(tts().rate === 8000 || tts().rate === 16_000)
    })

    test('returns sound with the length and level of speech', async () => {
      const pieces = await say(sentence)
      const ms = (lengthOf(pieces) * 1000) / tts().rate
      const [min, max] = characterMs
      assert.ok(ms > min * sentence.length && ms < max * sentence.length, `${ms} ms for ${sentence.length} characters`)
      assert.ok(decibels(pieces) > -40, `${decibels(pieces)} dB`)
      assert.ok(clipped(pieces) < 0.001, 'it is clipped')
    })

    test('speaks repeatedly and concurrently', async () => {
      const spoken = await Promise.all([sentence, sentence, story].map((text) => say(text)))
      for (const pieces of spoken) assert.ok(decibels(pieces) > -40)
      assert.ok(lengthOf(spoken[2] ?? []) > lengthOf(spoken[0] ?? []))
    })

    test('falls back to its own voice for an unknown one', async () => {
      assert.ok(decibels(await say(sentence, { voice: 'Nobody-Has-This-Name' })) > -40)
    })

    test('speaks faster, slower, higher and lower', async () => {
      for (const prosody of [{ speed: 1.3 }, { speed: 0.7 }, { pitch: 3 }, { pitch: -3 }]) {
        assert.ok(lengthOf(await say(sentence, prosody)) > 0, JSON.stringify(prosody))
      }
    })

    test('returns no sound without words', async () => {
      for (const text of ['', '  \n']) assert.equal(lengthOf(await say(text)), 0)
    })

    test('streams a long text in chunks', async () => {
      const pieces = await say(story)
      assert.ok(pieces.length >= 2, `${pieces.length} pieces`)
      for (const piece of pieces) assert.ok(piece.length > 0)
    })

    test('stops within one chunk when aborted', async () => {
      const stop = new AbortController()
      let late = 0
      await endsQuietly(async () => {
        for await (const _ of tts().synthesize({ text: story, language }, stop.signal)) {
          if (stop.signal.aborted) late++
          stop.abort()
        }
      }, stop.signal)
      assert.ok(late <= 1, `${late} pieces after the end`)
      assert.ok(lengthOf(await say(sentence)) > 0, 'and speaks again')
    })

    test('does not start when aborted before', async () => {
      const unwanted = AbortSignal.abort()
      let pieces = 0
      await endsQuietly(async () => void (pieces = (await say(sentence, {}, unwanted)).length), unwanted)
      assert.ok(pieces <= 1)
    })

    test('can be stopped in the middle', async () => {
      for await (const _ of tts().synthesize({ text: story, language }, new AbortController().signal)) break
      assert.ok(lengthOf(await say(sentence)) > 0)
    })

    test('releases everything when closed, even during a sentence', async () => {
      const talking = say(story).catch(() => [])
      await opened?.close()
      opened = undefined
      await talking
      // Ended resources are removed at the end of a turn.
      for (let i = 0; i < 3; i++) await turn()
      assert.deepEqual(programs(), [])
    })
  })
}

export const piecesOf = async (sound: AsyncIterable<Int16Array>): Promise<Int16Array[]> => {
  const pieces: Int16Array[] = []
  for await (const piece of sound) pieces.push(piece)
  return pieces
}

/** An exception is acceptable if it is the abort's. */
const endsQuietly = async (work: () => Promise<void>, signal: AbortSignal): Promise<void> => {
  try {
    await work()
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** Running programs; a leftover thread keeps the test from ending. */
const programs = (): string[] => process.getActiveResourcesInfo().filter((kind) => /Process/.test(kind))

const lengthOf = (pieces: readonly Int16Array[]): number => pieces.reduce((sum, { length }) => sum + length, 0)

/** Level relative to full scale. */
const decibels = (pieces: readonly Int16Array[]): number => {
  const energy = pieces.reduce((sum, piece) => sum + piece.reduce((own, sample) => own + (sample / 32_768) ** 2, 0), 0)
  return 10 * Math.log10(energy / lengthOf(pieces))
}

const clipped = (pieces: readonly Int16Array[]): number =>
  pieces.reduce((sum, piece) => sum + piece.filter((sample) => Math.abs(sample) >= 32_767).length, 0) / lengthOf(pieces)
