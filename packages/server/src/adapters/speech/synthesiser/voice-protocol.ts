import type { VoiceLanguage } from './voice-languages.ts'

/** Sample rate of the output. */
export const voiceRate = 16_000

/** Start data of a voice thread. */
export interface VoiceThreadSettings {
  folder: string
  language: VoiceLanguage
  /** Processor threads for one sentence. */
  threads: number
  /** The same text always sounds the same. */
  isSteady?: boolean | undefined
}

export interface SpokenSentence {
  /** See pronounceable.ts. */
  text: string
  /** Sounds of the words that private-use characters stand for. */
  ipa?: readonly string[]
  speed: number
  /** Semitones. */
  pitch: number
}

/** One more chunk of a sentence. A thread makes one at a time, but chunks of other sentences may come between. */
export interface PieceOrder {
  /** Id of the sentence. */
  id: number
  /** Length of the chunk; see voice-model.ts. */
  frames: number
  /** Sent with the first chunk. */
  sentence?: SpokenSentence
}

export interface VoicePiece {
  samples: Int16Array<ArrayBuffer>
  /** The last chunk of the sentence. */
  last: boolean
}

/** `drop`: cancels the rest of that sentence. */
export type VoiceCommand = PieceOrder | { drop: number } | 'end'

/** From a thread. The first message is `loaded`, or the thread ends. */
export type VoiceReport =
  | { tell: 'loaded' }
  | ({ tell: 'sound'; id: number } & VoicePiece)
  | { tell: 'failed'; id: number; message: string }
