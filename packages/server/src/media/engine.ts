import type { Worker } from 'node:worker_threads'
import type { MemoryPool } from './thread/memory-pool.ts'
import type { PortPool } from './socket/port-pool.ts'

/** What a stream sends and hears, settled by SDP. May change during a call. */
export interface StreamSettings {
  remote: { address: string; port: number }
  codec: CodecName
  payloadType: number
  /** RFC 4733, if both sides speak it. */
  dtmfPayloadType: number | undefined
  /** 10 to 60. */
  ptimeMs: number
  send: boolean
  receive: boolean
  srtp: SrtpSettings | undefined
  /** Sound is taken from the address of `remote` and from these addresses and networks, whatever the port, and then from one sender only; see SourceLock. */
  alsoFrom: readonly string[]
}

export type CodecName = 'PCMA' | 'PCMU' | 'G722' | 'opus'

export interface SrtpSettings {
  suite: 'AES_CM_128_HMAC_SHA1_80' | 'AES_CM_128_HMAC_SHA1_32'
  /** Master key and salt, 30 bytes. */
  localKey: Uint8Array
  remoteKey: Uint8Array
  /** The far end sends with its key since long before: how often its sequence ran over has to be found out. */
  joined?: boolean
}

/** 16 bit, mono. */
export interface Pcm {
  samples: Int16Array
  /** 8 kHz when nothing is said. */
  rate?: PcmRate
}

export type PcmRate = 8000 | 16000

export interface Playback {
  readonly done: Promise<{ completed: boolean; playedMs: number }>
  stop(): void
}

export interface Announcement extends Playback {
  /** Resolves when the first of it is sent; never, when it was stopped before. */
  readonly begun: Promise<void>
}

/** Of what a stream plays by itself, the uppermost is heard, in this order; what it covers waits. */
export type Layer = 'notice' | 'announcement' | 'music' | 'usual'

/** Sound that comes piece by piece, such as synthesised speech. */
export interface Feed extends Playback {
  /** Samples that `write` would take now. */
  readonly room: number
  /** Gives how many samples were taken; the rest has to be offered again. */
  write(samples: Int16Array): number
  /** Resolves when there is room for this number of samples, or when nothing is taken any more. */
  hasCapacity(samples: number): Promise<void>
  /** Nothing more comes: `done` resolves when what was written is played. */
  end(): void
  /** Resolves when the first of it is sent; never, when it was stopped before. */
  readonly begun: Promise<void>
  /** How much of it was sent until now, to the frame. */
  playedMs(): number
}

/** What a stream hears, as it comes. Can be read in another thread: `new SampleRing(tap.buffer)`. Closed when it is not read any more: then its memory is used again. */
export interface Tap {
  readonly rate: PcmRate
  readonly buffer: SharedArrayBuffer
  readonly available: number
  /** Gives how many samples were written to `into`. */
  read(into: Int16Array): number
  /** Resolves when this number of samples is there, or when no more come. */
  has(samples: number): Promise<void>
  close(): void
}

/** Both sides of a stream as they sound, 8 kHz: blocks of 160 samples heard and 160 samples sent in the same 20 ms. See SampleRing and Tap. */
export interface DuplexSound {
  readonly buffer: SharedArrayBuffer
  close(): void
}

export interface Recording {
  /** Whether there is a file to write to. */
  readonly opened: Promise<boolean>
  stop(): Promise<{ durationMs: number; truncated: boolean }>
}

export interface RoomRecording extends Recording {
  /** The streams in the left channel from now on; the others are right. */
  divide(left: readonly MediaStream[]): void
}

/**
 * What can be wrong with the sound of a stream, and that it is well again:
 * `unknown_source`: packets come, but from an address that was not signalled; `unknown_format`: from the right one, but of another codec or with
 * another key; `nothing`: none came since the beginning; `stopped`: none come any more; `unheard`: the far end says that it gets none of ours.
 */
export type SoundState = 'unknown_source' | 'unknown_format' | 'nothing' | 'stopped' | 'unheard' | 'heard'

export interface StreamObserver {
  /** `source`: how it was sent. */
  dtmf(digit: string, source: 'rfc4733' | 'in-band'): void
  /** The first packet came. */
  heard?(): void
  /** The far end is not heard, or is again. */
  sound?(state: SoundState): void
  /** Nothing came for too long. */
  silent(): void
  /** It is closed: how it was heard. Not for one that is not of the network. */
  ended?(quality: StreamQuality): void
  /** The worker that carried it is gone. */
  lost(): void
}

export interface StreamFigures {
  packetsSent: number
  packetsReceived: number
  packetsLost: number
  /** From another address, of another type, too short: thrown away. */
  packetsRefused: number
  jitterMs: number
}

/** How a stream was heard, from its first packet to its last. */
export interface StreamQuality {
  packetsReceived: number
  packetsLost: number
  packetsRefused: number
  /** The mean of all packets. */
  jitterMs: number
  /** To the far end and back, if it said so. */
  roundTripMs: number | undefined
  /** The few seconds in which most got lost, if anything did. */
  worst: LossStretch | undefined
  /** How many of our packets did not reach the far end, if it said so. */
  reportedLossPercent: number | undefined
}

