import type { SpeechRate } from '../speech.ts'

/** An utterance whose sound was made. */
export interface MadeSpeech {
  rate: SpeechRate
  samples: Int16Array
}

/** Keeps sound beyond the life of the process. Never fails: what it can't keep or read is made again. */
export interface SpeechArchive {
  /** `key`: everything that the sound depends on. Undefined at once: it is not there. */
  find(key: string): Promise<MadeSpeech | undefined> | undefined
  /** Later, in the background. */
  keep(key: string, speech: MadeSpeech): void
  /** Resolves when nothing is being written. */
  close(): Promise<void>
}
