import type { Shortcut } from '../socket/socket.ts'
import { noteArrival } from './reception.ts'
import { arriving, floatsPerRow, intsPerRow, Rows, timing } from './rows.ts'
import { rtpHeaderBytes } from './rtp.ts'
import { srtpOverhead } from './srtp.ts'
import { continues, maxPayloadBytes, renumber, type Transmit } from './sender.ts'

/** No packet has this type. */
const inspectEveryPacket = -1

/** Payload types that, with the marker, look like RTCP (RFC 5761 §4). */
const isAmbiguous = (payloadType: number): boolean => payloadType >= 64 && payloadType <= 95

/**
 * The shortest way of a packet: from a far end of which no stranger gets through, in clear, heard by nobody here. It is counted and goes out again,
 * or ends here, and but for two rows nothing is touched. A hundred of them a second is what a call between two phones is.
 */
export class Forwarder implements Shortcut {
  readonly rows = new Rows()
  /**
   * Counts what may change who hears packets and where they go: commands, and what a stream begins or ends by itself. What was found out as of
   * one count holds until the next.
   */
  count = 1
  readonly #transmits: (Transmit | undefined)[] = []

  /** A row, for a leg that sends by `transmit`. */
  open(transmit: Transmit): number {
    const row = this.rows.take()
    this.#transmits[row] = transmit
    return row
  }

  close(row: number): void {
    this.#transmits[row] = undefined
    this.rows.give(row)
    this.count++
  }

  changed(): void {
    this.count++
  }

  isSettled(row: number): boolean {
    return this.rows.ints[row * intsPerRow + arriving.asOf] === this.count
  }

  /** Until the next change packets of this type go from this row to that one, or (0) end here. */
  settle(row: number, payloadType: number, target: number): void {
    const { ints } = this.rows
    const at = row * intsPerRow
    ints[at + arriving.asOf] = this.count
    ints[at + arriving.payloadType] = isAmbiguous(payloadType) ? inspectEveryPacket : payloadType
    ints[at + arriving.target] = target
  }

  /** Until the next change its packets have to be looked at. */
  lookAt(row: number): void {
    this.settle(row, inspectEveryPacket, 0)
  }

  takes(row: number, bytes: Uint8Array, length: number, nowMs: number): number {
    const { ints, floats } = this.rows
    const at = row * intsPerRow
    if (ints[at + arriving.asOf] !== this.count || length <= rtpHeaderBytes || length > rtpHeaderBytes + maxPayloadBytes) return -1
    // Where it goes it may need a tag behind it.
    if (bytes.length < length + srtpOverhead) return -1
    // Version 2, without padding, extension and contributing sources: as almost every packet is.
    if (bytes[0] !== 0x80 || (bytes[1]! & 127) !== ints[at + arriving.payloadType]) return -1
    const sequence = (bytes[2]! << 8) | bytes[3]!
    const timestamp = (bytes[4]! << 24) | (bytes[5]! << 16) | (bytes[6]! << 8) | bytes[7]!
    const ssrc = (bytes[8]! << 24) | (bytes[9]! << 16) | (bytes[10]! << 8) | bytes[11]!
    const target = ints[at + arriving.target]!
    if (target !== 0 && !continues(this.rows, target, sequence, ssrc)) return -1
    noteArrival(this.rows, row, sequence, timestamp, ssrc, nowMs)
    floats[row * floatsPerRow + timing.heardMs] = nowMs
    if (target === 0) return 0
    return renumber(this.rows, target, bytes, length - rtpHeaderBytes, sequence, timestamp, bytes[1]! > 127, nowMs) ? target : 0
  }

  transmit(row: number, bytes: Uint8Array, length: number): void {
    this.#transmits[row]?.(bytes, length)
  }
}
