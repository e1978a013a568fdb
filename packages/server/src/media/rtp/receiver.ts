import type { StreamSettings } from '../engine.ts'
import { Reception } from './reception.ts'
import type { Rows } from './rows.ts'
import { parseRtp, RtpPacket } from './rtp.ts'
import type { SocketAddress } from '../socket/socket.ts'
import type { SourceLock } from '../socket/source-lock.ts'
import type { Srtp } from './srtp.ts'

/** RFC 3389 comfort noise: the far end is silent and sends its noise level. */
const comfortNoise = 13

/** Kind of an accepted packet, or 'refused'. */
export type PacketKind = 'audio' | 'key' | 'quiet' | 'refused'

/** Shared by all receivers of a thread: only read until the next packet, so it stays in the cache. */
const packet = new RtpPacket()

/** Input of a stream: accepts only an allowed source, negotiated types and authentic packets. A bad packet never ends a call. */
export class Receiver {
  /** The last accepted packet. */
  readonly packet = packet
  refused = 0
  /** Refused packets of the negotiated type from an unknown source. */
  unknownSources = 0
  /** Refused packets from the right sender, but not of the negotiated type. */
  unreadable = 0
  reception: Reception
  #earlier = { packets: 0, lost: 0 }
  #clockRate: number
  readonly #newReception: () => Reception
  #payloadType = -1
  #dtmfPayloadType = -1
  #lock: SourceLock | undefined
  #protection: Srtp | undefined

  constructor(clockRate: number, rows: Rows, row: number) {
    this.#clockRate = clockRate
    this.#newReception = () => new Reception(this.#clockRate, rows, row)
    this.reception = this.#newReception()
  }

  get packets(): number {
    return this.#earlier.packets + this.reception.packets
  }

  get lost(): number {
    return this.#earlier.lost + this.reception.lostAltogether
  }

  configure(line: StreamSettings, clockRate: number, lock: SourceLock, protection: Srtp | undefined): void {
    this.#payloadType = line.payloadType
    this.#dtmfPayloadType = line.dtmfPayloadType ?? -1
    this.#lock = lock
    this.#protection = protection
    if (clockRate === this.#clockRate) return
    this.#earlier = { packets: this.packets, lost: this.lost }
    this.#clockRate = clockRate
    this.reception = this.#newReception()
  }

  receive(bytes: Uint8Array, length: number, from: SocketAddress | undefined, nowMs: number): PacketKind {
    const kind = this.#examine(bytes, length, from, nowMs)
    if (kind === 'refused') this.refused++
    else this.reception.receive(packet.sequence, packet.timestamp, packet.ssrc, nowMs)
    return kind
  }

  /** A sender with the right key is accepted at any address. */
  #examine(bytes: Uint8Array, length: number, from: SocketAddress | undefined, nowMs: number): PacketKind {
    const lock = this.#lock
    if (!lock) return 'refused'
    if (!this.#protection && !lock.admits(from, nowMs)) return this.#ignore(bytes, length)
    const plain = this.#protection ? this.#protection.unprotect(bytes, length) : length
    const kind = plain >= 0 && parseRtp(bytes, plain, packet) ? this.#kindOf(packet.payloadType) : 'refused'
    if (kind === 'refused') this.unreadable++
    else lock.confirm(from, nowMs)
    return kind
  }

  #ignore(bytes: Uint8Array, length: number): 'refused' {
    if (parseRtp(bytes, length, packet) && this.#kindOf(packet.payloadType) !== 'refused') this.unknownSources++
    return 'refused'
  }

  #kindOf(payloadType: number): PacketKind {
    if (payloadType === this.#payloadType) return 'audio'
    if (payloadType === this.#dtmfPayloadType) return 'key'
    return payloadType === comfortNoise ? 'quiet' : 'refused'
  }
}
