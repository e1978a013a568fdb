import type { StreamSettings } from '../engine.ts'
import { Reception } from './reception.ts'
import type { Rows } from './rows.ts'
import { parseRtp, RtpPacket } from './rtp.ts'
import type { SocketAddress } from '../socket/socket.ts'
import type { SourceLock } from '../socket/source-lock.ts'
import type { Srtp } from './srtp.ts'

/** RFC 3389: the far end is quiet and says how quiet. */
const comfortNoise = 13

/** What a packet is, once it is known to be one for us. */
export type PacketKind = 'audio' | 'key' | 'quiet' | 'refused'

/** One for all receivers of a thread: it is only read until the next packet, and so it stays in the cache. */
const packet = new RtpPacket()

/** What arrives at a stream: only from an accepted source, only what was agreed, only what is genuine. A bad packet never ends a call. */
export class Receiver {
  /** The last one that was not refused. */
  readonly packet = packet
  refused = 0
  /** Of them: as agreed, but of a stranger, */
  unknownSources = 0
  /** and of the right sender, but not as agreed. */
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

  /** A sender that has the key is believed wherever it is. */
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
