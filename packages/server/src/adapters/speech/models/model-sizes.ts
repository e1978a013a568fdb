import { availableParallelism, totalmem } from 'node:os'

export interface ModelSizes {
  english: 'tiny' | 'base'
  whisper: 'base' | 'small'
}

export interface SizeSettings {
  OFFHOOK_ENGLISH: 'auto' | ModelSizes['english']
  OFFHOOK_WHISPER: 'auto' | ModelSizes['whisper']
  OFFHOOK_SPEECH_WORKERS: number
}

/** What there is for us: of the machine, or of what its container may use. */
export interface MachineSize {
  processors: number
  bytes: number
}

/**
 * All of the memory, not what is free at the moment: the command that fetches models, the start and the doctor must come to the same result.
 */
export const machineSize = (): MachineSize => ({
  processors: availableParallelism(),
  bytes: Math.min(totalmem(), process.constrainedMemory() || Infinity),
})

/** A machine that is sold with so much memory tells some less: the system keeps a part. */
const gigabytes = (count: number): number => count * 0.9 * 2 ** 30

/** Every speech thread has its own copy of the models: so many bytes for all that it may load, and for the rest of the service. */
const perThread = { base: 1.1e9, small: 1.6e9 }
const forTheRest = 0.8e9

/** Half of the processors by default: the media threads need the other half. */
export const speechWorkers = (wanted: number, processors: number = availableParallelism()): number =>
  wanted === 0 ? Math.max(1, processors >> 1) : wanted

/** The models that this machine hears with: the larger ones where a turn does not wait for them and memory suffices. */
export const modelSizes = (settings: SizeSettings, machine: MachineSize = machineSize()): ModelSizes => {
  const { OFFHOOK_ENGLISH: english, OFFHOOK_WHISPER: whisper, OFFHOOK_SPEECH_WORKERS: wanted } = settings
  const { processors, bytes } = machine
  const threads = speechWorkers(wanted, processors)
  const carries = (min: number, model: keyof typeof perThread): boolean =>
    processors >= min && bytes >= Math.max(gigabytes(min), forTheRest + threads * perThread[model])
  return {
    english: english !== 'auto' ? english : carries(2, 'base') ? 'base' : 'tiny',
    whisper: whisper !== 'auto' ? whisper : carries(4, 'small') ? 'small' : 'base',
  }
}

/** For people. */
export const sizesInWords = ({ english, whisper }: ModelSizes): string =>
  `English with Moonshine ${english}, other languages with Whisper ${whisper}`
