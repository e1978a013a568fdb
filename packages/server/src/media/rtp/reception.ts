import { arriving, floatsPerRow, intsPerRow, Rows, timing } from './rows.ts'

/** A larger step is a restart, not loss. */
const maxStep = 3000

/** Reception statistics of one source by RFC 3550 A.1, A.3 and A.8; a change of source restarts them. */
export class Reception {
  readonly #rows: Rows
  readonly #row: number

  constructor(clockRate: number, rows = new Rows(), row = rows.take()) {
    this.#rows = rows
    this.#row = row
    for (let cell = arriving.packets; cell <= arriving.receivedAtReport; cell++) this.#set(cell, 0)
    for (const cell of [timing.jitter, timing.jitterSum]) this.#setTime(cell, 0)
    this.#setTime(timing.ticksPerMs, clockRate / 1000)
  }

  get packets(): number {
    return this.#get(arriving.packets)
  }

  get ssrc(): number {
    return this.#get(arriving.ssrc) >>> 0
  }

  /** Interarrival jitter in ticks of the RTP clock. */
  get jitter(): number {
    return this.#time(timing.jitter)
  }

  get jitterMs(): number {
    return this.jitter / this.#time(timing.ticksPerMs)
  }

  /** Mean over all packets of all sources. */
  get meanJitterMs(): number {
    return this.packets === 0 ? 0 : this.#time(timing.jitterSum) / this.packets / this.#time(timing.ticksPerMs)
  }

  /** Extended: the upper 16 bits count the wraps of the sequence. */
  get highestSequence(): number {
    return this.#get(arriving.highest)
  }

  /** Lost packets of the current source; negative after duplicates. */
  get lost(): number {
    return lostIn(this.#rows, this.#row)
  }

  /** Lost packets of all sources. */
  get lostAltogether(): number {
    return this.#get(arriving.lostBefore) + Math.max(0, this.lost)
  }

  receive(sequence: number, timestamp: number, ssrc: number, nowMs: number): void {
    noteArrival(this.#rows, this.#row, sequence, timestamp | 0, ssrc | 0, nowMs)
  }

  /** Fraction lost since the last call, in 256ths. */
  takeFractionLost(): number {
    const received = this.#get(arriving.received)
    const altogether = this.lost + received
    const expected = altogether - this.#get(arriving.expectedAtReport)
    const lost = expected - (received - this.#get(arriving.receivedAtReport))
    this.#set(arriving.expectedAtReport, altogether)
    this.#set(arriving.receivedAtReport, received)
    return expected <= 0 || lost <= 0 ? 0 : Math.min(255, Math.floor((lost * 256) / expected))
  }

  #get(cell: number): number {
    return this.#rows.ints[this.#row * intsPerRow + cell]!
  }

  #set(cell: number, value: number): void {
    this.#rows.ints[this.#row * intsPerRow + cell] = value
  }

  #time(cell: number): number {
    return this.#rows.floats[this.#row * floatsPerRow + cell]!
  }

  #setTime(cell: number, value: number): void {
    this.#rows.floats[this.#row * floatsPerRow + cell] = value
  }
}

const lostIn = ({ ints }: Rows, row: number): number => {
  const at = row * intsPerRow
  if (ints[at + arriving.started] === 0) return 0
  return ints[at + arriving.highest]! - ints[at + arriving.first]! + 1 - ints[at + arriving.received]!
}

/** The only way to count a packet. Timestamp and source are signed numbers. */
export const noteArrival = (rows: Rows, row: number, sequence: number, timestamp: number, ssrc: number, nowMs: number): void => {
  const { ints, floats } = rows
  const at = row * intsPerRow
  ints[at + arriving.packets]!++
  const step = ((sequence - ints[at + arriving.highest]!) << 16) >> 16
  if (ints[at + arriving.started] === 0 || ssrc !== ints[at + arriving.ssrc] || step > maxStep || step < -maxStep) {
    start(rows, row, sequence, ssrc)
  } else if (step > 0) ints[at + arriving.highest]! += step
  ints[at + arriving.received]!++
  const clock = row * floatsPerRow
  const transit = nowMs * floats[clock + timing.ticksPerMs]! - timestamp
  const before = floats[clock + timing.transit]!
  let jitter = floats[clock + timing.jitter]!
  if (!Number.isNaN(before)) jitter += (Math.abs(Math.round(transit - before) | 0) - jitter) / 16
  floats[clock + timing.jitter] = jitter
  floats[clock + timing.jitterSum]! += jitter
  floats[clock + timing.transit] = transit
}

const start = (rows: Rows, row: number, sequence: number, ssrc: number): void => {
  const { ints, floats } = rows
  const at = row * intsPerRow
  ints[at + arriving.lostBefore]! += Math.max(0, lostIn(rows, row))
  ints[at + arriving.started] = 1
  ints[at + arriving.ssrc] = ssrc
  ints[at + arriving.first] = ints[at + arriving.highest] = sequence
  ints[at + arriving.received] = ints[at + arriving.expectedAtReport] = ints[at + arriving.receivedAtReport] = 0
  floats[row * floatsPerRow + timing.transit] = NaN
  floats[row * floatsPerRow + timing.jitter] = 0
}
