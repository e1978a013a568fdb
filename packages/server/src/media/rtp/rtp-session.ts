import { isIPv6 } from 'node:net'
import type { Codec } from '../codec/codec.ts'
import { createCodec } from '../codec/create-codec.ts'
import type { StreamSettings, SoundState, SrtpSettings, StreamFigures, StreamQuality } from '../engine.ts'
import type { Forwarder } from './forwarder.ts'
import { Receiver, type PacketKind } from './receiver.ts'
import { RtcpSession } from './rtcp.ts'
import { floatsPerRow, timing } from './rows.ts'
import { isRtcp, type RtpPacket } from './rtp.ts'
import { Sender } from './sender.ts'
import type { Receive, SocketAddress, Udp, UdpSocket } from '../socket/socket.ts'
import { SoundWatch, type SoundCounts, WorstStretch } from './quality.ts'
import { isSame, SourceLock } from '../socket/source-lock.ts'
import { Srtp } from './srtp.ts'

export interface RtpSessionObserver {
  arrived(kind: Exclude<PacketKind, 'refused'>, packet: RtpPacket, nowMs: number): void
  /** True if `arrived` needs every packet. Otherwise audio is only forwarded to `handsOnTo`, if set. See Forwarder. */
  readonly examines: boolean
  readonly handsOnTo: RtpSession | undefined
  /** The first packet came. */
  heard(): void
  /** The far end became inaudible, or audible again. */
  sound(state: SoundState): void
  /** No packet came within the timeout. */
  silent(): void
  /** An internal error with one packet: this stream ends, the others continue. */
  failed(error: unknown): void
}

export interface RtpSessionOptions {
  udp: Udp
  address: string
  port: number
  silentAfterMs: { first: number; later: number }
  forwarder: Forwarder
  observer: RtpSessionObserver
}

/** Everything that a new SDP can change. */
interface Configured {
  settings: StreamSettings
  protection: Protection | undefined
  codec: Codec
  lock: SourceLock
  receiver: Receiver
  sender: Sender
  rtcp: RtcpSession
}

interface Protection {
  settings: SrtpSettings
  outgoing: Srtp
  incoming: Srtp
}

/** Network side of a stream: two ports, their accepted sources, and the packets sent from them. */
export class RtpSession {
  readonly #options: RtpSessionOptions
  readonly #forward: Forwarder
  /** Row of the per-packet state. */
  readonly #row: number
  #rtp: UdpSocket | undefined
  #rtcp: UdpSocket | undefined
  #configured: Configured | undefined
  /** The accepted sender: our packets go there, and without encryption the kernel drops those of others. */
  #followed: SocketAddress | undefined
  /** Source of its reports. */
  #reportsTo: SocketAddress | undefined
  #heard = false
  /** Time of a report, or of the start of listening; undefined: the far end need not send. */
  #listeningMs: number | undefined
  #toldSilent = false
  #closed = false
  /** Time of the last report. */
  #reportedMs = -Infinity
  readonly #watch: SoundWatch
  readonly #worst = new WorstStretch()

  private constructor(options: RtpSessionOptions) {
    this.#options = options
    this.#forward = options.forwarder
    this.#row = this.#forward.open((bytes, length) => this.#send(bytes, length))
    this.#watch = new SoundWatch((state) => options.observer.sound(state))
  }

