import type { Worker } from 'node:worker_threads'
import type { MemoryPool } from './thread/shared-memory.ts'
import type { PortPool } from './socket/port-pool.ts'

/** Settings of a stream, negotiated by SDP. They may change during a call. */
export interface StreamSettings {
  remote: { address: string; port: number }
  codec: CodecName
  payloadType: number
  /** RFC 4733, if both sides support it. */
  dtmfPayloadType: number | undefined
  /** 10 to 60. */
  ptimeMs: number
  send: boolean
  receive: boolean
  srtp: SrtpSettings | undefined
  /**
   * Sound is accepted from the address of `remote` and from these addresses and networks, at any port, and then from one sender only; see
   * SourceLock.
   */
  alsoFrom: readonly string[]
}

export type CodecName = 'PCMA' | 'PCMU' | 'G722' | 'opus'

export interface SrtpSettings {
  suite: 'AES_CM_128_HMAC_SHA1_80' | 'AES_CM_128_HMAC_SHA1_32'
  /** Master key and salt, 30 bytes. */
  localKey: Uint8Array
  remoteKey: Uint8Array
  /** The far end may have used its key for long: the rollover counter has to be found. */
  joined?: boolean
}

/** 16 bit, mono. */
export interface Pcm {
  samples: Int16Array
  /** Default: 8 kHz. */
  rate?: PcmRate
}

export type PcmRate = 8000 | 16000

export interface Playback {
  readonly done: Promise<{ completed: boolean; playedMs: number }>
  stop(): void
}

export interface Announcement extends Playback {
  /** Resolves when the first sample is sent; never if it was stopped before. */
  readonly begun: Promise<void>
}

/** Layers of a stream's own sound: only the topmost is heard, in this order; covered ones wait. */
export type Layer = 'notice' | 'announcement' | 'music' | 'usual'

/** Streamed sound, such as synthesised speech. */
export interface Feed extends Playback {
  /** Samples that `write` would accept now. */
  readonly room: number
  /** Returns the number of accepted samples; offer the rest again. */
  write(samples: Int16Array): number
  /** Resolves when there is room for this number of samples, or when the feed accepts no more. */
  hasCapacity(samples: number): Promise<void>
  /** Ends the input: `done` resolves when everything written is played. */
  end(): void
  /** Resolves when the first sample is sent; never if it was stopped before. */
  readonly begun: Promise<void>
  /** Milliseconds sent so far, to the frame. */
  playedMs(): number
}

/** Received sound of a stream. Readable in another thread: `new SampleRing(tap.buffer)`. Close it when done: its memory is then reused. */
export interface Tap {
  readonly rate: PcmRate
  readonly buffer: SharedArrayBuffer
  readonly available: number
  /** Returns the number of samples written to `into`. */
  read(into: Int16Array): number
  /** Resolves when this number of samples is available, or when no more come. */
  has(samples: number): Promise<void>
  close(): void
}

/** Both sides of a stream, 8 kHz: blocks of 160 received and 160 sent samples of the same 20 ms. See SampleRing and Tap. */
export interface DuplexSound {
  readonly buffer: SharedArrayBuffer
  close(): void
}

export interface Recording {
  /** Resolves with whether the file could be created. */
  readonly opened: Promise<boolean>
  stop(): Promise<{ durationMs: number; truncated: boolean }>
}

export interface RoomRecording extends Recording {
  /** Streams in the left channel from now on; the others are right. */
  divide(left: readonly MediaStream[]): void
  /** Silence is recorded from now on, for as long as it lasts; or what is said again. */
  pause(value: boolean): void
}

/**
 * Problems of a stream's sound, and recovery: `unknown_source`: packets come from an address that was not signalled; `unknown_format`: from
 * the right address, but with another codec or key; `nothing`: none came since the beginning; `stopped`: packets have stopped; `unheard`:
 * the far end reports that it receives none of our packets.
 */
export type SoundState = 'unknown_source' | 'unknown_format' | 'nothing' | 'stopped' | 'unheard' | 'heard'

export interface StreamObserver {
  /** `source`: how the key was sent. */
  dtmf(digit: string, source: 'rfc4733' | 'in-band'): void
  /** The first packet came. */
  heard?(): void
  /** The far end became inaudible, or audible again. */
  sound?(state: SoundState): void
  /** No packet came within the timeout. */
  silent(): void
  /** The stream is closed, with its quality. Not called for streams without network. */
  ended?(quality: StreamQuality): void
  /** The worker that carried it has ended. */
  lost(): void
}

export interface StreamFigures {
  packetsSent: number
  packetsReceived: number
  packetsLost: number
  /** Dropped packets: another address, another type, or too short. */
  packetsRefused: number
  jitterMs: number
}

/** Quality of a received stream, from its first packet to its last. */
export interface StreamQuality {
  packetsReceived: number
  packetsLost: number
  packetsRefused: number
  /** Mean over all packets. */
  jitterMs: number
  /** Round trip to the far end, if it reported. */
  roundTripMs: number | undefined
  /** The few seconds with the highest loss, if any. */
  worst: LossStretch | undefined
  /** Share of our packets that did not reach the far end, if it reported. */
  reportedLossPercent: number | undefined
}

