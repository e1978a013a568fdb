import { randomBytes } from 'node:crypto'
import type { Codec } from '../codec/codec.ts'
import { DtmfSender } from '../dtmf/dtmf-events.ts'
import { floatsPerRow, intsPerRow, leaving, Rows, timing } from './rows.ts'
import { rtpHeaderBytes, writeRtpHeader, type RtpPacket } from './rtp.ts'
import { srtpOverhead } from './srtp.ts'

/** Takes a packet in memory that is reused immediately. */
export type Transmit = (bytes: Uint8Array, length: number) => void

interface SendSettings {
  codec: Codec
  payloadType: number
  dtmfPayloadType: number | undefined
  ptimeMs: number
}

const maxPacketBytes = 1500
/** Leaves room for the header and an authentication tag. */
export const maxPayloadBytes = 1400
/** After a pause of this length the timestamp must advance, so that the far end does not wait for unsent packets. */
const pauseMs = 60
/** A larger sequence step is a restart, not loss. */
const maxStep = 3000

/** Shared by all senders of a thread: a packet is sent before the next is made. */
const bytes = new Uint8Array(maxPacketBytes)

const randomUint32 = (): number => randomBytes(4).readUInt32BE()

/**
 * One outgoing RTP source. Its sequence numbers and timestamps continue across its own frames, DTMF, and forwarded packets of another leg.
 */
export class Sender {
  readonly ssrc = randomUint32()
  readonly #rows: Rows
  readonly #row: number
  readonly #transmit: Transmit
  #codec: Codec
  /** -1: not negotiated. */
  #dtmfPayloadType = -1
  #ptimeMs = 20
  #ticksPerMs = 8
  #marker = true
  /** Samples that wait for a full packet. */
  #pending: Int16Array
  #waiting = 0
  #dtmf: DtmfSender

  constructor(settings: SendSettings, transmit: Transmit, rows = new Rows(), row = rows.take()) {
    this.#transmit = transmit
    this.#rows = rows
    this.#row = row
    this.#set(leaving.ssrc, this.ssrc)
    this.#set(leaving.sequence, randomUint32() & 0x7fff)
    this.#set(leaving.timestamp, randomUint32())
    this.#setTime(timing.relayedMs, -Infinity)
    this.#codec = settings.codec
    this.#pending = new Int16Array(0)
    this.#dtmf = new DtmfSender(settings.codec.clockRate, settings.ptimeMs)
    this.configure(settings)
  }

