import { randomBytes } from 'node:crypto'
import type { Codec } from '../codec/codec.ts'
import { DtmfSender } from '../dtmf/dtmf-events.ts'
import { rtpHeaderBytes, writeRtpHeader, type RtpPacket } from './rtp.ts'
import { srtpOverhead } from './srtp.ts'

/** Takes a packet in memory that is used again at once. */
export type Transmit = (bytes: Uint8Array, length: number) => void

export interface SendSettings {
  codec: Codec
  payloadType: number
  dtmfPayloadType: number | undefined
  ptimeMs: number
}

const largestPacket = 1500
/** With room for the header and an authentication tag. */
const largestPayload = 1400
/** After a pause of this length the far end must not wait for what was never sent. */
const pauseMs = 60
/** A step of the sequence beyond this is a new count, not loss. */
const largestStep = 3000

/** One for all senders of a thread: a packet is handed over before the next is made. */
const bytes = new Uint8Array(largestPacket)

const randomUint32 = (): number => randomBytes(4).readUInt32BE()

/**
 * One outgoing RTP source. Its sequence numbers and timestamps go on whatever it sends: frames of our own, keys, or the packets of another leg
 * that are passed on as they are.
 */
export class Sender {
  readonly ssrc = randomUint32()
  packets = 0
  octets = 0
  readonly #transmit: Transmit
  #codec: Codec
  #payloadType = 0
  /** -1: not agreed. */
  #dtmfPayloadType = -1
  #ptimeMs = 20
  #ticksPerMs = 8
  #ticksPerPacket = 160
  /** Of the next packet. */
  #sequence = randomUint32() & 0x7fff
  #timestamp = randomUint32()
  #marker = true
  #dueMs = 0
  /** Samples that wait until there are enough for a packet. */
  #pending: Int16Array
  #waiting = 0
  #dtmf: DtmfSender
  /** The leg whose packets are passed on, and where its count stands in ours. */
  #relaying = false
  #relaySsrc = 0
  #relayHighest = 0
  /** How far back its packets have a place of their own in our count. */
  #relaySpan = 0
  #sequenceOffset = 0
  #timestampOffset = 0
  #relayedMs = -Infinity

  constructor(settings: SendSettings, transmit: Transmit) {
    this.#transmit = transmit
    this.#codec = settings.codec
    this.#pending = new Int16Array(0)
    this.#dtmf = new DtmfSender(settings.codec.clockRate, settings.ptimeMs)
    this.configure(settings)
  }

