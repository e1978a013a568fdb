import { Background } from '../sound/background.ts'
import { Ducking } from '../sound/ducking.ts'
import { framesPerSecond } from '../codec/codec.ts'
import { DtmfReceiver } from '../dtmf/dtmf-events.ts'
import { dtmfSound } from '../dtmf/dtmf-tones.ts'
import type { Layer, StreamSettings, PcmRate, SoundState, StreamFigures, StreamQuality } from '../engine.ts'
import { JitterBuffer } from '../jitter/jitter-buffer.ts'
import { isAnnounced, Layers } from '../sound/layers.ts'
import { Listeners } from './listeners.ts'
import { RtpSession, type RtpSessionObserver, type RtpSessionOptions } from '../rtp/rtp-session.ts'
import type { Paced } from '../thread/paced-loop.ts'
import { Playout } from '../sound/playout.ts'
import type { PacketKind } from '../rtp/receiver.ts'
import type { RecordingResult } from '../recording/recording-run.ts'
import type { RtpPacket } from '../rtp/rtp.ts'
import { SampleRing } from '../thread/sample-ring.ts'
import { MemorySource, RingSource } from '../sound/sound-source.ts'
import { PcmLink, type Outlet } from './pcm-link.ts'

export interface StreamObserver {
  dtmf(digit: string, source: 'rfc4733' | 'in-band'): void
  heard(): void
  sound(state: SoundState): void
  silent(): void
  /** An announcement or a notice did. */
  began(playback: number): void
  played(playback: number, completed: boolean, playedMs: number): void
  /** Something is wrong with us: the stream is of no use any more. */
  failed(error: unknown): void
}

export interface StreamParts extends Omit<RtpSessionOptions, 'observer'> {
  observer: StreamObserver
  /** Number of the present 20 ms. */
  frame: () => number
}

/** What a stream knows of the room it is in. */
export interface StreamGroup extends Paced {
  /** Its members must decode what they hear. */
  readonly needsSound: boolean
  membersChanged(): void
  remove(stream: Stream): void
}

/** How long a leg whose packets are passed on may pause before its listener gets silence from us. */
const relayPauseMs = 500
const rtpTickFrames = 10
/** How long our own keys may come back as an echo. */
const keyEchoFrames = 15

const frames = new Map<number, { silence: Int16Array; scratch: Int16Array }>()

/** What all streams of one rate share: a frame of silence, and one to write to and hand over at once. */
const framesOf = (rate: number): { silence: Int16Array; scratch: Int16Array } => {
  const known = frames.get(rate)
  if (known) return known
  const made = { silence: new Int16Array(rate / framesPerSecond), scratch: new Int16Array(rate / framesPerSecond) }
  frames.set(rate, made)
  return made
}

/**
 * The audio of one leg. In: packets → jitter buffer → listeners (recordings, taps, key detection) and the room. Out, the first that has something:
 * keys, notices, announcements, music, other sounds, the room or the echo, silence. Silence is sent too, so that routers on the way keep their doors open.
 * Two legs with the same codec that only talk to each other hand on their packets as they are; then nothing is decoded unless the leg is recorded or tapped.
 */
export class Stream implements Paced, RtpSessionObserver {
  room: StreamGroup | undefined
  /** To whom what arrives is handed on as it is; the room decides. */
  peer: Stream | undefined
  #rtp: RtpSession | undefined
  readonly #parts: StreamParts
  /** Made when what arrives has to be decoded for the first time. */
  #jitter: JitterBuffer | undefined
  #heard: Int16Array | undefined
  /** What was heard in this frame. */
  #said: Int16Array | undefined
  #rate = 8000
  #frames = framesOf(8000)
  /** Missing as long as nothing may be sent. */
  #sender: Outlet | undefined
  /** Takes the place of the network. */
  #pcm: PcmLink | undefined
  #receives = false
  /** There may be something of our own to send, that goes before what others say. */
  #own = false
  /** What of our own was sent last; the frame itself is `scratch`, until another stream has its turn. */
  #layer: Layer | undefined
  #muted = false
  #hushed = false
  /** While it makes a difference. */
  #ducking: Ducking | undefined
  #echo = false
  #quiet = false
  #background: Background | undefined
  #ticks = 0
  readonly #layers: Layers
  readonly #tones: Playout
  /** Until this one, a key that is heard may be one of ours. */
  #echoedUntilFrame = 0
  readonly #keys = new DtmfReceiver()
  readonly #listeners: Listeners
  readonly #dtmfSent: (() => void)[] = []

