import type { Layer, StreamSettings, PcmRate, SoundState, StreamFigures, StreamQuality } from '../engine.ts'
import type { UdpKind } from '../socket/socket.ts'

/** Start data of a media thread. */
export interface ThreadSettings {
  address: string
  udp: UdpKind
  silentAfterMs: { first: number; later: number }
  /** Memory of its `SendPermit`. */
  permit: SharedArrayBuffer
  /** Futex word; `wake()` is called on it after every message. */
  door: SharedArrayBuffer
  /** Eight bytes, in which the thread counts its late turns and all turns with packets. */
  late: SharedArrayBuffer
}

/** Id of a stream or a room, from one number space. */
export type PartyId = number

/** From the main thread to a media thread. Commands with an `ask` are answered with its number. */
export type Command =
  | { do: 'open'; ask: number; stream: PartyId; address: string; port: number; beside: PartyId | undefined }
  | { do: 'close'; ask: number; party: PartyId; silently?: boolean }
  | { do: 'configure'; stream: PartyId; settings: StreamSettings }
  | { do: 'open-pcm'; stream: PartyId; input: SharedArrayBuffer; output: SharedArrayBuffer }
  | { do: 'mute'; stream: PartyId; value: boolean }
  | { do: 'echo'; stream: PartyId; value: boolean }
  | { do: 'want-keys'; stream: PartyId; value: boolean }
  | { do: 'hush'; stream: PartyId; value: boolean }
  | { do: 'duck'; stream: PartyId; value: boolean }
  | { do: 'play'; stream: PartyId; playback: number; samples: Int16Array; rate: PcmRate; loop: boolean; layer: Layer }
  | { do: 'feed'; stream: PartyId; playback: number; buffer: SharedArrayBuffer; rate: PcmRate }
  | { do: 'background'; stream: PartyId; sound: { samples: Int16Array; rate: PcmRate; volume: number } | undefined }
  | { do: 'stop-playback'; stream: PartyId; playback: number }
  | { do: 'send-dtmf'; ask: number; stream: PartyId; digits: string }
  | { do: 'record'; party: PartyId; recording: number; file: string; channels: 1 | 2 }
  | { do: 'divide'; room: PartyId; recording: number; left: PartyId[] }
  | { do: 'pause-recording'; room: PartyId; recording: number; value: boolean }
  | { do: 'stop-recording'; party: PartyId; recording: number }
  | { do: 'tap'; stream: PartyId; tap: number; buffer: SharedArrayBuffer; rate: PcmRate }
  | { do: 'listen'; stream: PartyId; tap: number; buffer: SharedArrayBuffer }
  | { do: 'untap'; ask: number; stream: PartyId; tap: number }
  | { do: 'figures'; ask: number; stream: PartyId }
  | { do: 'open-room'; room: PartyId }
  | { do: 'add'; room: PartyId; stream: PartyId }
  | { do: 'remove'; room: PartyId; stream: PartyId }
  | { do: 'pacing'; ask: number }
  | { do: 'pulse'; ask: number }
  | { do: 'end'; ask: number }

/** Answers by command. */
export interface Answers {
  /** Descriptors that outlive the thread; undefined when the port is taken. */
  open: { descriptors: number[] } | undefined
  /** Quality of a stream; undefined for rooms and for streams without network audio. */
  close: StreamQuality | undefined
  'send-dtmf': undefined
  untap: undefined
  figures: StreamFigures
  pacing: Uint32Array
  pulse: undefined
  end: undefined
}

export type Question = Extract<Command, { ask: number }>

/** From a media thread to the main thread. */
export type MediaEvent =
  | { tell: 'answer'; ask: number; value: Answers[keyof Answers] }
  | { tell: 'dtmf'; stream: PartyId; digit: string; source: 'rfc4733' | 'in-band' }
  | { tell: 'heard'; stream: PartyId }
  | { tell: 'sound'; stream: PartyId; state: SoundState }
  | { tell: 'silent'; stream: PartyId }
  | { tell: 'lost'; stream: PartyId; why: string }
  | { tell: 'began'; party: PartyId; playback: number }
  | { tell: 'played'; party: PartyId; playback: number; completed: boolean; playedMs: number }
  | { tell: 'opened'; party: PartyId; recording: number; open: boolean }
  | { tell: 'recorded'; party: PartyId; recording: number; durationMs: number; truncated: boolean }
