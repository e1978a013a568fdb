import type { LabFindings, LabWork } from '#core/kernel/ports/lab/lab.ts'
import type { SttOptions, Transcript } from '#core/kernel/ports/speech.ts'
import type { VadThreadSettings } from '../vad/vad-protocol.ts'

/** What the thread is started with: one thread for one recording. */
export interface LabThreadSettings extends VadThreadSettings {
  work: LabWork
}

/** To the main thread, which has the recogniser. */
export type LabEvent =
  /** The whole recording without echo: a SoundTrack. */
  | { tell: 'heard'; track: SharedArrayBuffer }
  | { tell: 'ask'; question: number; options: SttOptions; from: number; to: number }
  | { tell: 'done'; findings: LabFindings }

/** From the main thread. */
export type LabAnswer = { question: number } & ({ transcript: Transcript } | { failure: string })