  configure({ codec, payloadType, dtmfPayloadType, ptimeMs }: SendSettings): void {
    this.#codec = codec
    this.#payloadType = payloadType
    this.#dtmfPayloadType = dtmfPayloadType ?? -1
    this.#ptimeMs = ptimeMs
    this.#ticksPerMs = codec.clockRate / 1000
    this.#ticksPerPacket = this.#ticksPerMs * ptimeMs
    this.#pending = new Int16Array((codec.sampleRate * ptimeMs) / 1000)
    this.#waiting = 0
    this.#relaying = false
    if (!this.#dtmf.busy || dtmfPayloadType === undefined) this.#dtmf = new DtmfSender(codec.clockRate, ptimeMs)
  }

  /** Of the next packet of our own. */
  get timestamp(): number {
    return this.#timestamp >>> 0
  }

  get sendsDtmf(): boolean {
    return this.#dtmf.busy
  }

  /** When a packet was last passed on. */
  get relayedMs(): number {
    return this.#relayedMs
  }

  /** Keys have to be agreed. */
  dtmf(digits: string): void {
    this.#dtmf.add(digits)
  }

  /** Sends a frame, or keeps it until a packet is full. Gives how many packets went out. */
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

  /** Passes on a packet of another leg with the same codec, audio or a key. Its bytes are changed. */
  relay(packet: RtpPacket, nowMs: number): void {
    const size = packet.payloadEnd - packet.payloadStart
    if (size > largestPayload) return
    let step = ((packet.sequence - this.#relayHighest) << 16) >> 16
    const known = this.#relaying && packet.ssrc === this.#relaySsrc && step < largestStep && step > -largestStep
    if (!known) {
      this.#align(packet, nowMs)
      step = 1
    } else if (step <= 0 && (step === 0 || -step >= this.#relaySpan)) return // its place in our count is taken
    const sequence = (packet.sequence + this.#sequenceOffset) & 0xffff
    const timestamp = (packet.timestamp + this.#timestampOffset) | 0
    this.#write(inPlaceOrCopied(packet, size), this.#payloadType, packet.marker || !known, sequence, timestamp, size)
    this.#relayedMs = nowMs
    if (step > 0) this.#relayed(packet.sequence, step, sequence, timestamp)
  }

  #relayed(original: number, step: number, sequence: number, timestamp: number): void {
    this.#relayHighest = original
    this.#relaySpan = Math.min(this.#relaySpan + step, largestStep)
    this.#sequence = (sequence + 1) & 0xffff
    const next = (timestamp + this.#ticksPerPacket) | 0
    if (((next - this.#timestamp) | 0) > 0) this.#timestamp = next
    this.#dueMs = this.#relayedMs + this.#ptimeMs
  }

  #align(packet: RtpPacket, nowMs: number): void {
    this.#pauseEnds(nowMs)
    this.#relaying = true
    this.#relaySsrc = packet.ssrc
    this.#relaySpan = 0
    this.#sequenceOffset = this.#sequence - packet.sequence
    this.#timestampOffset = (this.#timestamp - packet.timestamp) | 0
  }

  #resume(nowMs: number): void {
    if (this.#relaying) {
      this.#relaying = false
      this.#marker = true
    }
    this.#pauseEnds(nowMs)
    this.#dueMs = nowMs + this.#ptimeMs
  }

  #pauseEnds(nowMs: number): void {
    const pause = nowMs - this.#dueMs
    if (pause < pauseMs) return
    if (this.packets > 0) this.#timestamp = (this.#timestamp + Math.round(pause * this.#ticksPerMs)) | 0
    this.#marker = true
    this.#waiting = 0
  }

  #sendAudio(pcm: Int16Array): number {
    if (this.#dtmf.busy && this.#dtmf.next(this.#timestamp)) this.#sendKey(this.#dtmfPayloadType)
    else {
      const size = this.#codec.encode(pcm, bytes, rtpHeaderBytes)
      this.#write(bytes, this.#payloadType, this.#marker, this.#sequence, this.#timestamp, size)
      this.#marker = false
    }
    this.#sequence = (this.#sequence + 1) & 0xffff
    this.#timestamp = (this.#timestamp + this.#ticksPerPacket) | 0
    return 1
  }

  #sendKey(payloadType: number): void {
    const { payload, marker, timestamp } = this.#dtmf
    bytes.set(payload, rtpHeaderBytes)
    this.#write(bytes, payloadType, marker, this.#sequence, timestamp, payload.length)
  }

  #write(into: Uint8Array, payloadType: number, marker: boolean, sequence: number, timestamp: number, size: number): void {
    writeRtpHeader(into, payloadType, marker, sequence, timestamp, this.ssrc)
    this.packets++
    this.octets += size
    this.#transmit(into, rtpHeaderBytes + size)
  }
}

/** Where a packet was received it can mostly be sent from too, under another header. */
const inPlaceOrCopied = (packet: RtpPacket, size: number): Uint8Array => {
  const { bytes: received, payloadStart, payloadEnd } = packet
  if (payloadStart === rtpHeaderBytes && received.length >= payloadEnd + srtpOverhead) return received
  for (let i = 0; i < size; i++) bytes[rtpHeaderBytes + i] = received[payloadStart + i]!
  return bytes
}
