import { isIPv6 } from 'node:net'
import type { Codec } from '../codec/codec.ts'
import { createCodec } from '../codec/create-codec.ts'
import type { LineSettings, SoundState, SrtpSettings, StreamFigures } from '../engine.ts'
import { Receiver, type Arrival } from './receiver.ts'
import { RtcpSession } from './rtcp-session.ts'
import { isRtcp, type RtpPacket } from './rtp.ts'
import { Sender } from './sender.ts'
import type { Receive, SocketAddress, Udp, UdpSocket } from '../socket/socket.ts'
import { SoundWatch, type SoundCounts } from './sound-watch.ts'
import { isSame, SourceLock } from '../socket/source-lock.ts'
import { Srtp } from './srtp.ts'

export interface LineObserver {
  arrived(arrival: Exclude<Arrival, 'refused'>, packet: RtpPacket, nowMs: number): void
  /** The first packet came. */
  heard(): void
  /** Somebody is not heard, or is again. */
  sound(state: SoundState): void
  /** Nothing came for too long. */
  silent(): void
  /** A fault of ours with one packet: the stream is given up, the others go on. */
  failed(error: unknown): void
}

export interface LineParts {
  udp: Udp
  address: string
  port: number
  silentAfterMs: { first: number; later: number }
  observer: LineObserver
}

/** Everything that a change of the SDP can change. */
interface Talk {
  settings: LineSettings
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

/** The network side of a stream: two ports, who may speak to them, and what is sent from them. */
export class Line {
  readonly #parts: LineParts
  #rtp: UdpSocket | undefined
  #rtcp: UdpSocket | undefined
  #talk: Talk | undefined
  /** The one sender: our packets go there, and while it is not encrypted the kernel drops what others send. */
  #followed: SocketAddress | undefined
  /** Where its reports come from. */
  #reportsTo: SocketAddress | undefined
  #heard = false
  /** When a packet or a report came, or listening began; undefined: the far end need not send. */
  #listeningMs: number | undefined
  /** When a report came. */
  #reportedMs = -Infinity
  readonly #watch: SoundWatch

  private constructor(parts: LineParts) {
    this.#parts = parts
    this.#watch = new SoundWatch((state) => parts.observer.sound(state))
  }

