import { setImmediate } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { askedOnce, type AskRecogniser } from '#core/assistant/lab/lab-recogniser.ts'
import { framesToSkip, placedAt, shiftOf } from '#core/assistant/lab/align.ts'
import { listenAgain } from '#core/assistant/lab/listen-again.ts'
import type { BothSides, LabFindings, LabRun } from '#core/kernel/ports/lab/lab.ts'
import type { Transcript } from '#core/kernel/ports/speech.ts'
import { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { framesPerSecond } from '#media/codec/codec.ts'
import { duplexRate } from '#media/stream/duplex-tap.ts'
import { reportMemory } from '#media/thread/thread.ts'
import { EnergyDetector } from '../vad/energy-detector.ts'
import { SileroDetector } from '../vad/silero-detector.ts'
import { hearAgain } from './hear-again.ts'
import type { LabAnswer, LabEvent, LabThreadSettings } from './lab-protocol.ts'

/** The thread that listens to one recording: through the ear once, then with each variant. Recognisers have threads of their own, which it asks. */
const { detector, model, work } = workerData as LabThreadSettings
reportMemory()
const notify = (event: LabEvent): void => parentPort?.postMessage(event, [])

const waiting = new Map<number, PromiseWithResolvers<Transcript>>()
let asked = 0

const ask: AskRecogniser = (options, from, to) => {
  const answer = Promise.withResolvers<Transcript>()
  waiting.set(++asked, answer)
  notify({ tell: 'ask', question: asked, options, from, to })
  return answer.promise
}

parentPort?.on('message', (answer: LabAnswer | 'end') => {
  if (answer === 'end') process.exit()
  const question = waiting.get(answer.question)
  waiting.delete(answer.question)
  if ('transcript' in answer) question?.resolve(answer.transcript)
  else question?.reject(new Error(answer.failure))
})

/** Times of the call, where they are in what is listened to. */
const moved = <T extends { atMs: number } | { startMs: number }>(all: readonly T[], shiftMs: number): T[] =>
  all.map((one) => ('atMs' in one ? { ...one, atMs: one.atMs + shiftMs } : { ...one, startMs: one.startMs + shiftMs }))

const skipped = ({ rate, heard, sent }: BothSides, frames: number): BothSides => {
  const from = (frames * rate) / framesPerSecond
  return { rate, heard: heard.subarray(from), sent: sent.subarray(from) }
}

const run = async (): Promise<LabFindings> => {
  const cancelsEcho = detector === 'silero'
  const rest = (): Promise<void> => setImmediate()
  const parts = { detector: cancelsEcho ? await SileroDetector.load(model ?? '') : new EnergyDetector(), cancelsEcho, rest }
  const first = await hearAgain(work.sound, parts)
  const skip = framesToSkip(work.voice, first)
  const heard = skip === 0 ? first : await hearAgain(skipped(work.sound, skip), parts)
  const track = SoundTrack.of(heard.track.length / duplexRate + 1)
  track.write(heard.track)
  notify({ tell: 'heard', track: track.buffer })
  const skippedMs = (skip * 1000) / framesPerSecond
  const shiftMs = Math.round(shiftOf(work.voice, heard))
  const placed = { ...work, speeches: moved(work.speeches, shiftMs), wishes: moved(work.wishes, shiftMs) }
  const runs: LabRun[] = []
  const listening = { heard, ask: askedOnce(ask), rest }
  for (const settings of work.variants) runs.push(placedAt(await listenAgain(listening, placed, settings), skippedMs))
  return { shiftMs: shiftMs + skippedMs, runs }
}

notify({ tell: 'done', findings: await run() })
parentPort?.close()
