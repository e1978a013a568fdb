import { availableParallelism, totalmem } from 'node:os'

export interface ModelSizes {
  english: 'tiny' | 'base'
  whisper: 'base' | 'small'
}

export interface SizeSettings {
  OFFHOOK_ENGLISH: 'auto' | ModelSizes['english']
  OFFHOOK_WHISPER: 'auto' | ModelSizes['whisper']
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

const carries = ({ processors, bytes }: MachineSize, least: { processors: number; gigabytes: number }): boolean =>
  processors >= least.processors && bytes >= gigabytes(least.gigabytes)

/** The models that this machine hears with: the larger ones where a turn does not wait for them. */
export const modelSizes = (
  { OFFHOOK_ENGLISH: english, OFFHOOK_WHISPER: whisper }: SizeSettings,
  machine: MachineSize = machineSize(),
): ModelSizes => ({
  english: english !== 'auto' ? english : carries(machine, { processors: 2, gigabytes: 2 }) ? 'base' : 'tiny',
  whisper: whisper !== 'auto' ? whisper : carries(machine, { processors: 4, gigabytes: 4 }) ? 'small' : 'base',
})

/** For people. */
export const sizesInWords = ({ english, whisper }: ModelSizes): string =>
  `English with Moonshine ${english}, other languages with Whisper ${whisper}`
