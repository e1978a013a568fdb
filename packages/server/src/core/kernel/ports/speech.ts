import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { LabInterruption, LabSettings, LabTurn } from '@offhook/contract/v2/lab.ts'
import type { SoundTrack } from '../sound/sound-track.ts'
import type { LegSound } from './audio.ts'

/** Voice activity detection. */
export interface Vad {
  /** Listens until closed or until the leg ends. */
  listen(sound: LegSound, observer: VadObserver): VadStream
}

/** VAD on one leg. */
export interface VadStream {
  /** Audio of the leg after echo cancellation. */
  readonly track: SoundTrack
  close(): void
}

/** Positions refer to `VadStream.track`. */
export interface VadObserver {
  /** Possible speech since this position: earlier than `started`, which need not follow. */
  noticed?(at: number): void
  /** Speech since this position. Reported some windows later, when a click is ruled out. */
  started(at: number): void
  /** No speech since this position. Reported at the first window without speech; `started` may follow soon. */
  stopped(at: number): void
  /** Pure tone, long enough for an answering machine's record beep; reported at its end, which is this position. */
  beep?(at: number): void
  /** The detector is gone; no more events follow. */
  lost(): void
}

/** Word with its time in milliseconds from the start of the requested range. */
export interface SpokenWord {
  text: string
  startMs: number
  endMs: number
  /** 0 to 1. */
  confidence?: number
}

/** Likelihood of each continuation after the last word, from 0 to 1: indicates whether more is to come. */
export interface Tail {
  /** Full stop or exclamation mark. */
  stop: number
  question: number
  /** Comma, colon, semicolon, ellipsis, dash. */
  goesOn: number
  /** End without any punctuation. */
  end: number
  /** More letters: the word is incomplete. */
  word: number
}

/** Prosody of the last voiced 150 ms relative to the rest: voices drop at the end of an utterance. */
export interface LastSound {
  /** Relative to the mean of all voiced audio, in dB. */
  energyDb: number
  /** Pitch above the lowest tenth, and relative to the median, in semitones. */
  aboveLow: number
  againstMedian: number
}

export interface Transcript {
  text: string
  /** 0 to 1, if the recogniser provides it. */
  confidence?: number
  language?: string
  /** If the recogniser provides them. */
  words?: readonly SpokenWord[]
  tail?: Tail
  /** Name of the model, for recognisers with several. */
  model?: string
  lastSound?: LastSound
  /** Level of the voice above the noise of the line, if the recogniser measures it. */
  snrDb?: number
}

export interface SttOptions {
  /** BCP 47, most likely first; empty: the recogniser detects the language. */
  languages: readonly string[]
  /** Likely names and words. */
  vocabulary: readonly string[]
  /** Low priority, no live caller: yields to all other requests; a running one is aborted for them and restarted later. */
  patient?: true
}

export interface SttObserver {
  /** Called by streaming recognisers with the partial transcript; the others are polled. */
  partial?(text: string): void
  /** The recogniser has failed permanently. */
  failed(error: Error): void
}

/** Speech to text. */
export interface Stt {
  readonly name: string
  hears(language: string): boolean
  open(track: SoundTrack, options: SttOptions, observer: SttObserver): SttStream
}

/** The caller was asked for something particular: the answer has to be right, also under load. */
export interface ExpectedAnswer {
  /** Likely answers, whole; empty: unknown. */
  phrases: readonly string[]
}

export interface SttStream {
  /** Transcribes a range of the track. May be called before the end is certain, and again; an aborted request costs no more. */
  transcribe(from: number, to: number, signal: AbortSignal, expected?: ExpectedAnswer): Promise<Transcript>
  /**
   * Rough transcript, only if no other request has to wait for it; undefined otherwise. Missing if each request is charged, or the
   * recogniser emits partials itself.
   */
  glance?(from: number, to: number, signal: AbortSignal): Promise<Transcript | undefined>
  close(): void
}

/** Text to be synthesised in one piece: a sentence or a part of one. */
export interface Utterance {
  /** Plain text after text normalization, or a whole SSML document for voices that accept it. */
  text: string
  language: string
  /** Voice of that provider; the provider's default if missing or unknown. */
  voice?: string
  /** 1 is normal. */
  speed?: number
  /** Semitones. */
  pitch?: number
  /** Milliseconds of the same speech still to be played before it: more urgent utterances may go first. Missing: the caller is waiting. */
  ahead?: number
  /** Words of the text with their pronunciation. Voices that cannot follow it read the word. */
  ipa?: readonly WordInIpa[]
}

