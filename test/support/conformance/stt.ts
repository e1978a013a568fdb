import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Stt, SttStream } from '#core/kernel/ports/speech.ts'
import { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import type { SpokenText } from '../speech/recorded-speech.ts'
import { wordErrorRate } from '#adapters/speech/callers/word-errors.ts'

export interface OpenedStt {
  stt: Stt
  close(): Promise<void>
}

export interface SttCase {
  /** Name of the adapter, and of the language if it has several. */
  name: string
  open: () => OpenedStt | Promise<OpenedStt>
  /** BCP 47 with a region. */
  language: string
  /** Four or more texts with their sound at 8 kHz. The later ones are used more often: short ones save time. */
  spoken: () => readonly SpokenText[] | Promise<readonly SpokenText[]>
  /** Maximum share of wrong words. */
  tolerance?: number
  /** Reason to skip. */
  skip?: string | false
}

const silence = (ms: number): Int16Array => new Int16Array(ms * 8)
const nobody = new AbortController().signal
const longTimeout = { timeout: 180_000 }

interface Listening {
  track: SoundTrack
  stream: SttStream
  failures: Error[]
  /** Plays it between two pauses. */
  say: (spoken: SpokenText) => { from: number; to: number }
}

/** Conformance tests of every recogniser. */
export const sttConformance = ({ name, open, language, spoken, tolerance = 0, skip = false }: SttCase): void => {
  describe(`${name} as a recogniser`, { skip, ...longTimeout }, () => {
    let opened: OpenedStt | undefined
    let texts: readonly SpokenText[] = []
    const stt = (): Stt => opened?.stt ?? assert.fail('not opened')
    const some = (index: number): SpokenText => texts[index] ?? assert.fail('four texts are needed')

    before(async () => {
      texts = await spoken()
      opened = await open()
    })
    after(() => opened?.close())

    const listen = (): Listening => {
      const [track, failures] = [SoundTrack.of(30), [] as Error[]]
      const observer = { failed: (error: Error) => void failures.push(error) }
      const stream = stt().open(track, { languages: [language], vocabulary: [] }, observer)
      const say = ({ samples }: SpokenText): { from: number; to: number } => {
        track.write(silence(300))
        const from = track.length - 1_600
        track.write(samples)
        track.write(silence(300))
        return { from, to: track.length - 800 }
      }
      return { track, stream, failures, say }
    }
    const understood = (pairs: { said: string; heard: string }[]): void => {
      const rate = wordErrorRate(pairs, language)
      assert.ok(rate <= tolerance, `${Math.round(rate * 100)} % of the words are wrong: ${JSON.stringify(pairs)}`)
    }

    test('supports its language, with and without a region', () => {
      assert.ok(stt().hears(language))
      assert.ok(stt().hears(language.slice(0, 2)))
    })

    test('transcribes utterances one after the other', async () => {
      const { stream, failures, say } = listen()
      const pairs: { said: string; heard: string }[] = []
      for (const one of texts) {
        const { from, to } = say(one)
        const transcript = await stream.transcribe(from, to, nobody)
        pairs.push({ said: one.text, heard: transcript.text })
        const { confidence = 1 } = transcript
        assert.ok(confidence > 0 && confidence <= 1, `${confidence}`)
      }
      understood(pairs)
      stream.close()
      assert.deepEqual(failures, [])
    })

    test('can be queried before the end is certain, and again', async () => {
      const { track, stream, say } = listen()
      const [first, second] = [some(2), some(3)]
      const { from, to } = say(first)
      const early = await stream.transcribe(from, to, nobody)
      const again = await stream.transcribe(from, to, nobody)
      understood([early, again].map(({ text }) => ({ said: first.text, heard: text })))
      say(second)
      const whole = await stream.transcribe(from, track.length, nobody)
      understood([{ said: `${first.text} ${second.text}`, heard: whole.text }])
      stream.close()
    })

    test('returns partials where supported, and answers the final query as usual', async () => {
      const { stream, say } = listen()
      const one = some(2)
      const { from, to } = say(one)
      if (stream.glance) {
        const seen = await stream.glance(from, to, nobody)
        assert.ok(seen === undefined || /\p{L}/u.test(seen.text), seen?.text)
      }
      understood([{ said: one.text, heard: (await stream.transcribe(from, to, nobody)).text }])
      stream.close()
    })

    test('waits for sound still to come, and uses the available sound when the call ends', async () => {
      const { track, stream, say } = listen()
      const one = some(2)
      const { from } = say(one)
      const asked = stream.transcribe(from, track.length + 8_000, nobody)
      track.write(silence(100))
      track.end()
      understood([{ said: one.text, heard: (await asked).text }])
      stream.close()
    })

    test('finds no words in silence', async () => {
      const { track, stream } = listen()
      track.write(silence(1_500))
      assert.equal((await stream.transcribe(0, 12_000, nobody)).text, '')
      stream.close()
    })

    test('ends an aborted query immediately with the reason, and answers the next', async () => {
      const { stream, failures, say } = listen()
      const one = some(3)
      const { from, to } = say(one)
      const reason = new Error('not wanted')
      await assert.rejects(stream.transcribe(from, to, AbortSignal.abort(reason)), reason)
      const stop = new AbortController()
      const asked = stream.transcribe(from, to, stop.signal)
      stop.abort(reason)
      await assert.rejects(asked, reason)
      understood([{ said: one.text, heard: (await stream.transcribe(from, to, nobody)).text }])
      stream.close()
      assert.deepEqual(failures, [])
    })

    test('keeps three concurrent callers apart', async () => {
      const pairs = await Promise.all(
        [1, 2, 3].map(async (index) => {
          const { stream, say } = listen()
          const { from, to } = say(some(index))
          const { text } = await stream.transcribe(from, to, nobody)
          stream.close()
          return { said: some(index).text, heard: text }
        }),
      )
      understood(pairs)
    })

    test('answers nothing on a closed stream, without disturbing the others', async () => {
      const [closed, other] = [listen(), listen()]
      const asked = closed.stream.transcribe(0, 80_000, nobody)
      const { from, to } = other.say(some(2))
      const answer = other.stream.transcribe(from, to, nobody)
      closed.stream.close()
      await assert.rejects(asked)
      understood([{ said: some(2).text, heard: (await answer).text }])
      other.stream.close()
    })

    test('releases everything when closed, even during an answer', async () => {
      const { stream, say } = listen()
      const { from, to } = say(some(0))
      const asked = stream.transcribe(from, to, nobody).catch(() => undefined)
      stream.close()
      await opened?.close()
      opened = undefined
      await asked
      assert.deepEqual(threadsAndPrograms(), [])
    })
  })
}

/** Other leftovers keep the test from ending. */
const threadsAndPrograms = (): string[] => process.getActiveResourcesInfo().filter((kind) => /Process|MessagePort/.test(kind))
