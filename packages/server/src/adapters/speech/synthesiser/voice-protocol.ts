import type { VoiceLanguage } from './voice-languages.ts'

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

/** To a thread, which says one sentence at a time. */
export interface SayCommand extends SpokenSentence {
  id: number
}

/** From a thread. The first one is `loaded`, or the thread ends. */
export type VoiceReport =
  | { tell: 'loaded' }
  | { tell: 'sound'; id: number; samples: Int16Array<ArrayBuffer> }
  | { tell: 'failed'; id: number; message: string }
