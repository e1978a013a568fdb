/** Something that was recorded, and what was said in it. */
export interface Recording {
  /** Of its file, without ending. */
  name: string
  /** BCP 47, without country. */
  language: string
  /** As its transcript writes it; empty: no words. */
  text: string
  /** At 8 kHz. */
  samples: Int16Array<ArrayBuffer>
}

/** There is nothing to measure with; its message says what to do. */
export class NoRecordings extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'NoRecordings'
  }
}

/** Recordings are counted in the order of their list: even ones may be looked at and tuned for, odd ones only judge. */
export type Half = 'development' | 'held-out'

export const half = <T>(all: readonly T[], which: Half): T[] => all.filter((_, index) => index % 2 === (which === 'development' ? 0 : 1))

export const secondsOf = ({ samples }: Pick<Recording, 'samples'>): number => samples.length / sampleRate

export const sampleRate = 8_000

/** So many milliseconds of nothing. */
export const silence = (ms: number): Int16Array<ArrayBuffer> => new Int16Array(Math.round((ms * sampleRate) / 1000))

export const joined = (parts: readonly Int16Array[]): Int16Array<ArrayBuffer> => {
  const all = new Int16Array(parts.reduce((length, part) => length + part.length, 0))
  parts.reduce((at, part) => (all.set(part, at), at + part.length), 0)
  return all
}
