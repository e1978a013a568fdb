/**
 * What changes with every packet, of all legs of a thread, in one piece of memory: a row for each leg. As fields of objects the same numbers lie in
 * twenty places, and fetching them takes longer than all that is done with them.
 */
export class Rows {
  ints = new Int32Array(firstRows * intsPerRow)
  floats = new Float64Array(firstRows * floatsPerRow)
  readonly #free: number[] = []
  #next = 1

  /** There is no row 0. */
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

/** Half of them is what arrives, half what is sent. */
export const intsPerRow = 32
export const floatsPerRow = 8

/** Where in a row what is. Numbers of 32 bits without a sign are kept with one. */
export const arriving = {
  /** See HandOn. */
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
  /** Of what arrives. */
  ticksPerMs: 0,
  transit: 1,
  jitter: 2,
  jitterSum: 3,
  heardMs: 4,
  /** Of what is sent. */
  ptimeMs: 5,
  dueMs: 6,
  relayedMs: 7,
} as const
