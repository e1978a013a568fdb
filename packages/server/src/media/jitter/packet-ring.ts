/** Enough for 320 ms of 10 ms packets. A power of two. */
export const ringSlots = 32

/** Packets by their sequence number (counted on beyond 65535), each in its own part of one buffer. */
export class PacketRing {
  readonly bytes: Uint8Array
  readonly #slotBytes: number
  readonly #sequences = new Int32Array(ringSlots).fill(-1)
  readonly #timestamps = new Float64Array(ringSlots)
  readonly #sizes = new Int16Array(ringSlots)

  constructor(slotBytes: number) {
    this.#slotBytes = slotBytes
    this.bytes = new Uint8Array(slotBytes * ringSlots)
  }

  /** A payload without bytes says: this number was used for something that is not audio. */
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

  /** Also true for what was taken out a short while ago. */
  knows(sequence: number): boolean {
    return this.#sequences[sequence & (ringSlots - 1)] === sequence
  }

  has(sequence: number): boolean {
    const slot = sequence & (ringSlots - 1)
    return this.#sequences[slot] === sequence && this.#sizes[slot]! >= 0
  }

  /** The first one that is there, from `first` to `last`; -1 for none. */
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