  private constructor(parts: StreamParts) {
    this.#parts = parts
    this.#layers = new Layers(
      (id, completed, samples) => parts.observer.played(id, completed, (samples / this.#rate) * 1000),
      (id) => parts.observer.began(id),
    )
    this.#tones = new Playout(() => {})
    this.#listeners = new Listeners(parts.frame, (digit) => this.#heardKey(digit))
  }

  /** Throws PortTaken. */
  static async open(parts: StreamParts): Promise<Stream> {
    const stream = new Stream(parts)
    stream.#rtp = await RtpSession.open({ ...parts, observer: stream })
    return stream
  }

  get descriptors(): number[] {
    return this.#rtp?.descriptors ?? []
  }

  get rate(): number {
    return this.#rate
  }

  get settings(): StreamSettings | undefined {
    return this.#rtp?.settings
  }

  get figures(): StreamFigures | undefined {
    return this.#rtp?.figures()
  }

  /** Undefined for one that is not of the network. */
  get quality(): StreamQuality | undefined {
    return this.#pcm ? undefined : this.#rtp?.quality()
  }

  configure(settings: StreamSettings): void {
    const rtp = this.#rtp
    if (!rtp) return
    const before = rtp.codec
    rtp.configure(settings, performance.now())
    const { codec } = rtp
    if (!codec) return
    this.#sender = this.#pcm ?? rtp.sender
    this.#receives = settings.receive
    if (codec !== before) {
      this.#rate = codec.sampleRate
      this.#frames = framesOf(codec.sampleRate)
      this.#jitter = undefined
      this.#layers.rate = codec.sampleRate
      this.#tones.rate = codec.sampleRate
    }
    this.#listeners.detectKeys(settings.dtmfPayloadType === undefined && settings.receive)
    this.room?.membersChanged()
  }

  /** From the next `configure` on, which has to be for 16 kHz, its far end is at the other end of these. */
  openPcm(input: SharedArrayBuffer, output: SharedArrayBuffer): void {
    this.#pcm = new PcmLink(new SampleRing(input), new SampleRing(output))
  }

  mute(value: boolean): void {
    this.#muted = value
  }

  echo(value: boolean): void {
    this.#echo = value
    this.room?.membersChanged()
  }

  hush(value: boolean): void {
    this.#hushed = value
  }

  duck(value: boolean): void {
    if (value) this.#ducking ??= new Ducking()
    if (this.#ducking) this.#ducking.ducked = value
  }

  play(playback: number, { samples, rate, loop, layer }: { samples: Int16Array; rate: PcmRate; loop: boolean; layer: Layer }): void {
    this.#layers.add(layer, playback, new MemorySource(samples, rate, loop))
    this.#own = true
  }

  feed(playback: number, buffer: SharedArrayBuffer, rate: PcmRate): void {
    this.#layers.add('usual', playback, new RingSource(new SampleRing(buffer), rate, () => this.#hushed))
    this.#own = true
  }

  background(sound: { samples: Int16Array; rate: PcmRate; volume: number } | undefined): void {
    this.#background = sound && new Background(sound.samples, sound.rate, sound.volume)
    this.room?.membersChanged()
  }

  stopPlayback(playback: number): void {
    this.#layers.stop(playback)
  }

  /** As events if they were agreed, otherwise as sound. Resolves when the last one is out. */
  sendDtmf(digits: string): Promise<void> {
    const sender = this.#sender
    if (!sender) return Promise.resolve()
    if (this.settings?.dtmfPayloadType === undefined) this.#tones.add(0, dtmfSound(digits, this.#rate))
    else sender.dtmf(digits)
    this.#own = true
    return new Promise((resolve) => this.#dtmfSent.push(resolve))
  }

  /** False when there is no file to write to. */
  record(recording: number, file: string, channels: 1 | 2, done: (result: RecordingResult) => void): boolean {
    const open = this.#listeners.record(recording, file, channels, this.#rate, done)
    this.room?.membersChanged()
    return open
  }

  stopRecording(recording: number): void {
    this.#listeners.stopRecording(recording)
    this.room?.membersChanged()
  }

  tap(tap: number, buffer: SharedArrayBuffer, rate: PcmRate): void {
    this.#listeners.tap(tap, buffer, rate)
  }

  listen(tap: number, buffer: SharedArrayBuffer): void {
    this.#listeners.listen(tap, buffer)
    this.room?.membersChanged()
  }

  untap(tap: number): void {
    this.#listeners.untap(tap)
    this.room?.membersChanged()
  }

  close(silently = false): void {
    this.#layers.stopAll()
    this.#finishDtmf()
    this.#listeners.close()
    this.room?.remove(this)
    this.#rtp?.close(performance.now(), silently)
  }

  /** Alone, without a room. */
  tick(nowMs: number): number {
    if (this.#listens) this.hear(nowMs)
    return this.speak(undefined, nowMs)
  }

  /** What this leg says is needed as sound. What comes over a PCM link is taken in any case, so that it is not heard later. */
  get #listens(): boolean {
    return this.#listeners.any || this.room?.needsSound === true || this.#pcm !== undefined || (this.#echo && this.#makesPackets)
  }

  /** What the far end says is to be heard. */
  get #speaks(): boolean {
    return !this.#muted && this.#receives
  }

  /** What is sent has to be known as sound, or is made here: packets of others cannot be handed on. */
  get needsOwnPackets(): boolean {
    return this.#echo || this.#makesPackets
  }

  get #makesPackets(): boolean {
    return this.#background !== undefined || this.#pcm !== undefined || this.#listeners.needSent
  }

  /** The next 20 ms of what the far end says. The frame is only lent. */
  hear(nowMs: number): Int16Array {
    const source = this.#pcm ?? (this.#speaks ? this.#jitter : undefined)
    const { silence } = this.#frames
    if (source) {
      if (this.#heard?.length !== silence.length) this.#heard = new Int16Array(silence.length)
      source.take(this.#heard, nowMs)
    }
    const frame = (source && !this.#muted && this.#heard) || silence
    this.#said = frame
    this.#listeners.heard(frame)
    return frame
  }

  /** The next 20 ms for the far end: `others` is what the room says. Gives how many packets went out. */
  speak(others: Int16Array | undefined, nowMs: number): number {
    this.#layer = undefined
    if (++this.#ticks === rtpTickFrames) {
      this.#ticks = 0
      this.#rtp?.tick(nowMs)
    }
    const sender = this.#sender
    if (!this.#own && sender && this.#isRelayed(nowMs, sender.relayedMs)) return 0
    if (!this.#own && !sender && !this.#listeners.needSent) return 0
    const frame = this.#next(others)
    if (this.#listeners.needSent) this.#listeners.sent(sender ? frame : this.#frames.silence)
    return sender?.frame(frame, nowMs) ?? 0
  }

  /** What of our own it was sent just now, for a recording. Only lent, until another stream has its turn. */
  get announced(): Int16Array | undefined {
    return isAnnounced(this.#layer) ? this.#frames.scratch : undefined
  }

  /** The same, but neither announcements nor music. */
  get played(): Int16Array | undefined {
    return this.#layer === 'usual' ? this.#frames.scratch : undefined
  }

  #next(others: Int16Array | undefined): Int16Array {
    const { scratch, silence } = this.#frames
    const own = this.#own && this.#playOwn(scratch)
    const said = this.#echo && this.#makesPackets ? this.#said : others
    if (this.#ducking) this.#makeSofter(this.#ducking, scratch)
    const frame = own ? scratch : (said ?? silence)
    if (!this.#background || this.#hushed || isAnnounced(this.#layer) || this.#layer === 'music') return frame
    this.#background.under(frame, scratch, this.#rate)
    this.#layer = 'usual'
    return scratch
  }

  /** What is played in the usual way; where nothing is, the level changes at once. */
  #makeSofter(ducking: Ducking, played: Int16Array): void {
    if (this.#layer === 'usual') ducking.process(played, this.#rate)
    else ducking.settle()
    if (ducking.idle) this.#ducking = undefined
  }

  /** Goes on while nothing may be sent: a far end that holds us misses what is played. */
  #playOwn(into: Int16Array): boolean {
    if (!this.settings) return false
    const keys = this.#tones.read(into)
    if (keys) this.#echoedUntilFrame = this.#parts.frame() + keyEchoFrames
    this.#layer = keys ? undefined : this.#layers.read(into)
    const plays = keys || this.#layer !== undefined
    const sendsKeys = this.#sender?.sendsDtmf === true
    if (!this.#tones.playing && !sendsKeys) this.#finishDtmf()
    this.#own = plays || sendsKeys
    return plays
  }

  #heardKey(digit: string): void {
    if (this.#parts.frame() >= this.#echoedUntilFrame) this.#parts.observer.dtmf(digit, 'in-band')
  }

  arrived(kind: Exclude<PacketKind, 'refused'>, packet: RtpPacket, nowMs: number): void {
    if (kind === 'key') {
      const digit = this.#keys.receive(packet.bytes, packet.payloadStart, packet.payloadEnd, packet.timestamp, packet.ssrc)
      if (digit !== '') this.#parts.observer.dtmf(digit, 'rfc4733')
    }
    if (!this.#speaks) return
    if (this.#listens) this.#keep(kind, packet, nowMs)
    if (!this.#echo) this.peer?.relay(kind, packet, nowMs)
    else if (!this.#makesPackets) this.relay(kind, packet, nowMs)
  }

  heard(): void {
    this.#parts.observer.heard()
  }

  sound(state: SoundState): void {
    this.#parts.observer.sound(state)
  }

  silent(): void {
    this.#parts.observer.silent()
  }

  failed(error: unknown): void {
    this.#parts.observer.failed(error)
  }

  /**
   * Hands on a packet of another leg, or of this one, to the far end, unless it hears something else now. Keys are not handed on: they are
   * told, and the switchboard decides which leg gets them.
   */
  relay(kind: Exclude<PacketKind, 'refused'>, packet: RtpPacket, nowMs: number): void {
    this.#quiet = kind === 'quiet'
    if (kind === 'audio' && !this.#own) this.#sender?.relay(packet, nowMs)
  }

  #isRelayed(nowMs: number, relayedMs: number): boolean {
    const source = this.#echo ? this : this.peer
    if (!source || !source.#speaks || this.#quiet || this.#makesPackets) return false
    return nowMs - relayedMs < relayPauseMs
  }

  #keep(kind: Exclude<PacketKind, 'refused'>, packet: RtpPacket, nowMs: number): void {
    const codec = this.#rtp?.codec
    if (!this.#jitter && codec) this.#jitter = new JitterBuffer(codec)
    if (kind === 'audio') this.#jitter?.put(packet, nowMs)
    else this.#jitter?.skip(packet)
  }

  #finishDtmf(): void {
    for (const resolve of this.#dtmfSent.splice(0)) resolve()
  }
}
