import { DtmfReceiver } from '../dtmf/dtmf-events.ts'
import type { StreamSettings, PcmRate, SoundState, StreamFigures, StreamQuality } from '../engine.ts'
import { JitterBuffer } from '../jitter/jitter-buffer.ts'
import { Listeners } from './listeners.ts'
import { RtpSession, type RtpSessionObserver, type RtpSessionOptions } from '../rtp/rtp-session.ts'
import type { Paced } from '../thread/paced-loop.ts'
import type { PacketKind } from '../rtp/receiver.ts'
import type { RecordingResult } from '../recording/recording-run.ts'
import type { RtpPacket } from '../rtp/rtp.ts'
import { SampleRing } from '../thread/sample-ring.ts'
import { framesOf, OwnSound, type LoopedSound } from './own-sound.ts'
import { PcmLink, type Outlet } from './pcm-link.ts'
import { Rest } from './rest.ts'

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

export interface StreamDeps extends Omit<RtpSessionOptions, 'observer'> {
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
/** How often reports and the far end's silence are looked after. */
const reportIntervalMs = 200
/**
 * The audio of one leg. In: packets → jitter buffer → listeners (recordings, taps, key detection) and the room. Out, the first that has something:
 * keys, notices, announcements, music, other sounds, the room or the echo, silence. Silence is sent too, so that routers on the way keep their doors open.
 * Two legs with the same codec that only talk to each other hand on their packets as they are; then nothing is decoded unless the leg is recorded or tapped.
 */
export class Stream implements Paced, RtpSessionObserver {
  room: StreamGroup | undefined
  /** To whom what arrives is handed on as it is; the room decides. */
  peer: Stream | undefined
  /** While it has nothing to send. */
  readonly rest: Rest
  /** What it hears that nobody says. */
  readonly own: OwnSound
  #rtp: RtpSession | undefined
  readonly #deps: StreamDeps
  /** Only while what arrives is heard by somebody: what is left in it when that ends must not be heard when it begins again. */
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
    this.rest = new Rest(deps.handOn)
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

  /** Undefined for one that is not of the network. */
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

  wantKeys(value: boolean): void {
    this.#wantsKeys = value
    this.#detectKeys()
  }

  background(sound: LoopedSound | undefined): void {
    this.own.background(sound)
    this.room?.membersChanged()
  }

  /** As events if they were agreed, otherwise as sound. Resolves when the last one is out. */
  sendDtmf(digits: string): Promise<void> {
    const sender = this.#sender
    if (!sender) return Promise.resolve()
    return this.own.sendDtmf(digits, this.settings?.dtmfPayloadType === undefined ? undefined : sender)
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
    this.own.stopAll()
    this.#listeners.close()
    this.room?.remove(this)
    this.#rtp?.close(performance.now(), silently)
  }

  /** Alone, without a room. */
  tick(nowMs: number): number {
    return this.rest.goesOn() ? 0 : this.turn(nowMs)
  }

  /** As `tick`, but it does not rest: its room does. */
  turn(nowMs: number): number {
    this.rest.end()
    if (this.#listens) this.hear(nowMs)
    else this.#jitter = undefined
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
    return this.own.hasBackground || this.#pcm !== undefined || this.#listeners.needSent
  }

  /** The next 20 ms of what the far end says. The frame is only lent. */
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

  /** The next 20 ms for the far end: `others` is what the room says. Gives how many packets went out. */
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

  /** A plain call between two phones needs none of it: tones pass as sound. */
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

  /** Who gets what arrives, as it is. */
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
   * Hands on a packet of another leg, or of this one, to the far end, unless it hears something else now. Keys are not handed on: they are
   * told, and the switchboard decides which leg gets them.
   */
  relay(kind: Exclude<PacketKind, 'refused'>, packet: RtpPacket, nowMs: number): void {
    if (this.#quiet !== (kind === 'quiet')) this.#deps.handOn.changed()
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
