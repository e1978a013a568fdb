import type { RtpPacket } from '../rtp/rtp.ts'

/** A larger sequence step is a restart, if the next packet confirms it (RFC 3550 A.1). */
const maxStep = 100

/** Orders packets. Extends sequence numbers beyond 16 bits and timestamps beyond 32. */
export class PacketOrder {
  late = 0
  duplicates = 0
  unreadable = 0
  /** Sequence number of the due packet. */
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

  /** `new`: another source, or a restarted sequence; call `restart`. */
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

  /** `started`: packets older than the due one are late. False: there was no room, the oldest packet was dropped. */
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

  /** A packet without audio has used a sequence number. */
  skip(packet: RtpPacket): void {
    if (!this.#started || packet.ssrc !== this.ssrc) return
    const sequence = this.#extended(packet)
    if (sequence < this.next || sequence >= this.next + ringSlots || this.ring.knows(sequence)) return
    if (sequence > this.#highest) this.#highest = sequence
    this.ring.put(sequence, 0, packet.bytes, 0, 0)
  }

  /** The first available packet with audio; -1 for none. Skips numbers without audio right before it. */
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

/** Enough for 320 ms of 10 ms packets. A power of two. */
const ringSlots = 32

/** Packets by their extended sequence number, each in its own slot of one buffer. */
class PacketRing {
  readonly bytes: Uint8Array
  readonly #slotBytes: number
  readonly #sequences = new Int32Array(ringSlots).fill(-1)
  readonly #timestamps = new Float64Array(ringSlots)
  readonly #sizes = new Int16Array(ringSlots)

  constructor(slotBytes: number) {
    this.#slotBytes = slotBytes
    this.bytes = new Uint8Array(slotBytes * ringSlots)
  }

  /** An empty payload marks a number that was not used for audio. */
  put(sequence: number, timestamp: number, from: Uint8Array, start: number, end: number): void {
    const slot = sequence & (ringSlots - 1)
    const offset = slot * this.#slotBytes - start
    const bytes = this.bytes
    for (let i = start; i < end; i++) bytes[offset + i] = from[i]!
    this.#sequences[slot] = sequence
    this.#timestamps[slot] = timestamp
    this.#sizes[slot] = end - start
  }

  fits(size: number): boolean {
    return size <= this.#slotBytes
  }

  /** Also true for a recently taken packet. */
  knows(sequence: number): boolean {
    return this.#sequences[sequence & (ringSlots - 1)] === sequence
  }

  has(sequence: number): boolean {
    const slot = sequence & (ringSlots - 1)
    return this.#sequences[slot] === sequence && this.#sizes[slot]! >= 0
  }

  /** The first available packet from `first` to `last`; -1 for none. */
  find(first: number, last: number): number {
    for (let sequence = first; sequence <= last; sequence++) if (this.has(sequence)) return sequence
    return -1
  }

  timestamp(sequence: number): number {
    return this.#timestamps[sequence & (ringSlots - 1)]!
  }

  start(sequence: number): number {
    return (sequence & (ringSlots - 1)) * this.#slotBytes
  }

  size(sequence: number): number {
    return this.#sizes[sequence & (ringSlots - 1)]!
  }

  take(sequence: number): void {
    this.#sizes[sequence & (ringSlots - 1)] = -1
  }

  clear(): void {
    this.#sequences.fill(-1)
  }
}
