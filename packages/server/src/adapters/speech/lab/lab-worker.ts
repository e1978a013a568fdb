import { setImmediate } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import {
  askedOnce,
  type AskRecogniser,
  listenAgain,
  type HeardAgain,
  framesToSkip,
  placedAt,
  shiftOf,
} from '#core/assistant/lab/listen-again.ts'
import type { BothSides, ExpectedAnswer, LabFindings, LabRun, Transcript, LabWork, SttOptions } from '#core/kernel/ports/speech.ts'
import { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { framesPerSecond } from '#media/codec/codec.ts'
import { duplexRate, DuplexTap, duplexBlockSamples } from '#media/stream/duplex-tap.ts'
import { runInBackground, reportMemory } from '#media/thread/thread.ts'
import { EnergyDetector, type VoiceDetector } from '../vad/energy-detector.ts'
import { SileroDetector } from '../vad/silero-detector.ts'
import { SampleRing } from '#media/thread/sample-ring.ts'
import { StreamVad } from '../vad/stream-vad.ts'
import type { VadThreadSettings } from '../vad/vad-pool.ts'

/** Start data of a lab thread; each thread handles one recording. */
export interface LabThreadSettings extends VadThreadSettings {
  work: LabWork
}

/** To the main thread, which owns the recogniser. */
export type LabEvent =
  /** The whole recording without echo, as a SoundTrack. */
  | { tell: 'heard'; track: SharedArrayBuffer }
  | { tell: 'ask'; question: number; options: SttOptions; from: number; to: number; expected: ExpectedAnswer | undefined }
  | { tell: 'done'; findings: LabFindings }

/** From the main thread. */
export type LabAnswer = { question: number } & ({ transcript: Transcript } | { failure: string })

const trackSeconds = 2
/** Ten seconds of sound between two checks whether the thread has to end. */
const restFrames = 500

interface HearDeps {
  detector: VoiceDetector
  cancelsEcho: boolean
  rest: () => Promise<void>
}

/** Runs both sides of a recorded call through echo cancellation and VAD, block by block. */
const hearAgain = async ({ rate, heard, sent }: BothSides, { detector, cancelsEcho, rest }: HearDeps): Promise<HeardAgain> => {
  const ring = SampleRing.of(8 * duplexBlockSamples)
  const tap = new DuplexTap(ring.buffer)
  const frame = rate / framesPerSecond
  const track = SoundTrack.of(trackSeconds)
  track.needs('turn', undefined)
  const clean = new Int16Array(Math.ceil((heard.length / frame) * duplexBlockSamples))
  const changes: { kind: 'noticed' | 'started' | 'stopped'; at: number; told: number }[] = []
  const notify = (kind: 'noticed' | 'started' | 'stopped') => (at: number) => {
    changes.push({ kind, at, told: track.length })
    if (kind === 'started') track.knowsVoice(at)
  }
  const observer = { noticed: notify('noticed'), started: notify('started'), stopped: notify('stopped') }
  const vad = new StreamVad({ sound: ring.buffer, track: track.buffer, detector, cancelsEcho, observer, beep: undefined })
  let length = 0
  for (let at = 0; at + frame <= heard.length; at += frame) {
    if (at % (frame * restFrames) === 0) await rest()
    tap.heard(heard.subarray(at, at + frame))
    tap.sent(sent.subarray(at, at + frame))
    while (vad.nextWindow()) {
      clean.set(track.read(length), length)
      length = track.length
      vad.judge(detector.probability(vad))
    }
  }
  return { track: clean.subarray(0, length), changes }
}

/** Thread for one recording: VAD once, then each variant. Recognisers run in separate threads, which this thread queries. */
const { detector, model, work } = workerData as LabThreadSettings
reportMemory()
runInBackground()
const notify = (event: LabEvent): void => parentPort?.postMessage(event, [])

const waiting = new Map<number, PromiseWithResolvers<Transcript>>()
let asked = 0

const ask: AskRecogniser = (options, from, to, expected) => {
  const answer = Promise.withResolvers<Transcript>()
  waiting.set(++asked, answer)
  notify({ tell: 'ask', question: asked, options, from, to, expected })
  return answer.promise
}

parentPort?.on('message', (answer: LabAnswer | 'end') => {
  if (answer === 'end') process.exit()
  const question = waiting.get(answer.question)
  waiting.delete(answer.question)
  if ('transcript' in answer) question?.resolve(answer.transcript)
  else question?.reject(new Error(answer.failure))
})

/** Shifts the times of the call to positions in the analysed sound. */
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
