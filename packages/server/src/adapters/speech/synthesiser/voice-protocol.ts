import type { VoiceLanguage } from './voice-languages.ts'

/** Of the sound that is given away. */
export const voiceRate = 16_000

/** What a thread needs to know before it loads its model. */
export interface VoiceThreadSettings {
  folder: string
  language: VoiceLanguage
  /** Of the processor, for one sentence. */
  threads: number
}

export interface SpokenSentence {
  /** See pronounceable.ts. */
  text: string
  speed: number
  /** In semitones. */
  pitch: number
}

/** One more piece of a sentence. A thread makes one at a time, but pieces of other sentences may come between. */
export interface PieceOrder {
  /** Of the sentence. */
  id: number
  /** How long it shall be; see voice-model.ts. */
  frames: number
  /** With the first one. */
  sentence?: SpokenSentence
}

export interface VoicePiece {
  samples: Int16Array<ArrayBuffer>
  /** That was all of the sentence. */
  last: boolean
}

/** `drop`: the rest of that sentence is not wanted. */
export type VoiceCommand = PieceOrder | { drop: number } | 'end'

/** From a thread. The first one is `loaded`, or the thread ends. */
export type VoiceReport =
  | { tell: 'loaded' }
  | ({ tell: 'sound'; id: number } & VoicePiece)
  | { tell: 'failed'; id: number; message: string }
