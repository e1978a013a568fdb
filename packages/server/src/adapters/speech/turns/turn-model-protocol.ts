/** Start data of a turn model's thread. */
export interface TurnModelSettings {
  /** An ONNX file. */
  model: string
}

/** `sound`: 8 kHz. `rows`: one for each word, one after another. */
export type TurnModelInput = { sound: Int16Array<ArrayBuffer> } | { rows: Float32Array<ArrayBuffer>; words: number }

/** To the thread. */
export type TurnModelCommand = { do: 'judge'; id: number; input: TurnModelInput } | { do: 'end' }

/** From the thread. */
export type TurnModelReport =
  | { tell: 'loaded' }
  | { tell: 'unusable'; message: string }
  | { tell: 'judged'; id: number; value: number }
  | { tell: 'failed'; id: number; message: string }

/** Seconds of sound at the end of a turn that a model gets. */
export const heardSeconds = 8
