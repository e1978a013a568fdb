import { parentPort, workerData } from 'node:worker_threads'
import { reportMemory, runBehindSignalling } from '#media/thread/thread.ts'
import { SentenceMaking } from './sentence-making.ts'
import { VoiceModel } from './voice-model.ts'
import type { PieceOrder, VoiceCommand, VoicePiece, VoiceReport, VoiceThreadSettings } from './voice-protocol.ts'

const { folder, language, threads, isSteady } = workerData as VoiceThreadSettings
const notify = (report: VoiceReport, transfer: ArrayBuffer[] = []): void => parentPort?.postMessage(report, transfer)

reportMemory()
runBehindSignalling()
const model = await VoiceModel.load(folder, language, threads, isSteady)
const begun = new Map<number, Promise<SentenceMaking>>()

const make = async ({ id, frames, sentence }: PieceOrder): Promise<VoicePiece> => {
  if (sentence) begun.set(id, SentenceMaking.begin(model, sentence))
  const making = await begun.get(id)
  if (!making) throw new Error('that sentence was not begun')
  return making.next(frames)
}

const work = async (order: PieceOrder): Promise<void> => {
  const { id } = order
  try {
    const { samples, last } = await make(order)
    if (last) begun.delete(id)
    notify({ tell: 'sound', id, samples, last }, [samples.buffer])
  } catch (error) {
    begun.delete(id)
    notify({ tell: 'failed', id, message: error instanceof Error ? error.message : String(error) })
  }
}

parentPort?.on('message', (command: VoiceCommand) => {
  if (command === 'end') parentPort?.close()
  else if ('drop' in command) begun.delete(command.drop)
  else void work(command)
})
notify({ tell: 'loaded' })
