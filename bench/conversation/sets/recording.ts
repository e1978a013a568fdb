/** Recorded sound with its transcript. */
export interface Recording {
  /** File name without extension. */
  name: string
  /** BCP 47 language without region. */
  language: string
  /** Transcript; empty: no words. */
  text: string
  /** Samples at 8 kHz. */
  samples: Int16Array<ArrayBuffer>
}

/** Recordings are missing; the message says what to do. */
export class NoRecordings extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'NoRecordings'
  }
}

/** Recordings are numbered in list order: even ones are for development and tuning, odd ones only for validation. */
export type Half = 'development' | 'held-out'

export const half = <T>(all: readonly T[], which: Half): T[] => all.filter((_, index) => index % 2 === (which === 'development' ? 0 : 1))

export const secondsOf = ({ samples }: Pick<Recording, 'samples'>): number => samples.length / sampleRate

export const sampleRate = 8_000

/** Digital silence of this many milliseconds. */
export const silence = (ms: number): Int16Array<ArrayBuffer> => new Int16Array(Math.round((ms * sampleRate) / 1000))

export const joined = (parts: readonly Int16Array[]): Int16Array<ArrayBuffer> => {
  const all = new Int16Array(parts.reduce((length, part) => length + part.length, 0))
  parts.reduce((at, part) => (all.set(part, at), at + part.length), 0)
  return all
}
