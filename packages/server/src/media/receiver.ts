import type { LineSettings } from './engine.ts'
import { Reception } from './reception.ts'
import { parseRtp, RtpPacket } from './rtp.ts'
import type { SocketAddress } from './socket.ts'
import type { SourceLock } from './source-lock.ts'
import type { Srtp } from './srtp.ts'

/** RFC 3389: the far end is quiet and says how quiet. */
const comfortNoise = 13

/** What a packet is, once it is known to be one for us. */
export type Arrival = 'audio' | 'key' | 'quiet' | 'refused'

/** What arrives at a stream: only from who may speak, only what was agreed, only what is genuine. A bad packet never ends a call. */
export class Receiver {
  /** The last one that was not refused. */
  readonly packet = new RtpPacket()
  refused = 0
  readonly reception: Reception
  #line: LineSettings | undefined
  #lock: SourceLock | undefined
  #protection: Srtp | undefined

  constructor(clockRate: number) {
    this.reception = new Reception(clockRate)
  }

  configure(line: LineSettings, lock: SourceLock, protection: Srtp | undefined): void {
    this.#line = line
    this.#lock = lock
    this.#protection = protection
  }

  receive(bytes: Uint8Array, length: number, from: SocketAddress | undefined, nowMs: number): Arrival {
    const arrival = this.#examine(bytes, length, from)
    const { sequence, timestamp, ssrc } = this.packet
    if (arrival === 'refused') this.refused++
    else this.reception.receive(sequence, timestamp, ssrc, nowMs)
    return arrival
  }

  #examine(bytes: Uint8Array, length: number, from: SocketAddress | undefined): Arrival {
    if (!this.#lock?.admits(from)) return 'refused'
    const plain = this.#protection ? this.#protection.unprotect(bytes, length) : length
    if (plain < 0 || !parseRtp(bytes, plain, this.packet)) return 'refused'
    const arrival = this.#kindOf(this.packet.payloadType)
    return arrival !== 'refused' && this.#lock.confirm(from, this.packet.ssrc) ? arrival : 'refused'
  }

  #kindOf(payloadType: number): Arrival {
    if (payloadType === this.#line?.payloadType) return 'audio'
    if (payloadType === this.#line?.dtmfPayloadType) return 'key'
    return payloadType === comfortNoise ? 'quiet' : 'refused'
  }
}
