/** Start data of a turn model's thread. */
export interface TurnModelSettings {
  /** An ONNX file. */
  model: string
}

/** To the thread. `sound`: 8 kHz. */
export type TurnModelCommand = { do: 'judge'; id: number; sound: Int16Array<ArrayBuffer> } | { do: 'end' }

/** From the thread. */
export type TurnModelReport =
  | { tell: 'loaded' }
  | { tell: 'unusable'; message: string }
  | { tell: 'judged'; id: number; probability: number }
  | { tell: 'failed'; id: number; message: string }

/** Seconds of sound at the end of a turn that a model gets. */
export const heardSeconds = 8
