/**
 * Per-packet state of all legs of a thread in contiguous memory: one row per leg. As object fields the same numbers would be in twenty
 * places, and fetching them would take longer than using them.
 */
export class Rows {
  ints = new Int32Array(firstRows * intsPerRow)
  floats = new Float64Array(firstRows * floatsPerRow)
  readonly #free: number[] = []
  #next = 1

  /** Row 0 is not used. */
  take(): number {
    const row = this.#free.pop() ?? this.#next++
    if ((row + 1) * intsPerRow > this.ints.length) this.#grow()
    this.ints.fill(0, row * intsPerRow, (row + 1) * intsPerRow)
    this.floats.fill(0, row * floatsPerRow, (row + 1) * floatsPerRow)
    return row
  }

  give(row: number): void {
    this.#free.push(row)
  }

  #grow(): void {
    const { ints, floats } = this
    this.ints = new Int32Array(2 * ints.length)
    this.ints.set(ints)
    this.floats = new Float64Array(2 * floats.length)
    this.floats.set(floats)
  }
}

const firstRows = 64

/** Half of a row is for reception, half for sending. */
export const intsPerRow = 32
export const floatsPerRow = 8

/** Indexes within a row. Unsigned 32 bit numbers are stored signed. */
export const arriving = {
  /** See Forwarder. */
  asOf: 0,
  payloadType: 1,
  target: 2,
  /** See Reception. */
  packets: 3,
  ssrc: 4,
  first: 5,
  highest: 6,
  received: 7,
  started: 8,
  lostBefore: 9,
  expectedAtReport: 10,
  receivedAtReport: 11,
} as const

/** See Sender. */
export const leaving = {
  ssrc: 16,
  packets: 17,
  octets: 18,
  sequence: 19,
  timestamp: 20,
  payloadType: 21,
  ticksPerPacket: 22,
  relaying: 23,
  relaySsrc: 24,
  relayHighest: 25,
  relaySpan: 26,
  sequenceOffset: 27,
  timestampOffset: 28,
} as const

export const timing = {
  /** Reception. */
  ticksPerMs: 0,
  transit: 1,
  jitter: 2,
  jitterSum: 3,
  heardMs: 4,
  /** Sending. */
  ptimeMs: 5,
  dueMs: 6,
  relayedMs: 7,
} as const
