import { DtmfReceiver } from '../dtmf/dtmf-events.ts'
import type { StreamSettings, PcmRate, SoundState, StreamFigures, StreamQuality } from '../engine.ts'
import { JitterBuffer } from '../jitter/jitter-buffer.ts'
import { Listeners } from './listeners.ts'
import { RtpSession, type RtpSessionObserver, type RtpSessionOptions } from '../rtp/rtp-session.ts'
import { type Paced, Rest } from '../thread/paced-loop.ts'
import type { PacketKind } from '../rtp/receiver.ts'
import type { RecordingResult } from '../recording/disk-file.ts'
import type { RtpPacket } from '../rtp/rtp.ts'
import { SampleRing } from '../thread/sample-ring.ts'
import { framesOf, OwnSound, type LoopedSound } from './own-sound.ts'
import { PcmLink, type Outlet } from './pcm-link.ts'

interface StreamObserver {
  dtmf(digit: string, source: 'rfc4733' | 'in-band'): void
  heard(): void
  sound(state: SoundState): void
  silent(): void
  /** An announcement or a notice began. */
  began(playback: number): void
  played(playback: number, completed: boolean, playedMs: number): void
  /** An internal error: the stream is unusable. */
  failed(error: unknown): void
}

interface StreamDeps extends Omit<RtpSessionOptions, 'observer'> {
  observer: StreamObserver
  /** Number of the current 20 ms. */
  frame: () => number
}

/** A stream's view of its room. */
export interface StreamGroup extends Paced {
  /** Its members must decode their input. */
  readonly needsSound: boolean
  membersChanged(): void
  remove(stream: Stream): void
}

/** Milliseconds without a forwarded packet before the listener gets silence from us. */
const relayPauseMs = 500
/** Interval of reports and of the check for a silent far end. */
const reportIntervalMs = 200
/**
 * Audio of one leg. In: packets → jitter buffer → listeners (recordings, taps, DTMF detection) and the room. Out, the first non-empty:
 * DTMF, notices, announcements, music, other sounds, the room or the echo, silence. Silence is sent too, to keep NAT mappings open. Two
 * legs with the same codec that only talk to each other forward their packets unchanged; then no packet is decoded unless the leg is
 * recorded or tapped.
 */
export class Stream implements Paced, RtpSessionObserver {
  room: StreamGroup | undefined
  /** Stream that gets the packets unchanged; set by the room. */
  peer: Stream | undefined
  /** Used while it is idle. */
  readonly rest: Rest
  /** Sounds of this stream itself. */
  readonly own: OwnSound
  #rtp: RtpSession | undefined
  readonly #deps: StreamDeps
  /** Set only while there is a listener: leftovers must not be heard when listening starts again. */
  #jitter: JitterBuffer | undefined
  #heard: Int16Array | undefined
  /** Sound received in this frame. */
  #said: Int16Array | undefined
  #rate = 8000
  #frames = framesOf(8000)
  /** Undefined while sending is off. */
  #sender: Outlet | undefined
  /** Replaces the network. */
  #pcm: PcmLink | undefined
  #receives = false
  #muted = false
  #echo = false
  #wantsKeys = false
  #quiet = false
  #reportsDueMs = 0
  readonly #keys = new DtmfReceiver()
  readonly #listeners: Listeners

  private constructor(deps: StreamDeps) {
    this.#deps = deps
    this.own = new OwnSound(deps)
    this.rest = new Rest(deps.forwarder)
    this.#listeners = new Listeners(deps.frame, (digit) => this.#heardKey(digit))
  }

  /** Throws PortTaken. */
  static async open(deps: StreamDeps): Promise<Stream> {
    const stream = new Stream(deps)
    stream.#rtp = await RtpSession.open({ ...deps, observer: stream })
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

  /** Undefined without network. */
  get quality(): StreamQuality | undefined {
    return this.#pcm ? undefined : this.#rtp?.quality(performance.now())
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
      this.own.rate = codec.sampleRate
    }
    this.#detectKeys()
    this.room?.membersChanged()
  }

  /** Moves its far end to these rings at the next `configure`, which must be for 16 kHz. */
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

  wantKeys(value: boolean): void {
    this.#wantsKeys = value
    this.#detectKeys()
  }

  background(sound: LoopedSound | undefined): void {
    this.own.background(sound)
    this.room?.membersChanged()
  }

  /** Sends events if negotiated, otherwise sound. Resolves when the last one is sent. */
  sendDtmf(digits: string): Promise<void> {
    const sender = this.#sender
    if (!sender) return Promise.resolve()
    return this.own.sendDtmf(digits, this.settings?.dtmfPayloadType === undefined ? undefined : sender)
  }