  configure({ codec, payloadType, dtmfPayloadType, ptimeMs }: SendSettings): void {
    this.#codec = codec
    this.#set(leaving.payloadType, payloadType)
    this.#dtmfPayloadType = dtmfPayloadType ?? -1
    this.#ptimeMs = ptimeMs
    this.#ticksPerMs = codec.clockRate / 1000
    this.#set(leaving.ticksPerPacket, this.#ticksPerMs * ptimeMs)
    this.#setTime(timing.ptimeMs, ptimeMs)
    this.#pending = new Int16Array((codec.sampleRate * ptimeMs) / 1000)
    this.#waiting = 0
    this.#set(leaving.relaying, 0)
    if (!this.#dtmf.busy || dtmfPayloadType === undefined) this.#dtmf = new DtmfSender(codec.clockRate, ptimeMs)
  }

  get packets(): number {
    return this.#get(leaving.packets)
  }

  get octets(): number {
    return this.#get(leaving.octets) >>> 0
  }

  /** Timestamp of the next own packet. */
  get timestamp(): number {
    return this.#get(leaving.timestamp) >>> 0
  }

  get sendsDtmf(): boolean {
    return this.#dtmf.busy
  }

  /** Time of the last forwarded packet. */
  get relayedMs(): number {
    return this.#rows.floats[this.#row * floatsPerRow + timing.relayedMs]!
  }

  /** DTMF must be negotiated. */
  dtmf(digits: string): void {
    this.#dtmf.add(digits)
  }

  /** Sends a frame, or keeps it until a packet is full. Returns the number of packets sent. */
  frame(pcm: Int16Array, nowMs: number): number {
    this.#resume(nowMs)
    if (this.#waiting === 0 && pcm.length === this.#pending.length) return this.#sendAudio(pcm)
    let sent = 0
    for (let at = 0; at < pcm.length;) {
      const count = Math.min(pcm.length - at, this.#pending.length - this.#waiting)
      for (let i = 0; i < count; i++) this.#pending[this.#waiting + i] = pcm[at + i]!
      at += count
      this.#waiting += count
      if (this.#waiting < this.#pending.length) break
      this.#waiting = 0
      sent += this.#sendAudio(this.#pending)
    }
    return sent
  }

  /** Forwards a packet of another leg with the same codec, audio or DTMF. Changes its bytes. */
  relay(packet: RtpPacket, nowMs: number): void {
    const size = packet.payloadEnd - packet.payloadStart
    if (size > maxPayloadBytes) return
    const { sequence, timestamp, ssrc, marker } = packet
    const known = continues(this.#rows, this.#row, sequence, ssrc | 0)
    if (!known) this.#align(sequence, timestamp, ssrc, nowMs)
    const bytesOut = inPlaceOrCopied(packet, size)
    if (renumber(this.#rows, this.#row, bytesOut, size, sequence, timestamp | 0, marker || !known, nowMs))
      this.#transmit(bytesOut, rtpHeaderBytes + size)
  }

  /** Maps the next packet of the other leg to our next sequence number. */
  #align(sequence: number, timestamp: number, ssrc: number, nowMs: number): void {
    this.#pauseEnds(nowMs)
    this.#set(leaving.relaying, 1)
    this.#set(leaving.relaySsrc, ssrc)
    this.#set(leaving.relaySpan, 0)
    this.#set(leaving.relayHighest, sequence - 1)
    this.#set(leaving.sequenceOffset, this.#get(leaving.sequence) - sequence)
    this.#set(leaving.timestampOffset, this.#get(leaving.timestamp) - timestamp)
  }

  #resume(nowMs: number): void {
    if (this.#get(leaving.relaying) === 1) {
      this.#set(leaving.relaying, 0)
      this.#marker = true
    }
    this.#pauseEnds(nowMs)
    this.#setTime(timing.dueMs, nowMs + this.#ptimeMs)
  }

  #pauseEnds(nowMs: number): void {
    const pause = nowMs - this.#rows.floats[this.#row * floatsPerRow + timing.dueMs]!
    if (pause < pauseMs) return
    if (this.packets > 0) this.#set(leaving.timestamp, this.#get(leaving.timestamp) + Math.round(pause * this.#ticksPerMs))
    this.#marker = true
    this.#waiting = 0
  }

  #sendAudio(pcm: Int16Array): number {
    const timestamp = this.#get(leaving.timestamp)
    if (this.#dtmf.busy && this.#dtmf.next(timestamp)) this.#sendKey(this.#dtmfPayloadType)
    else {
      const size = this.#codec.encode(pcm, bytes, rtpHeaderBytes)
      this.#write(this.#get(leaving.payloadType), this.#marker, timestamp, size)
      this.#marker = false
    }
    this.#set(leaving.sequence, (this.#get(leaving.sequence) + 1) & 0xffff)
    this.#set(leaving.timestamp, timestamp + this.#get(leaving.ticksPerPacket))
    return 1
  }

  #sendKey(payloadType: number): void {
    const { payload, marker, timestamp } = this.#dtmf
    bytes.set(payload, rtpHeaderBytes)
    this.#write(payloadType, marker, timestamp, payload.length)
  }

  #write(payloadType: number, marker: boolean, timestamp: number, size: number): void {
    writeRtpHeader(bytes, payloadType, marker, this.#get(leaving.sequence), timestamp, this.ssrc)
    count(this.#rows.ints, this.#row * intsPerRow, size)
    this.#transmit(bytes, rtpHeaderBytes + size)
  }

  #get(cell: number): number {
    return this.#rows.ints[this.#row * intsPerRow + cell]!
  }

  #set(cell: number, value: number): void {
    this.#rows.ints[this.#row * intsPerRow + cell] = value
  }

  #setTime(cell: number, value: number): void {
    this.#rows.floats[this.#row * floatsPerRow + cell] = value
  }
}

const count = (ints: Int32Array, at: number, size: number): void => {
  ints[at + leaving.packets]!++
  ints[at + leaving.octets]! += size
}

/** Whether a packet of this source has a position in the sequence of this row's leg, because earlier ones were forwarded there. */
export const continues = ({ ints }: Rows, row: number, sequence: number, ssrc: number): boolean => {
  const at = row * intsPerRow
  if (ints[at + leaving.relaying] === 0 || ints[at + leaving.relaySsrc] !== ssrc) return false
  const step = ((sequence - ints[at + leaving.relayHighest]!) << 16) >> 16
  return step < maxStep && step > -maxStep
}

/** Renumbers a continuing packet. False: its position is taken, and it must not be sent. */
export const renumber = (
  { ints, floats }: Rows,
  row: number,
  packet: Uint8Array,
  size: number,
  theirSequence: number,
  theirTimestamp: number,
  marker: boolean,
  nowMs: number,
): boolean => {
  const at = row * intsPerRow
  const step = ((theirSequence - ints[at + leaving.relayHighest]!) << 16) >> 16
  if (step <= 0 && (step === 0 || -step >= ints[at + leaving.relaySpan]!)) return false
  const sequence = (theirSequence + ints[at + leaving.sequenceOffset]!) & 0xffff
  const timestamp = (theirTimestamp + ints[at + leaving.timestampOffset]!) | 0
  writeRtpHeader(packet, ints[at + leaving.payloadType]!, marker, sequence, timestamp, ints[at + leaving.ssrc]!)
  count(ints, at, size)
  const clock = row * floatsPerRow
  floats[clock + timing.relayedMs] = nowMs
  if (step < 0) return true
  ints[at + leaving.relayHighest] = theirSequence
  ints[at + leaving.relaySpan] = Math.min(ints[at + leaving.relaySpan]! + step, maxStep)
  ints[at + leaving.sequence] = (sequence + 1) & 0xffff
  const next = (timestamp + ints[at + leaving.ticksPerPacket]!) | 0
  if (((next - ints[at + leaving.timestamp]!) | 0) > 0) ints[at + leaving.timestamp] = next
  floats[clock + timing.dueMs] = nowMs + floats[clock + timing.ptimeMs]!
  return true
}

/** A received packet can mostly be sent from its own memory, with another header. */
const inPlaceOrCopied = (packet: RtpPacket, size: number): Uint8Array => {
  const { bytes: received, payloadStart, payloadEnd } = packet
  if (payloadStart === rtpHeaderBytes && received.length >= payloadEnd + srtpOverhead) return received
  for (let i = 0; i < size; i++) bytes[rtpHeaderBytes + i] = received[payloadStart + i]!
  return bytes
}
