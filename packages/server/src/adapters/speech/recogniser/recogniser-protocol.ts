import type { LastSound, Tail } from '#core/kernel/ports/speech.ts'
import type { Engine } from './engine-choice.ts'

export interface Heard {
  text: string
  /** 0 to 1: how likely the recogniser takes its words to be, on average. */
  confidence: number
  language: string
  tail?: Tail
  lastSound?: LastSound
}

export interface WorkerSettings {
  whisperThreads: number
}

export interface Task {
  engine: Engine
  /** Of the models. */
  folder: string
  /** 8 kHz. */
  sound: Int16Array<ArrayBuffer>
  /** Of which languages it is one. */
  codes: readonly string[]
  vocabulary: readonly string[]
  /** Whoever asks is not on the line, and callers must be able to interrupt. */
  patient?: true | undefined
}

/** To a worker: one task at a time. */
export type RecogniserCommand =
  | { do: 'hear'; task: Task }
  | { do: 'load'; engine: Engine; folder: string }
  | { do: 'cancel' }
  | { do: 'end' }

/** From a worker. `done` is the answer to `hear` and `load`. */
export type RecogniserReport = { tell: 'done'; heard?: Heard } | { tell: 'failed'; message: string; cancelled: boolean }