  /** False when the file cannot be created. */
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
    this.own.stopAll()
    this.#listeners.close()
    this.room?.remove(this)
    this.#rtp?.close(performance.now(), silently)
  }

  /** Without a room. */
  tick(nowMs: number): number {
    return this.rest.goesOn() ? 0 : this.turn(nowMs)
  }

  /** Like `tick`, but it does not rest: its room does. */
  turn(nowMs: number): number {
    this.rest.end()
    if (this.#listens) this.hear(nowMs)
    else this.#jitter = undefined
    return this.speak(undefined, nowMs)
  }

  /** The sound of this leg is needed. Input of a PCM link is always read, so that it is not heard later. */
  get #listens(): boolean {
    return this.#listeners.any || this.room?.needsSound === true || this.#pcm !== undefined || (this.#echo && this.#makesPackets)
  }

  /** The far end's sound is to be heard. */
  get #speaks(): boolean {
    return !this.#muted && this.#receives
  }

  /** Sent sound is needed as samples, or is made here: packets of others cannot be forwarded. */
  get needsOwnPackets(): boolean {
    return this.#echo || this.#makesPackets
  }

  get #makesPackets(): boolean {
    return this.own.hasBackground || this.#pcm !== undefined || this.#listeners.needSent
  }

  /** The next 20 ms of the far end's sound. Valid until the next call. */
  hear(nowMs: number): Int16Array {
    if (!this.#speaks) this.#jitter = undefined
    const source = this.#pcm ?? this.#jitter
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

  /** The next 20 ms for the far end: `others` is the room's sound. Returns the number of packets sent. */
  speak(others: Int16Array | undefined, nowMs: number): number {
    this.own.begin()
    if (nowMs >= this.#reportsDueMs) {
      this.#reportsDueMs = nowMs + reportIntervalMs
      this.#rtp?.tick(nowMs)
    }
    const sender = this.#sender
    if (!this.own.pending && (sender ? this.#isRelayed(nowMs, sender.relayedMs) : !this.#listeners.needSent))
      return this.#listens ? 0 : this.rest.begin()
    const frame = this.#next(others)
    if (this.#listeners.needSent) this.#listeners.sent(sender ? frame : this.#frames.silence)
    return sender?.frame(frame, nowMs) ?? 0
  }

  #next(others: Int16Array | undefined): Int16Array {
    const said = this.#echo && this.#makesPackets ? this.#said : others
    return this.own.over(said, this.#sender, this.settings !== undefined)
  }

  /** A plain call between two phones needs no detection: tones pass as sound. */
  #detectKeys(): void {
    const { settings } = this
    const soundOnly = settings !== undefined && settings.dtmfPayloadType === undefined && settings.receive
    this.#listeners.detectKeys(this.#wantsKeys && soundOnly)
  }

  #heardKey(digit: string): void {
    if (!this.own.mayEcho) this.#deps.observer.dtmf(digit, 'in-band')
  }

  arrived(kind: Exclude<PacketKind, 'refused'>, packet: RtpPacket, nowMs: number): void {
    if (kind === 'key') {
      const digit = this.#keys.receive(packet.bytes, packet.payloadStart, packet.payloadEnd, packet.timestamp, packet.ssrc)
      if (digit !== '') this.#deps.observer.dtmf(digit, 'rfc4733')
    }
    if (!this.#speaks) return
    if (this.#listens) this.#keep(kind, packet, nowMs)
    this.#listener?.relay(kind, packet, nowMs)
  }

  /** Stream that gets the input unchanged. */
  get #listener(): Stream | undefined {
    if (!this.#echo) return this.peer
    return this.#makesPackets ? undefined : this
  }

  get examines(): boolean {
    const listener = this.#listener
    return this.#speaks && (this.#listens || (listener !== undefined && listener.#quiet))
  }

  get handsOnTo(): RtpSession | undefined {
    const listener = this.#speaks ? this.#listener : undefined
    if (!listener || listener.own.pending || listener.#pcm || !listener.#sender) return undefined
    return listener.#rtp
  }

  heard(): void {
    this.#deps.observer.heard()
  }

  sound(state: SoundState): void {
    this.#deps.observer.sound(state)
  }

  silent(): void {
    this.#deps.observer.silent()
  }

  failed(error: unknown): void {
    this.#deps.observer.failed(error)
  }

  /**
   * Forwards a packet of another leg, or of this one, to the far end, unless it gets other sound now. DTMF is not forwarded but reported:
   * CallRouter decides which leg gets it.
   */
  relay(kind: Exclude<PacketKind, 'refused'>, packet: RtpPacket, nowMs: number): void {
    if (this.#quiet !== (kind === 'quiet')) this.#deps.forwarder.changed()
    this.#quiet = kind === 'quiet'
    if (kind === 'audio' && !this.own.pending) this.#sender?.relay(packet, nowMs)
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
}
