import type { SoundTrack } from '../sound/sound-track.ts'
import type { Lab } from './lab/lab.ts'
import type { LegSound } from './telephony.ts'

/** Voice activity detection. */
export interface Vad {
  /** Until it is closed or the leg is gone. */
  listen(sound: LegSound, observer: VadObserver): VadStream
}

/** Listens to one leg. */
export interface VadStream {
  /** What is said, without the echo of what the leg is told. */
  readonly track: SoundTrack
  close(): void
}

/** Positions are those of the ear's track. */
export interface VadObserver {
  /** Perhaps a voice since this position: sooner than `started`, which need not follow. */
  noticed?(at: number): void
  /** Speech since this position. Reported some windows later, when it is sure enough not to be a click. */
  started(at: number): void
  /** No speech since this position. Reported at the first window without speech; `started` may follow soon. */
  stopped(at: number): void
  /** One pure tone, long enough to be the one after which an answering machine records; told when it is over, which it is at this place. */
  beep?(at: number): void
  /** What listened is gone; nothing more will be told. */
  lost(): void
}

/** A word, and when it was said: milliseconds since the beginning of what was asked for. */
export interface SpokenWord {
  text: string
  startMs: number
  endMs: number
  /** 0 to 1. */
  confidence?: number
}

/** What a recogniser takes for likely after the last word, each from 0 to 1: it tells whether more is to come. */
export interface Tail {
  /** A full stop or an exclamation mark. */
  stop: number
  question: number
  /** Comma, colon, semicolon, ellipsis, dash. */
  goesOn: number
  /** The end without any mark. */
  end: number
  /** More letters: the word is not over. */
  word: number
}

/** The last voiced 150 ms of what was said, against the rest of it: voices sink at the end of what they want to say. */
export interface LastSound {
  /** Against the mean of all that is voiced, in dB. */
  energyDb: number
  /** Pitch above the lowest tenth, and against the median, in semitones. */
  aboveLow: number
  againstMedian: number
}

export interface Transcript {
  text: string
  /** 0 to 1, if the recogniser knows. */
  confidence?: number
  language?: string
  /** If the recogniser knows. */
  words?: readonly SpokenWord[]
  tail?: Tail
  /** Which of its models wrote it, where a recogniser has several. */
  model?: string
  lastSound?: LastSound
}

export interface SttOptions {
  /** BCP 47, the likeliest first; none: whatever the recogniser finds. */
  languages: readonly string[]
  /** Names and words that are likely. */
  vocabulary: readonly string[]
  /** Nobody is on the line: all others come first, and what is being answered is given up for them and begun again later. */
  patient?: true
}

export interface SttObserver {
  /** Recognisers that listen all the time say what they have until now; the others are asked. */
  partial?(text: string): void
  /** It will not recognise anything any more. */
  failed(error: Error): void
}

/** Writes down what is said. */
export interface Stt {
  readonly name: string
  hears(language: string): boolean
  open(track: SoundTrack, options: SttOptions, observer: SttObserver): SttStream
}

export interface SttStream {
  /**
   * What was said between two places of the track. May be asked before the end is sure, and again; an aborted question costs nothing more.
   */
  transcribe(from: number, to: number, signal: AbortSignal): Promise<Transcript>
  /**
   * The same, roughly, and only if no other question has to wait for it: undefined if one would. Missing: every question has its price, or it tells
   * by itself what it has.
   */
  glance?(from: number, to: number, signal: AbortSignal): Promise<Transcript | undefined>
  close(): void
}

/** Something to be said in one breath: a sentence or a part of one. */
export interface Utterance {
  /** Plain text in which numbers and the like are words already, or a whole SSML document for voices that take it. */
  text: string
  language: string
  /** A voice of that provider; the provider's own choice when missing or unknown. */
  voice?: string
  /** 1 is normal. */
  speed?: number
  /** In semitones. */
  pitch?: number
  /**
   * How many milliseconds of the same speech are still to be played before it: more urgent ones may come first. Missing: the caller waits
   * for it.
   */
  ahead?: number
}

/** A voice that can be asked for by its id. */
export interface KnownVoice {
  id: string
  name: string
  /** Missing: it speaks many. */
  language?: string
}

export type SpeechRate = 8000 | 16000

/** Reads text aloud. */
export interface Tts {
  readonly name: string
  /** Of the sound it gives. */
  readonly rate: SpeechRate
  /** Takes an SSML document as `text`. */
  readonly ssml: boolean
  speaks(language: string): boolean
  /** Those that are known here. Missing: nobody can tell. */
  voices?(): readonly KnownVoice[]
  /** What its sound of this language depends on besides the utterance. Undefined or missing: that may change without notice. */
  version?(language: string): string | undefined
  /** Sound in pieces, as soon as there is some. After an abort at most one more piece comes. */
  synthesize(utterance: Utterance, signal: AbortSignal): AsyncIterable<Int16Array>
}

/** Says what is missing: no key, no model, no such language. The embedded one takes over. */
export class SpeechUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SpeechUnavailable'
  }
}

export const speechProviders = ['embedded', 'openai', 'deepgram', 'eleven_labs', 'azure', 'espeak', 'pico'] as const
export type SpeechProvider = (typeof speechProviders)[number]

/** All that this installation can hear and say with. */
export interface Speech {
  readonly vad: Vad
  /** Undefined: not set up here. */
  stt(provider: SpeechProvider): Stt | undefined
  tts(provider: SpeechProvider): Tts | undefined
  /** Listens to recordings again; missing: nothing is heard here. */
  readonly lab?: Lab | undefined
  /** Loads in the background what these languages need, so that the first call does not wait for it. */
  prepare(languages: readonly string[]): void
  close(): Promise<void>
}
