import { PacketRing, ringSlots } from './packet-ring.ts'
import type { RtpPacket } from '../rtp/rtp.ts'

/** A larger step of the sequence is a restart, if the next packet agrees (RFC 3550 A.1). */
const maxStep = 100

/** Brings packets into the order in which they were sent. Sequence numbers count on beyond 65535 here, timestamps beyond 32 bits. */
export class PacketOrder {
  late = 0
  duplicates = 0
  unreadable = 0
  /** Number of the packet that is due. */
  next = 0
  ssrc = 0
  readonly ring: PacketRing
  #started = false
  #highest = 0
  #newest = 0
  #suspect = -1

  constructor(slotBytes: number) {
    this.ring = new PacketRing(slotBytes)
  }

  get highest(): number {
    return this.#highest
  }

  /** `new`: another source, or it counts anew; `restart` is called for. */
  check(packet: RtpPacket): 'known' | 'new' | 'refused' {
    if (!this.ring.fits(packet.payloadEnd - packet.payloadStart)) return this.#refuse()
    if (!this.#started || packet.ssrc !== this.ssrc || packet.sequence === this.#suspect) return 'new'
    const step = ((packet.sequence - this.#highest) << 16) >> 16
    const plausible = step <= maxStep && step >= -maxStep
    this.#suspect = plausible ? -1 : (packet.sequence + 1) & 0xffff
    return plausible ? 'known' : this.#refuse()
  }

  restart(packet: RtpPacket): void {
    this.#started = true
    this.ssrc = packet.ssrc
    this.next = packet.sequence + 0x10000
    this.#highest = this.next
    this.#newest = packet.timestamp
    this.#suspect = -1
    this.ring.clear()
  }

  timestampOf(packet: RtpPacket): number {
    return this.#newest + ((packet.timestamp - this.#newest) | 0)
  }

  /** `started`: what is older than the due packet comes too late. False: there is no room, the oldest had to go. */
  put(packet: RtpPacket, timestamp: number, started: boolean): boolean {
    const sequence = this.#extended(packet)
    if (this.ring.knows(sequence)) {
      this.duplicates++
      return true
    }
    if (!started && sequence < this.next && sequence > this.#highest - ringSlots) this.next = sequence
    if (sequence < this.next) {
      this.late++
      return true
    }
    const room = sequence < this.next + ringSlots
    if (!room) this.next = sequence - ringSlots + 1
    if (sequence > this.#highest) {
      this.#highest = sequence
      this.#newest = timestamp
    }
    this.ring.put(sequence, timestamp, packet.bytes, packet.payloadStart, packet.payloadEnd)
    return room
  }

  /** A packet that is no audio has used up a number. */
  skip(packet: RtpPacket): void {
    if (!this.#started || packet.ssrc !== this.ssrc) return
    const sequence = this.#extended(packet)
    if (sequence < this.next || sequence >= this.next + ringSlots || this.ring.knows(sequence)) return
    if (sequence > this.#highest) this.#highest = sequence
    this.ring.put(sequence, 0, packet.bytes, 0, 0)
  }

  /** The first packet with audio that is there; -1 for none. Numbers without audio right before it are passed. */
  findAudio(): number {
    let first = this.ring.find(this.next, this.#highest)
    while (first >= 0 && this.ring.size(first) === 0) {
      if (first === this.next) this.next++
      first = this.ring.find(first + 1, this.#highest)
    }
    return first
  }

  #extended(packet: RtpPacket): number {
    return this.#highest + (((packet.sequence - this.#highest) << 16) >> 16)
  }

  #refuse(): 'refused' {
    this.unreadable++
    return 'refused'
  }
}
