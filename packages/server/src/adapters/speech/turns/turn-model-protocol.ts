/** What the thread of a turn model is started with. */
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

/** What a model hears of the end of a turn. */
export const heardSeconds = 8