  /** Throws PortTaken. */
  static async open(options: RtpSessionOptions): Promise<RtpSession> {
    const { udp, address, port } = options
    const session = new RtpSession(options)
    try {
      const received: Receive = (bytes, length, from, nowMs) => session.#received(bytes, length, from, nowMs)
      session.#rtp = await udp.open(address, port, session.#contained(received), session.#row)
      const reported: Receive = (bytes, length, from, nowMs) => session.#receivedReport(bytes, length, from, nowMs)
      session.#rtcp = await udp.open(address, port + 1, session.#contained(reported))
    } catch (error) {
      session.#rtp?.close()
      options.forwarder.close(session.#row)
      throw error
    }
    return session
  }

  /** Owned and closed by the main thread. */
  get descriptors(): number[] {
    return [this.#rtp, this.#rtcp].flatMap((socket) => socket?.descriptor ?? [])
  }

  get settings(): StreamSettings | undefined {
    return this.#configured?.settings
  }

  get codec(): Codec | undefined {
    return this.#configured?.codec
  }

  /** Undefined while sending is off. */
  get sender(): Sender | undefined {
    return this.#configured?.settings.send ? this.#configured.sender : undefined
  }

  configure(wanted: StreamSettings, nowMs: number): void {
    const settings = this.#possible(wanted)
    const before = this.#configured
    const sameSource = before !== undefined && isSameSource(before.settings, settings)
    const lock = before && sameSource ? before.lock : this.#turnTo(settings)
    const codec = before?.codec.name === settings.codec ? before.codec : createCodec(settings.codec)
    if (before && before.codec !== codec) before.codec.close()
    const sending = { codec, payloadType: settings.payloadType, dtmfPayloadType: settings.dtmfPayloadType, ptimeMs: settings.ptimeMs }
    const sender = before?.sender ?? new Sender(sending, (bytes, length) => this.#send(bytes, length), this.#forward.rows, this.#row)
    const protection = this.#protect(settings.srtp)
    const receiver = before?.receiver ?? new Receiver(codec.clockRate, this.#forward.rows, this.#row)
    const rtcp = before?.rtcp ?? new RtcpSession(`${sender.ssrc}@offhook`, nowMs, (bytes, length) => this.#sendRtcp(bytes, length))
    sender.configure(sending)
    receiver.configure(settings, codec.clockRate, lock, protection?.incoming)
    this.#configured = { settings, protection, codec, lock, receiver, sender, rtcp }
    this.#watch.expect(settings.receive, nowMs, countsOf(receiver))
    if (!settings.receive) this.#listeningMs = undefined
    else if (!sameSource) this.#listeningMs = nowMs
    else this.#listeningMs ??= nowMs
  }

  /** Handles reports and timeouts; called several times a second. */
  tick(nowMs: number): void {
    const configured = this.#configured
    if (!configured) return
    this.#noteHeard(configured)
    configured.rtcp.tick(nowMs, configured.sender, configured.receiver.reception)
    this.#makeWay(configured, nowMs)
    this.#watch.look(nowMs, countsOf(configured.receiver), this.#reportedMs)
    this.#worst.look(nowMs, configured.receiver.packets, configured.receiver.lost)
    const { first, later } = this.#options.silentAfterMs
    if (this.#listeningMs === undefined) return
    const heardMs = Math.max(this.#listeningMs, configured.lock.heardMs)
    const silent = nowMs - heardMs >= (this.#heard ? later : first)
    if (silent && !this.#toldSilent) this.#options.observer.silent()
    this.#toldSilent = silent
  }

  figures(): StreamFigures {
    const { sender, receiver } = this.#configured ?? {}
    return {
      packetsSent: sender?.packets ?? 0,
      packetsReceived: receiver?.packets ?? 0,
      packetsLost: receiver?.lost ?? 0,
      packetsRefused: receiver?.refused ?? 0,
      jitterMs: receiver?.reception.jitterMs ?? 0,
    }
  }

  /** Undefined if it was never configured. */
  quality(nowMs: number): StreamQuality | undefined {
    if (!this.#configured) return undefined
    const { receiver, rtcp } = this.#configured
    const { packets: packetsReceived, lost: packetsLost, refused: packetsRefused, reception } = receiver
    this.#worst.end(nowMs, packetsReceived, packetsLost)
    return {
      packetsReceived,
      packetsLost,
      packetsRefused,
      jitterMs: reception.meanJitterMs,
      roundTripMs: rtcp.roundTripMs,
      worst: this.#worst.found,
      reportedLossPercent: rtcp.reportedLossPercent,
    }
  }

  /** `silently`: sends no BYE, because another process continues the stream. */
  close(nowMs: number, silently = false): void {
    if (this.#closed) return
    this.#closed = true
    const configured = this.#configured
    if (!silently) configured?.rtcp.goodbye(nowMs, configured.sender, configured.receiver.reception)
    configured?.codec.close()
    this.#configured = undefined
    this.#rtp?.release()
    this.#rtcp?.release()
    this.#forward.close(this.#row)
  }

  /** Turns sending off for an unreachable remote: old-style hold, a rejected media line, or an unsupported address family. */
  #possible(settings: StreamSettings): StreamSettings {
    const { address, port } = settings.remote
    const unspecified = /^[0:.]*$/.test(address) || port === 0 || (isIPv6(address) && !this.#options.address.includes(':'))
    return { ...settings, send: settings.send && !unspecified, ptimeMs: possiblePtime(settings) }
  }

  /** The packet index of a key continues as long as the key does. */
  #protect(settings: SrtpSettings | undefined): Protection | undefined {
    const before = this.#configured?.protection
    if (!settings || (before && isSameKey(before.settings, settings))) return settings && before
    const { suite, localKey, remoteKey, joined } = settings
    return { settings, outgoing: new Srtp(localKey, suite), incoming: new Srtp(remoteKey, suite, { joined }) }
  }

  #turnTo({ remote, alsoFrom }: StreamSettings): SourceLock {
    this.#followed = undefined
    this.#reportsTo = undefined
    this.#heard = false
    this.#aim(remote)
    return new SourceLock(remote, alsoFrom)
  }

  #aim(remote: SocketAddress): void {
    this.#rtp?.aim(remote)
    if (this.#reportsTo?.address !== remote.address) this.#rtcp?.aim({ address: remote.address, port: remote.port + 1 })
  }

  #contained(receive: Receive): Receive {
    return (bytes, length, from, nowMs) => {
      try {
        receive(bytes, length, from, nowMs)
      } catch (error) {
        this.#options.observer.failed(error)
      }
    }
  }

  #received(bytes: Uint8Array, length: number, from: SocketAddress | undefined, nowMs: number): void {
    const configured = this.#configured
    if (!configured) return
    if (from === undefined) {
      if (!this.#forward.isSettled(this.#row)) this.#settle(configured)
      const target = this.#forward.takes(this.#row, bytes, length, nowMs)
      if (target > 0) this.#forward.transmit(target, bytes, length)
      if (target >= 0) return
    }
    if (isRtcp(bytes, length)) return void this.#takesReport(bytes, length, from, nowMs)
    const kind = configured.receiver.receive(bytes, length, from, nowMs)
    if (kind === 'refused') return
    if (configured.lock.locked !== this.#followed) this.#follow(configured, nowMs)
    if (!configured.settings.receive) return
    if (!this.#heard) {
      this.#heard = true
      this.#options.observer.heard()
    }
    this.#options.observer.arrived(kind, configured.receiver.packet, nowMs)
  }

  /** Decides whether packets need inspection, and who gets them otherwise. */
  #settle({ settings, protection }: Configured): void {
    const { observer } = this.#options
    const listener = settings.receive ? observer.handsOnTo : undefined
    if (protection || !this.#heard || observer.examines) this.#forward.lookAt(this.#row)
    else this.#forward.settle(this.#row, settings.payloadType, listener ? listener.#row : 0)
  }

  /** Packets on the fast path count as heard, too. */
  #noteHeard({ lock }: Configured): void {
    const heardMs = this.#forward.rows.floats[this.#row * floatsPerRow + timing.heardMs]!
    if (heardMs > lock.heardMs) lock.heard(heardMs)
  }

  #follow({ lock, protection }: Configured, nowMs: number): void {
    const { locked } = lock
    if (!locked || lock.isQuiet(nowMs)) return
    this.#followed = locked
    this.#aim(locked)
    // Connected sockets are sent to without checking the leg's settings: see Shortcut.
    if (!protection) this.#rtp?.connect(locked)
  }

  /** A silent far end may come back from another port. */
  #makeWay({ lock, protection }: Configured, nowMs: number): void {
    if (!this.#followed || protection || !lock.isQuiet(nowMs)) return
    this.#rtp?.aim(this.#followed)
    this.#followed = undefined
  }

  /** NAT routers translate the RTCP port, too. */
  #receivedReport(bytes: Uint8Array, length: number, from: SocketAddress | undefined, nowMs: number): void {
    if (!this.#takesReport(bytes, length, from, nowMs) || !from) return
    if (this.#reportsTo && isSame(from, this.#reportsTo)) return
    this.#reportsTo = from
    this.#rtcp?.aim(from)
  }

  /** A far end that sends reports is alive, even without audio: some phones send no silence. */
  #isAlive({ settings, sender }: Configured, hearsUs: boolean, nowMs: number): void {
    this.#reportedMs = nowMs
    if (this.#listeningMs !== undefined && !this.#toldSilent) this.#listeningMs = nowMs
    if (settings.send && sender.packets >= packetsToHear) this.#watch.reported(hearsUs)
  }

  /** Accepts reports only from an accepted source; false for everything else. */
  #takesReport(bytes: Uint8Array, length: number, from: SocketAddress | undefined, nowMs: number): boolean {
    const configured = this.#configured
    if (configured) this.#noteHeard(configured)
    if (!configured || !(configured.protection || from === undefined || configured.lock.admitsReports(from.address, nowMs))) return false
    const plain = configured.protection ? configured.protection.incoming.unprotectRtcp(bytes, length) : length
    const report = plain < 0 ? undefined : configured.rtcp.receive(bytes, plain, nowMs, configured.sender)
    if (report) this.#isAlive(configured, report.ofUs, nowMs)
    return report !== undefined
  }

  #send(bytes: Uint8Array, length: number): void {
    const protection = this.#configured?.protection
    const size = protection ? protection.outgoing.protect(bytes, length) : length
    if (size > 0) this.#rtp?.send(bytes, size)
  }

  #sendRtcp(bytes: Uint8Array, length: number): void {
    const configured = this.#configured
    if (!configured?.settings.send && !configured?.settings.receive) return
    const size = configured.protection ? configured.protection.outgoing.protectRtcp(bytes, length) : length
    if (size > 0) this.#rtcp?.send(bytes, size)
  }
}

/** Packets that we must have sent before a report without them counts. */
const packetsToHear = 100

const countsOf = ({ packets, unknownSources, unreadable }: Receiver): SoundCounts => ({ heard: packets, unknownSources, unreadable })

const isSameSource = (a: StreamSettings, b: StreamSettings): boolean =>
  isSame(a.remote, b.remote) && a.alsoFrom.join() === b.alsoFrom.join() && (a.srtp === undefined) === (b.srtp === undefined)

const isSameKey = (a: SrtpSettings, b: SrtpSettings): boolean =>
  a.suite === b.suite && Buffer.compare(a.localKey, b.localKey) === 0 && Buffer.compare(a.remoteKey, b.remoteKey) === 0

/** Opus has no frames of 30 or 50 ms. */
const possiblePtime = ({ codec, ptimeMs }: StreamSettings): number => {
  const tens = Math.max(10, Math.min(60, Math.round(ptimeMs / 10) * 10))
  return codec === 'opus' && (tens === 30 || tens === 50) ? tens - 10 : tens
}