  /** Throws PortTaken. */
  static async open(parts: LineParts): Promise<Line> {
    const { udp, address, port } = parts
    const line = new Line(parts)
    line.#rtp = await udp.open(
      address,
      port,
      line.#contained((bytes, length, from, nowMs) => line.#received(bytes, length, from, nowMs)),
    )
    try {
      line.#rtcp = await udp.open(
        address,
        port + 1,
        line.#contained((bytes, length, from, nowMs) => line.#receivedReport(bytes, length, from, nowMs)),
      )
    } catch (error) {
      line.#rtp.close()
      throw error
    }
    return line
  }

  /** Who was told of them closes them. */
  get descriptors(): number[] {
    return [this.#rtp, this.#rtcp].flatMap((socket) => socket?.descriptor ?? [])
  }

  get settings(): LineSettings | undefined {
    return this.#talk?.settings
  }

  get codec(): Codec | undefined {
    return this.#talk?.codec
  }

  /** Missing as long as nothing may be sent. */
  get sender(): Sender | undefined {
    return this.#talk?.settings.send ? this.#talk.sender : undefined
  }

  configure(wanted: LineSettings, nowMs: number): void {
    const settings = this.#possible(wanted)
    const before = this.#talk
    const sameSource = before !== undefined && isSameSource(before.settings, settings)
    const lock = before && sameSource ? before.lock : this.#turnTo(settings)
    const codec = before?.codec.name === settings.codec ? before.codec : createCodec(settings.codec)
    if (before && before.codec !== codec) before.codec.close()
    const sending = { codec, payloadType: settings.payloadType, dtmfPayloadType: settings.dtmfPayloadType, ptimeMs: settings.ptimeMs }
    const sender = before?.sender ?? new Sender(sending, (bytes, length) => this.#send(bytes, length))
    const protection = this.#protect(settings.srtp)
    const receiver = before?.receiver ?? new Receiver(codec.clockRate)
    const rtcp = before?.rtcp ?? new RtcpSession(`${sender.ssrc}@offhook`, nowMs, (bytes, length) => this.#sendRtcp(bytes, length))
    sender.configure(sending)
    receiver.configure(settings, codec.clockRate, lock, protection?.incoming)
    this.#talk = { settings, protection, codec, lock, receiver, sender, rtcp }
    this.#watch.expect(settings.receive, nowMs, countsOf(receiver))
    if (!settings.receive) this.#listeningMs = undefined
    else if (!sameSource) this.#listeningMs = nowMs
    else this.#listeningMs ??= nowMs
  }

  /** Reports and time-outs; some times a second. */
  tick(nowMs: number): void {
    const talk = this.#talk
    if (!talk) return
    talk.rtcp.tick(nowMs, talk.sender, talk.receiver.reception)
    this.#makeWay(talk, nowMs)
    this.#watch.look(nowMs, countsOf(talk.receiver), this.#reportedMs)
    const { first, later } = this.#parts.silentAfterMs
    if (this.#listeningMs === undefined || nowMs - this.#listeningMs < (this.#heard ? later : first)) return
    this.#listeningMs = Infinity // told once
    this.#parts.observer.silent()
  }

  figures(): StreamFigures {
    const { sender, receiver } = this.#talk ?? {}
    return {
      packetsSent: sender?.packets ?? 0,
      packetsReceived: receiver?.packets ?? 0,
      packetsLost: receiver?.lost ?? 0,
      packetsRefused: receiver?.refused ?? 0,
      jitterMs: receiver?.reception.jitterMs ?? 0,
    }
  }

  close(nowMs: number): void {
    const talk = this.#talk
    talk?.rtcp.goodbye(nowMs, talk.sender, talk.receiver.reception)
    talk?.codec.close()
    this.#talk = undefined
    this.#rtp?.release()
    this.#rtcp?.release()
  }

  /** Nothing is sent to nowhere: an old kind of hold, a refused media line, a family of addresses we do not have. */
  #possible(settings: LineSettings): LineSettings {
    const { address, port } = settings.remote
    const nowhere = /^[0:.]*$/.test(address) || port === 0 || (isIPv6(address) && !this.#parts.address.includes(':'))
    return { ...settings, send: settings.send && !nowhere, ptimeMs: possiblePtime(settings) }
  }

  /** The counters of a key go on as long as the key does. */
  #protect(settings: SrtpSettings | undefined): Protection | undefined {
    const before = this.#talk?.protection
    if (!settings || (before && isSameKey(before.settings, settings))) return settings && before
    const { suite, localKey, remoteKey } = settings
    return { settings, outgoing: new Srtp(localKey, suite), incoming: new Srtp(remoteKey, suite) }
  }

  #turnTo({ remote, alsoFrom }: LineSettings): SourceLock {
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
        this.#parts.observer.failed(error)
      }
    }
  }

  #received(bytes: Uint8Array, length: number, from: SocketAddress | undefined, nowMs: number): void {
    const talk = this.#talk
    if (!talk) return
    if (isRtcp(bytes, length)) return void this.#takesReport(bytes, length, from, nowMs)
    const arrival = talk.receiver.receive(bytes, length, from, nowMs)
    if (arrival === 'refused') return
    if (talk.lock.locked !== this.#followed) this.#follow(talk, nowMs)
    if (!talk.settings.receive) return
    this.#listeningMs = nowMs
    if (!this.#heard) {
      this.#heard = true
      this.#parts.observer.heard()
    }
    this.#parts.observer.arrived(arrival, talk.receiver.packet, nowMs)
  }

  #follow({ lock, protection }: Talk, nowMs: number): void {
    const { locked } = lock
    if (!locked || lock.isQuiet(nowMs)) return
    this.#followed = locked
    this.#aim(locked)
    if (!protection) this.#rtp?.connect(locked)
  }

  /** Who fell silent may come back from another port. */
  #makeWay({ lock, protection }: Talk, nowMs: number): void {
    if (!this.#followed || protection || !lock.isQuiet(nowMs)) return
    this.#rtp?.aim(this.#followed)
    this.#followed = undefined
  }

  /** Routers translate the port of reports, too. */
  #receivedReport(bytes: Uint8Array, length: number, from: SocketAddress | undefined, nowMs: number): void {
    if (!this.#takesReport(bytes, length, from, nowMs) || !from) return
    if (this.#reportsTo && isSame(from, this.#reportsTo)) return
    this.#reportsTo = from
    this.#rtcp?.aim(from)
  }

  /** Who reports is there, even if it says nothing: some phones send no silence. */
  #isAlive({ settings, sender }: Talk, hearsUs: boolean, nowMs: number): void {
    this.#reportedMs = nowMs
    if (this.#listeningMs !== undefined && this.#listeningMs < nowMs) this.#listeningMs = nowMs
    if (settings.send && sender.packets >= packetsToHear) this.#watch.reported(hearsUs)
  }

  /** From who may speak; false for everything else. */
  #takesReport(bytes: Uint8Array, length: number, from: SocketAddress | undefined, nowMs: number): boolean {
    const talk = this.#talk
    if (!talk || !(talk.protection || from === undefined || talk.lock.admitsReports(from.address, nowMs))) return false
    const plain = talk.protection ? talk.protection.incoming.unprotectRtcp(bytes, length) : length
    const report = plain < 0 ? undefined : talk.rtcp.receive(bytes, plain, nowMs, talk.sender.ssrc)
    if (report) this.#isAlive(talk, report.ofUs, nowMs)
    return report !== undefined
  }

  #send(bytes: Uint8Array, length: number): void {
    const protection = this.#talk?.protection
    const size = protection ? protection.outgoing.protect(bytes, length) : length
    if (size > 0) this.#rtp?.send(bytes, size)
  }

  #sendRtcp(bytes: Uint8Array, length: number): void {
    const talk = this.#talk
    if (!talk?.settings.send && !talk?.settings.receive) return
    const size = talk.protection ? talk.protection.outgoing.protectRtcp(bytes, length) : length
    if (size > 0) this.#rtcp?.send(bytes, size)
  }
}

/** So many packets of ours a far end must have heard. */
const packetsToHear = 100

const countsOf = ({ packets, strangers, unreadable }: Receiver): SoundCounts => ({ heard: packets, strangers, unreadable })

const isSameSource = (a: LineSettings, b: LineSettings): boolean =>
  isSame(a.remote, b.remote) && a.alsoFrom.join() === b.alsoFrom.join() && (a.srtp === undefined) === (b.srtp === undefined)

const isSameKey = (a: SrtpSettings, b: SrtpSettings): boolean =>
  a.suite === b.suite && Buffer.compare(a.localKey, b.localKey) === 0 && Buffer.compare(a.remoteKey, b.remoteKey) === 0

/** Opus has no frames of 30 or 50 ms. */
const possiblePtime = ({ codec, ptimeMs }: LineSettings): number => {
  const tens = Math.max(10, Math.min(60, Math.round(ptimeMs / 10) * 10))
  return codec === 'opus' && (tens === 30 || tens === 50) ? tens - 10 : tens
}