export interface WordInIpa {
  word: string
  ipa: string
}

/** Voice selectable by its id. */
export interface KnownVoice {
  id: string
  name: string
  /** Missing: multilingual. */
  language?: string
}

export type SpeechRate = 8000 | 16000

/** Text to speech. */
export interface Tts {
  readonly name: string
  /** Sample rate of the output in Hz. */
  readonly rate: SpeechRate
  /** Accepts an SSML document as `text`. */
  readonly ssml: boolean
  speaks(language: string): boolean
  /** Voices known here. Missing: unknown. */
  voices?(): readonly KnownVoice[]
  /** Version of everything besides the utterance that determines the audio of this language. Undefined or missing: it may change without notice. */
  version?(language: string): string | undefined
  /** Audio in chunks, as soon as available. After an abort at most one more chunk follows. */
  synthesize(utterance: Utterance, signal: AbortSignal): AsyncIterable<Int16Array>
}

/** The message says what is missing: key, model or language. The embedded provider takes over. */
export class SpeechUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SpeechUnavailable'
  }
}

export const speechProviders = ['embedded', 'openai', 'deepgram', 'eleven_labs', 'azure', 'espeak', 'pico'] as const
export type SpeechProvider = (typeof speechProviders)[number]

/** All speech recognition and synthesis of this installation. */
export interface Speech {
  readonly vad: Vad
  /** Undefined: not configured. */
  stt(provider: SpeechProvider): Stt | undefined
  tts(provider: SpeechProvider): Tts | undefined
  /** Transcribes recordings again; missing without speech recognition. */
  readonly lab?: Lab | undefined
  /** Loads the models of these languages in the background, so that the first call does not wait for them. Resolves when they are loaded, or have failed. */
  prepare(languages: readonly string[]): Promise<void>
  close(): Promise<void>
}

/** Audio of both sides of a call, 16 bit. */
export interface BothSides {
  rate: number
  heard: Int16Array<ArrayBuffer>
  sent: Int16Array<ArrayBuffer>
}

/** Speech of the assistant. Times are milliseconds since the start of the recording. */
export interface RecordedSpeech {
  eventId?: string
  startMs: number
  /** Full duration without barge-in: estimated if it was cut off. */
  fullMs: number
  text: string
  /** From the action; the flow's setting applies if missing. */
  bargeIn?: ActionOf<'speak'>['barge_in']
  protect: boolean
  wantsAnswer: boolean
}

/** Change of listening settings by an action. */
export type RecordedRequest = { atMs: number } & Pick<ActionOf<'configure_transcription'>, 'vad' | 'turn_taking' | 'languages'> &
  Partial<{ expecting: Pick<ActionOf<'speak'>, 'expects' | 'expects_digits' | 'expects_options'> }>

/** VAD result at this time; `sample` counts from the start of listening. */
export interface VoiceAt {
  speaks: boolean
  atMs: number
  sample?: number | undefined
}

export interface LabWork {
  sound: BothSides
  speeches: readonly RecordedSpeech[]
  wishes: readonly RecordedRequest[]
  /** VAD results during the call: they align the call's times with the audio. Empty: times are used unchanged. */
  voice: readonly VoiceAt[]
  /** The first one applies. */
  languages: readonly string[]
  vocabulary: readonly string[]
  /** Recogniser latency in milliseconds. */
  recogniserMs: number
  /** Complete settings each; none are inherited. */
  variants: readonly LabSettings[]
}

/** Result of one variant. */
export interface LabRun {
  turns: (LabTurn & { silenceMs: number; cut: boolean; missed: boolean })[]
  interruptions: LabInterruption[]
}

export interface LabFindings {
  /** Milliseconds to add to call times to find them in the audio. */
  shiftMs: number
  runs: LabRun[]
}

/** Replays recordings in the background of calls. */
export interface Lab {
  /** Undefined: at capacity, or already running a recording of this account. */
  run(accountId: string, work: LabWork): Promise<LabFindings> | undefined
}
