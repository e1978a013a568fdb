import type { LabFindings, LabWork } from '#core/kernel/ports/lab/lab.ts'
import type { SttOptions, Transcript } from '#core/kernel/ports/speech.ts'
import type { EarThreadSettings } from '../ear/ear-protocol.ts'

/** What the thread is started with: one thread for one recording. */
export interface LabThreadSettings extends EarThreadSettings {
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
