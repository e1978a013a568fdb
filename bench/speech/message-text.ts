import { setTimeout as wait } from 'node:timers/promises'
import type { Stt } from '#core/kernel/ports/speech.ts'
import { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { piecesOf } from '#core/kernel/sound/speech-pieces.ts'
import { openEmbedded } from '#test/speech/embedded-speech.ts'
import { readRecordedSpeech, withPauses } from '#test/speech/recorded-speech.ts'
import { rounded, spread } from '../shared/percentiles.ts'
import { openScope } from '../shared/scope.ts'

/**
 * Latency that voicemail transcription adds for callers of assistants: ten of them say a sentence every eight seconds, alone and concurrently with a
 * message of a minute, alternating. Reports the wait for each transcript and the time for the message. `node bench/speech/message-text.ts [callers]`.
 */
const callers = Number(process.argv[2] ?? 10)
const intervalMs = 8_000
const rounds = 3
const recorded = await readRecordedSpeech()
const message = withPauses(recorded, { before: 0, between: 0.6 }).subarray(0, 60 * 8_000)

const hear = async (stt: Stt, sound: Int16Array, patient?: true): Promise<number> => {
  const track = SoundTrack.of(sound.length / 8_000 + 1)
  track.write(sound)
  track.end()
  const stream = stt.open(track, { languages: ['en-US'], vocabulary: [], ...(patient && { patient }) }, { failed: () => {} })
  const started = performance.now()
  await stream.transcribe(0, sound.length, new AbortController().signal)
  stream.close()
  return performance.now() - started
}

/** Each caller says two sentences, at staggered times. */
const conversations = async (stt: Stt): Promise<number[]> => {
  const caller = async (index: number): Promise<number[]> => {
    const waits: number[] = []
    for (let turn = 0; turn < 2; turn++) {
      await wait(turn === 0 ? (index * intervalMs) / callers : intervalMs)
      waits.push(await hear(stt, recorded[(index * 2 + turn) % recorded.length]?.samples ?? new Int16Array()))
    }
    return waits
  }
  return (await Promise.all(Array.from({ length: callers }, (_, index) => caller(index)))).flat()
}

const writeDown = async (stt: Stt): Promise<number> => {
  const started = performance.now()
  for (const { from, to } of piecesOf(message)) await hear(stt, message.subarray(from, to), true)
  return performance.now() - started
}

const scope = openScope()
try {
  const stt = await openEmbedded(scope)
  await hear(stt, recorded[0]?.samples ?? new Int16Array()) // loads the model
  const [alone, beside, messageMs]: [number[], number[], number[]] = [[], [], []]
  for (let round = 0; round < rounds; round++) {
    alone.push(...(await conversations(stt)))
    const [waits, took] = await Promise.all([conversations(stt), writeDown(stt)])
    beside.push(...waits)
    messageMs.push(took)
  }
  const [without, withMessage] = [spread(alone), spread(beside)]
  const lost = { p50: rounded(withMessage.p50 - without.p50), p95: rounded(withMessage.p95 - without.p95) }
  const figures = { callers, questions: alone.length, aloneMs: without, besideMs: withMessage, lostMs: lost }
  console.log(JSON.stringify({ bench: 'message-text', ...figures, messageSeconds: Math.round(Math.max(...messageMs) / 1000) }))
} finally {
  await scope.end()
}
