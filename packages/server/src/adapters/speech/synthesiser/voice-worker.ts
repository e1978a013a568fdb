import { parentPort, workerData } from 'node:worker_threads'
import { resampleSound } from '#media/codec/resample.ts'
import { tellMemory } from '#media/thread/thread.ts'
import type { SayCommand, SpokenSentence, VoiceReport, VoiceThreadSettings } from './voice-protocol.ts'
import { shapeSound, toSamples } from './shape-sound.ts'
import { voiceKinds } from './voice-languages.ts'
import { VoiceModel } from './voice-model.ts'

/** Of the sound that is given away. */
const rate = 16_000
/** Rates in between would need a filter of their own each. */
const rateStep = 100

const { folder, language, threads } = workerData as VoiceThreadSettings
const tell = (report: VoiceReport, transfer: ArrayBuffer[] = []): void => parentPort?.postMessage(report, transfer)

/** Higher: it is said more slowly and played back faster, so that it takes as long as before. */
const say = async (model: VoiceModel, { text, speed, pitch }: SpokenSentence): Promise<Int16Array<ArrayBuffer>> => {
  const playedAt = Math.round((model.rate * 2 ** (pitch / 12)) / rateStep) * rateStep
  const sound = await model.say(text, (speed * model.rate) / playedAt)
  return shapeSound(resampleSound(toSamples(sound, voiceKinds[language].gain), playedAt, rate), rate, text)
}

tellMemory()
const model = await VoiceModel.load(folder, language, threads)
parentPort?.on('message', (command: SayCommand | 'end') => {
  if (command === 'end') return parentPort?.close()
  const { id, ...sentence } = command
  void say(model, sentence).then(
    (samples) => tell({ tell: 'sound', id, samples }, [samples.buffer]),
    (error: unknown) => tell({ tell: 'failed', id, message: error instanceof Error ? error.message : String(error) }),
  )
})
tell({ tell: 'loaded' })
