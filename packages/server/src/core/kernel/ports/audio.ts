import type { soundStates, TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'

export type Sound =
  /** Mono, 16 bit or G.711, 8 or 16 kHz. */
  { wav: Uint8Array } | { tone: 'ringback' | 'busy' | 'beep' | 'congestion' } | { prompt: PromptName; language: string } | { music: 'hold' }

export type WavSound = Extract<Sound, { wav: Uint8Array }>

/** Prompts with audio files: packages/server/assets/prompts/<language>/<name>.wav. */
export type PromptName =
  | 'voicemail-greeting'
  | 'insufficient-funds'
  | 'spending-limit'
  | 'not-available'
  | 'closed'
  | 'recording-notice'
  | 'recording-consent'
  | 'new-message'
  | 'heard-message'
  | 'message-menu'
  | 'message-erased'
  | 'no-more-messages'

export interface Playback {
  /** Resolves when playback finished or stopped, or the leg ended. */
  readonly done: Promise<{ completed: boolean; playedMs: number }>
  stop(): void
}

export interface Announcement extends Playback {
  /** Resolves when the first audio is on its way to the phone; never if stopped before. */
  readonly begun: Promise<void>
}

/** Streamed audio, such as synthesised speech. */
export interface SoundFeed extends Playback {
  /** Returns the number of accepted samples; the rest has to be offered again. */
  write(samples: Int16Array): number
  /** Resolves when there is capacity for this many samples, or when the feed no longer accepts any. */
  hasCapacity(samples: number): Promise<void>
  /** Marks the end of input: `done` resolves when all written samples are played. */
  end(): void
  /** Resolves when the first audio is on its way to the phone; never if stopped before. */
  readonly begun: Promise<void>
  /** Milliseconds played so far. */
  playedMs(): number
}

/**
 * Live audio of both directions of a leg: 8 kHz, 16 bit, in blocks of 20 ms. Each block is 160 samples from the phone, then 160 samples
 * sent to it at the same moment. A ring buffer with one writing and one reading thread (see SampleRing).
 */
export interface LegSound {
  readonly buffer: SharedArrayBuffer
  close(): void
}

export interface Recorded {
  durationMs: number
  /** File size. */
  bytes: number
  /** Incomplete because the disk was full or the recording failed otherwise. */
  truncated: boolean
}

export interface Recording {
  /** As in RecordingFile. */
  readonly id: string
  /** Resolves with whether the file could be opened. */
  readonly opened: Promise<boolean>
  stop(): Promise<Recorded>
}

/** Audio state of a phone in both directions; see the contract's timeline. */
export type SoundState = (typeof soundStates)[number]

export type SoundTrouble = Exclude<SoundState, 'heard'>

/** Packet statistics of a phone; see the contract's timeline. */
export type LegQuality = Pick<
  TimelineEntryOf<'quality'>,
  'packetsReceived' | 'packetsLost' | 'jitterMs' | 'roundTripMs' | 'worst' | 'reported'
>

export interface RecordingFile {
  accountId: string
  id: string
  /** Data folder that has it, see `RecordingFiles.place`; undefined: this one, or the shared store. */
  place?: string | undefined
}
