import type { Shortcut } from '../socket/socket.ts'
import { noteArrival } from './reception.ts'
import { arriving, floatsPerRow, intsPerRow, Rows, timing } from './rows.ts'
import { rtpHeaderBytes } from './rtp.ts'
import { srtpOverhead } from './srtp.ts'
import { continues, maxPayloadBytes, renumber, type Transmit } from './sender.ts'

/** Matches no packet's type. */
const inspectEveryPacket = -1

/** Payload types that look like RTCP when the marker is set (RFC 5761 §4). */
const isAmbiguous = (payloadType: number): boolean => payloadType >= 64 && payloadType <= 95

/**
 * Fast path for a packet: from a connected far end, unencrypted, and without a listener here. It is counted and sent on, or ends here, and
 * touches only two rows. A call between two phones is a hundred of them a second.
 */
export class Forwarder implements Shortcut {
  readonly rows = new Rows()
  /**
   * Version of everything that decides who hears packets and where they go: commands, and starts and ends within a stream. A decision of
   * one version holds until the next.
   */
  count = 1
  readonly #transmits: (Transmit | undefined)[] = []

  /** Allocates a row for a leg that sends by `transmit`. */
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

  /** Forwards packets of this type from this row to `target` until the next change, or (0) drops them here. */
  settle(row: number, payloadType: number, target: number): void {
    const { ints } = this.rows
    const at = row * intsPerRow
    ints[at + arriving.asOf] = this.count
    ints[at + arriving.payloadType] = isAmbiguous(payloadType) ? inspectEveryPacket : payloadType
    ints[at + arriving.target] = target
  }

  /** Requires inspection of its packets until the next change. */
  lookAt(row: number): void {
    this.settle(row, inspectEveryPacket, 0)
  }

  takes(row: number, bytes: Uint8Array, length: number, nowMs: number): number {
    const { ints, floats } = this.rows
    const at = row * intsPerRow
    if (ints[at + arriving.asOf] !== this.count || length <= rtpHeaderBytes || length > rtpHeaderBytes + maxPayloadBytes) return -1
    // The target leg may need room for an SRTP tag.
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