export interface LossStretch {
  /** Milliseconds since 1970. */
  at: number
  durationMs: number
  lossPercent: number
}

/** In-process far end of a stream: 16 kHz, 16 bit. */
export interface PcmEndpoint {
  /** Writes its speech; returns the number of accepted samples. Gaps are silence. */
  write(samples: Int16Array): number
  /** Milliseconds of it heard so far. */
  playedMs(): number
  /** Samples that can be read. */
  readonly available: number
  read(into: Int16Array): number
  /** Resolves when this number of samples is available, or when no more come. */
  has(samples: number): Promise<void>
}

/** The RTP of one leg. */
export interface MediaStream {
  readonly localPort: number
  configure(settings: StreamSettings): void
  /** Disconnects the stream from the network at the next `configure`, which must use `pcmStreamSettings`. */
  openPcm(): PcmEndpoint
  mute(value: boolean): void
  echo(value: boolean): void
  /** Detects in-band DTMF if RFC 4733 was not negotiated. Off by default: detection costs more than carrying a call. */
  wantKeys(value: boolean): void
  /** Silences feeds and the background, while their time continues. */
  muteInput(value: boolean): void
  /** Lowers played and fed sound, except announcements and music, by 12 dB, or restores it; over 20 ms. */
  duck(value: boolean): void
  /** Queued; this stream does not hear the room while it plays. */
  play(sound: Pcm, options?: { loop?: boolean; layer?: 'music' | 'usual' }): Playback
  announce(sound: Pcm, layer?: 'notice' | 'announcement'): Announcement
  /** In-band when RFC 4733 was not negotiated. Resolves when the last tone is sent. */
  sendDtmf(digits: string): Promise<void>
  /** Records a WAV file; one channel: received sound; two: also sent sound, right. */
  record(file: string, channels?: 1 | 2): Recording
  /** Queued like `play`. Buffers at most 10 seconds; the result of `write` shows when it is full. */
  feed(rate?: PcmRate): Feed
  /** Silence while muted. Sound not read within 10 seconds is dropped. */
  tap(rate?: PcmRate): Tap
  /** Silence where no sound is sent, and while muted. Sound not read within four seconds is dropped. */
  listen(): DuplexSound
  /** Loops under everything sent except announcements and music, until it is replaced. `volume`: 0 to 1. */
  background(sound: Pcm | undefined, volume: number): void
  figures(): Promise<StreamFigures>
  /** `silently`: without an RTCP BYE, because another process continues the stream. */
  close(options?: { silently?: boolean }): Promise<void>
}

/** Streams that hear each other, but not themselves. */
export interface Room {
  add(stream: MediaStream): void
  remove(stream: MediaStream): void
  /**
   * Records all members, in one channel or in two. Sound played to the only stream in the room is in the other channel; announcements are
   * in both; music is not recorded.
   */
  record(file: string, channels: 1 | 2, left?: readonly MediaStream[]): RoomRecording
  close(): void
}

export interface Media {
  /** UDP implementation. */
  readonly udp: 'koffi' | 'dgram'
  /** Whether packets can reach the address: an IPv4 socket reaches no IPv6. Host names are not resolved here and return true. */
  reaches(address: string): boolean
  /** Throws MediaFull when no port is left. */
  openStream(observer: StreamObserver, options?: OpenStreamOptions): Promise<MediaStream>
  openRoom(): Room
  /** No packets are sent later than `ms` from now, until the next call: another process may have taken over the streams. */
  permit(ms: number): void
  /** Open streams, including those between threads. */
  readonly streams: number
  /** Turns in which packets left late, of all threads since the start. */
  readonly lateTicks: number
  /** All turns in which packets left. */
  readonly ticks: number
  /** Send lateness since the last call, in milliseconds. */
  pacing(): Promise<{ p50: number; p99: number; frames: number }>
  /** Resolves when every running thread has answered: not while one is stuck. */
  answers(): Promise<void>
  close(): Promise<void>
}

export interface OpenStreamOptions {
  /** A stream, open or still opening: opens on the same worker, so that both can be in one room. */
  near?: MediaStream | Promise<MediaStream> | undefined
  /** Local address; default: that of the engine. */
  address?: string | undefined
}

export interface MediaSettings {
  /** Local address; `::` accepts IPv4 too. */
  address: string
  /** RTP uses the even ports, RTCP the next odd one. Several processes may share a range. */
  ports: PortPool
  /** Maximum threads; each carries some hundred calls. */
  workers?: number
  /** Streams per thread before another one is started: a thread has a cost even when it is nearly idle. */
  streamsPerWorker?: number
  /** Default: koffi if it can be loaded. */
  udp?: 'koffi' | 'dgram'
  /** Milliseconds without a packet or a report since the start, and since the last one. Infinity: never. */
  silentAfterMs?: { first: number; later: number }
  /** Memory for rings; default: a separate pool. */
  memory?: MemoryPool
  threadStarted?(thread: Worker): void
  /** A stream to a phone, a carrier or a browser has ended. */
  streamEnded?(quality: StreamQuality): void
  /** Its streams got `lost`; the next one gets a new thread. */
  threadDied?(error: Error | undefined): void
  /** One stream failed because of an internal error and got `lost`; the others continue. */
  streamFailed?(why: string): void
}
