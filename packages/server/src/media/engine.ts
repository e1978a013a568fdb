/** What a stream sends and hears, settled by SDP. May change during a call. */
export interface LineSettings {
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
  /** `signalled`: only from the address of the SDP (its port may differ). `behind-nat`: from wherever the first five packets come, then only from there. */
  source: 'signalled' | 'behind-nat'
}

export type CodecName = 'PCMA' | 'PCMU' | 'G722' | 'opus'

export interface SrtpSettings {
  suite: 'AES_CM_128_HMAC_SHA1_80' | 'AES_CM_128_HMAC_SHA1_32'
  /** Master key and salt, 30 bytes. */
  localKey: Uint8Array
  remoteKey: Uint8Array
}

/** 8 kHz, 16 bit, mono. */
export interface Pcm {
  samples: Int16Array
}

export interface Playback {
  readonly done: Promise<{ completed: boolean; playedMs: number }>
  stop(): void
}

export interface Recording {
  stop(): Promise<{ durationMs: number; truncated: boolean }>
}

export interface StreamObserver {
  /** `source`: how it was sent. */
  dtmf(digit: string, source: 'rfc4733' | 'in-band'): void
  /** The first packet came. */
  heard?(): void
  /** Nothing came for too long. */
  silent(): void
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

/** The RTP of one leg. */
export interface MediaStream {
  readonly localPort: number
  configure(line: LineSettings): void
  mute(value: boolean): void
  echo(value: boolean): void
  /** Queued; while it plays the room is not heard by this stream. */
  play(sound: Pcm, options?: { loop?: boolean }): Playback
  /** In-band when RFC 4733 was not negotiated. Resolves when the last tone is out. */
  sendDtmf(digits: string): Promise<void>
  /** What arrives, one channel, as a WAV file. */
  record(file: string): Recording
  figures(): Promise<StreamFigures>
  close(): Promise<void>
}

/** Streams that hear each other, but not themselves. */
export interface Room {
  add(stream: MediaStream): void
  remove(stream: MediaStream): void
  /** Heard by everybody in it. */
  play(sound: Pcm): Playback
  /** One channel with everybody, or two: the first stream left, the others right. */
  record(file: string, channels: 1 | 2): Recording
  close(): void
}

export interface Media {
  /** How packets go in and out. */
  readonly udp: 'koffi' | 'dgram'
  /** `near`: on the same worker as this one, so that both can be in one room. Throws MediaFull when no port is left. */
  openStream(observer: StreamObserver, near?: MediaStream): Promise<MediaStream>
  openRoom(): Room
  /** Lateness of sending since the last question, in milliseconds. */
  pacing(): Promise<{ p50: number; p99: number; frames: number }>
  close(): Promise<void>
}
