import { parentPort, workerData } from 'node:worker_threads'
import type { InferenceSession, Tensor } from 'onnxruntime-node'
import { resampleSound } from '#media/codec/resample.ts'
import { reportMemory } from '#media/thread/thread.ts'
import { floats, openSession } from '../onnx.ts'
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

const tensorOf = (input: TurnModelInput): Tensor =>
  'sound' in input
    ? floats(paddedSound(input.sound), 1, heardSeconds * rate)
    : floats(input.rows, input.words, 1, input.rows.length / input.words)

const judge = async (session: InferenceSession, asked: TurnModelInput): Promise<number> => {
  const [input = '', output = ''] = [session.inputNames[0], session.outputNames[0]]
  const given = await session.run({ [input]: tensorOf(asked) })
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
