import { parentPort, workerData } from 'node:worker_threads'
import type { InferenceSession, Tensor } from 'onnxruntime-node'
import { resampleSound } from '#media/codec/resample.ts'
import { reportMemory } from '#media/thread/thread.ts'
import { floats, openSession } from '../onnx.ts'
import { logMel, melBands } from '../recogniser/mel.ts'
import {
  heardSeconds,
  type TurnModelCommand,
  type TurnModelInput,
  type TurnModelReport,
  type TurnModelSettings,
} from './turn-model-protocol.ts'

/** A model computes without a pause, so it needs a thread of its own. */
const port = parentPort
if (!port) throw new Error('this is a worker')
reportMemory()
const rate = 16_000
const notify = (report: TurnModelReport): void => port.postMessage(report)
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const load = async (): Promise<InferenceSession | undefined> => {
  try {
    const session = await openSession((workerData as TurnModelSettings).model, 1)
    if (session.inputNames.length !== 1) throw new Error(`it has ${session.inputNames.length} inputs instead of one`)
    notify({ tell: 'loaded' })
    return session
  } catch (error) {
    notify({ tell: 'unusable', message: messageOf(error) })
    return undefined
  }
}

/** The sound is at the end, padded with silence before it. */
const paddedSound = (sound: Int16Array): Float32Array => {
  const input = new Float32Array(heardSeconds * rate)
  const samples = resampleSound(sound, rate / 2, rate).subarray(-input.length)
  for (let i = 0; i < samples.length; i++) input[input.length - samples.length + i] = (samples[i] ?? 0) / 32_768
  return input
}

/** Frames of 10 ms. */
const melFrames = heardSeconds * 100
/** Half a window of Whisper's features: they mirror the sound at both ends. */
const mirrored = 200

/** Whisper's features of the sound at zero mean and unit variance, as Smart Turn v3 was trained on them. */
const melOf = (sound: Float32Array): Float32Array => {
  const mean = sound.reduce((sum, value) => sum + value, 0) / sound.length
  const variance = sound.reduce((sum, value) => sum + (value - mean) ** 2, 0) / sound.length
  const scale = 1 / Math.sqrt(variance + 1e-7)
  const level = new Float32Array(sound.length + mirrored)
  for (let i = 0; i < level.length; i++) level[i] = (sound[Math.min(i, 2 * (sound.length - 1) - i)]! - mean) * scale
  return logMel(level, melFrames)
}

/** True for a model that takes Whisper's features: `[1, 80, 800]`, the first size may be open. */
const takesMel = ({ inputMetadata: [input] }: InferenceSession): boolean =>
  input?.isTensor === true && input.shape.length === 3 && input.shape[1] === melBands

const tensorOf = (session: InferenceSession, input: TurnModelInput): Tensor => {
  if ('rows' in input) return floats(input.rows, input.words, 1, input.rows.length / input.words)
  const sound = paddedSound(input.sound)
  return takesMel(session) ? floats(melOf(sound), 1, melBands, melFrames) : floats(sound, 1, sound.length)
}

const judge = async (session: InferenceSession, asked: TurnModelInput): Promise<number> => {
  const [input = '', output = ''] = [session.inputNames[0], session.outputNames[0]]
  const given = await session.run({ [input]: tensorOf(session, asked) })
  const values = given[output]?.data
  const value = values instanceof Float32Array ? values.at(-1) : undefined
  if (value === undefined) throw new Error('it gave no float')
  return value
}

const model = load()

/** One question at a time: a model has one memory. */
let last: Promise<void> = Promise.resolve()
const answer = async ({ id, input }: Extract<TurnModelCommand, { do: 'judge' }>): Promise<void> => {
  try {
    const session = await model
    if (!session) throw new Error('it could not be loaded')
    notify({ tell: 'judged', id, value: await judge(session, input) })
  } catch (error) {
    notify({ tell: 'failed', id, message: messageOf(error) })
  }
}

port.on('message', (command: TurnModelCommand) => {
  if (command.do === 'end') return port.close()
  last = last.then(() => answer(command))
})