export interface LossStretch {
  /** Milliseconds since 1970. */
  at: number
  durationMs: number
  lossPercent: number
}

/** The far end of a stream that is in this process: 16 kHz, 16 bit. */
export interface PcmEndpoint {
  /** What it says; gives how many samples were taken. Where nothing is written there is silence. */
  write(samples: Int16Array): number
  /** How much of that was heard until now. */
  playedMs(): number
  /** What it hears. */
  readonly available: number
  read(into: Int16Array): number
  /** Resolves when this number of samples is there, or when no more come. */
  has(samples: number): Promise<void>
}

/** The RTP of one leg. */
export interface MediaStream {
  readonly localPort: number
  configure(settings: StreamSettings): void
  /** From the next `configure` on, which has to be with `pcmStreamSettings`, nothing comes from the network or goes there. */
  openPcm(): PcmEndpoint
  mute(value: boolean): void
  echo(value: boolean): void
  /** Keys in its sound are told, if RFC 4733 was not negotiated. At first they are not: to look for them takes more than to carry a call. */
  wantKeys(value: boolean): void
  /** What is fed, and the background, is not heard, though its time goes on. */
  muteInput(value: boolean): void
  /** What is played or fed, but no announcement and no music, is heard 12 dB softer, or as loud as it is again; over 20 ms. */
  duck(value: boolean): void
  /** Queued; while it plays the room is not heard by this stream. */
  play(sound: Pcm, options?: { loop?: boolean; layer?: 'music' | 'usual' }): Playback
  announce(sound: Pcm, layer?: 'notice' | 'announcement'): Announcement
  /** In-band when RFC 4733 was not negotiated. Resolves when the last tone is out. */
  sendDtmf(digits: string): Promise<void>
  /** A WAV file; one channel: what arrives, two: also what is sent, right. */
  record(file: string, channels?: 1 | 2): Recording
  /** In the queue like `play`. At most 10 seconds wait in it; `write` says when it is full. */
  feed(rate?: PcmRate): Feed
  /** Muted, it hears silence. What is not read within 10 seconds is dropped. */
  tap(rate?: PcmRate): Tap
  /** Where nothing is sent, and muted, there is silence. What is not read within four seconds is dropped. */
  listen(): DuplexSound
  /** Again and again under everything that is sent but announcements and music, until another one takes its place. `volume`: 0 to 1. */
  background(sound: Pcm | undefined, volume: number): void
  figures(): Promise<StreamFigures>
  /** `silently`: without an RTCP BYE, because another process goes on with it. */
  close(options?: { silently?: boolean }): Promise<void>
}

/** Streams that hear each other, but not themselves. */
export interface Room {
  add(stream: MediaStream): void
  remove(stream: MediaStream): void
  /**
   * What all members say, in one channel or in two. What is played to a stream that is alone in the room is in the other channel;
   * announcements are in both; music is not recorded.
   */
  record(file: string, channels: 1 | 2, left?: readonly MediaStream[]): RoomRecording
  close(): void
}

export interface Media {
  /** How packets go in and out. */
  readonly udp: 'koffi' | 'dgram'
  /** Whether its packets can get there: a socket of IPv4 reaches no IPv6. Names are not known here, and said yes to. */
  reaches(address: string): boolean
  /** `near`: on the same worker as this one, open or still opening, so that both can be in one room. Throws MediaFull when no port is left. */
  openStream(observer: StreamObserver, near?: MediaStream | Promise<MediaStream>): Promise<MediaStream>
  openRoom(): Room
  /** To be said before the first stream. After the process stood still nothing is sent while `doubt` is pending: others may have its streams. */
  hesitate(doubt: () => Promise<unknown> | undefined): void
  /** Streams that are open, those between threads included. */
  readonly streams: number
  /** Turns in which packets left late, of all threads since the beginning. */
  readonly lateTicks: number
  /** Lateness of sending since the last question, in milliseconds. */
  pacing(): Promise<{ p50: number; p99: number; frames: number }>
  /** Resolves when every thread that runs has answered: not while one is stuck. */
  answers(): Promise<void>
  close(): Promise<void>
}

export interface MediaSettings {
  /** An address of this machine; `::` takes IPv4 too. */
  address: string
  /** RTP has the even ports, RTCP the odd one above. Several processes may share a range. */
  ports: PortPool
  /** Threads at most; each carries some hundred calls. */
  workers?: number
  /** How many streams share a thread before another one is started: a thread costs something even when it has little to do. */
  streamsPerWorker?: number
  /** koffi if it can be loaded. */
  udp?: 'koffi' | 'dgram'
  /** Without a packet or a report since the beginning, and since the last one. Infinity: never. */
  silentAfterMs?: { first: number; later: number }
  /** Of which rings are made; one of its own when missing. */
  memory?: MemoryPool
  threadStarted?(thread: Worker): void
  /** A stream to a phone, a carrier or a browser has ended. */
  streamEnded?(quality: StreamQuality): void
  /** Its streams were told `lost`; the next one gets a new thread. */
  threadDied?(error: Error | undefined): void
  /** One stream met a fault of ours and was told `lost`; the others go on. */
  streamFailed?(why: string): void
}
