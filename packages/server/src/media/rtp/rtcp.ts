import { readUint32, writeUint32 } from './rtp.ts'
import type { Reception } from './reception.ts'
import type { Sender } from './sender.ts'

/** RFC 3550 §6.4: reception report of one source. */
export interface ReportBlock {
  ssrc: number
  /** 256ths, since the last report. */
  fractionLost: number
  lost: number
  highestSequence: number
  jitter: number
  /** Middle 32 bits of the NTP time of the last sender report, 0 for none. */
  lastReport: number
  /** Time since then, in 65536ths of a second. */
  sinceLastReport: number
}

interface SenderInfo {
  /** Milliseconds since 1970. */
  unixMs: number
  timestamp: number
  packets: number
  octets: number
}

export interface Report {
  ssrc: number
  /** Only from a side that sends audio. */
  sender: SenderInfo | undefined
  blocks: ReportBlock[]
}

export interface Rtcp {
  reports: Report[]
  /** Sources that sent BYE. */
  goodbyes: number[]
  /** Canonical names by source. */
  names: Map<number, string>
}

const senderReport = 200
const receiverReport = 201
const sourceDescription = 202
const goodbye = 203
const cname = 1
/** Seconds from 1900 to 1970. */
const ntpOffset = 2_208_988_800
const blockBytes = 24
const maxNameLength = 255

/** The middle 32 bits of an NTP time, as in `lastReport`. */
export const ntpMiddle = (unixMs: number): number => (Math.floor(unixMs * 65.536) + (ntpOffset % 65_536) * 65_536) >>> 0

/** Round trip; undefined before the far end has answered one of our reports. */
export const roundTripMs = (block: ReportBlock, nowUnixMs: number): number | undefined => {
  if (block.lastReport === 0) return undefined
  const trip = (ntpMiddle(nowUnixMs) - block.lastReport - block.sinceLastReport) | 0
  return trip < 0 ? undefined : trip / 65.536
}

/** Writes a compound packet: report, CNAME, and BYE if it is the last. Returns its length. */
export const writeRtcp = (into: Uint8Array, report: Report, name: string, last = false): number => {
  let at = writeReport(into, report)
  at = writeName(into, at, report.ssrc, name)
  if (!last) return at
  writeHeader(into, at, 1, goodbye, 8)
  writeUint32(into, at + 4, report.ssrc)
  return at + 8
}

const writeHeader = (into: Uint8Array, at: number, count: number, type: number, bytes: number): void => {
  into[at] = 0x80 | count
  into[at + 1] = type
  into[at + 2] = (bytes / 4 - 1) >> 8
  into[at + 3] = bytes / 4 - 1
}

const writeReport = (into: Uint8Array, { ssrc, sender, blocks }: Report): number => {
  const length = (sender ? 28 : 8) + blocks.length * blockBytes
  writeHeader(into, 0, blocks.length, sender ? senderReport : receiverReport, length)
  writeUint32(into, 4, ssrc)
  if (sender) {
    writeUint32(into, 8, Math.floor(sender.unixMs / 1000) + ntpOffset)
    writeUint32(into, 12, Math.floor(((sender.unixMs % 1000) / 1000) * 2 ** 32))
    writeUint32(into, 16, sender.timestamp)
    writeUint32(into, 20, sender.packets)
    writeUint32(into, 24, sender.octets)
  }
  blocks.forEach((block, index) => writeBlock(into, (sender ? 28 : 8) + index * blockBytes, block))
  return length
}

const writeBlock = (into: Uint8Array, at: number, block: ReportBlock): void => {
  writeUint32(into, at, block.ssrc)
  const lost = Math.max(-0x800000, Math.min(0x7fffff, block.lost))
  writeUint32(into, at + 4, (block.fractionLost << 24) | (lost & 0xffffff))
  writeUint32(into, at + 8, block.highestSequence)
  writeUint32(into, at + 12, Math.round(block.jitter))
  writeUint32(into, at + 16, block.lastReport)
  writeUint32(into, at + 20, block.sinceLastReport)
}

const writeName = (into: Uint8Array, at: number, ssrc: number, name: string): number => {
  const { written } = new TextEncoder().encodeInto(name, into.subarray(at + 10, at + 10 + maxNameLength))
  const length = Math.ceil((10 + written + 1) / 4) * 4
  into.fill(0, at + 10 + written, at + length)
  writeHeader(into, at, 1, sourceDescription, length)
  writeUint32(into, at + 4, ssrc)
  into[at + 8] = cname
  into[at + 9] = written
  return at + length
}

/** Reads known packets and skips the rest; stops at the first one that does not fit. */
export const parseRtcp = (bytes: Uint8Array, length: number): Rtcp => {
  const rtcp: Rtcp = { reports: [], goodbyes: [], names: new Map() }
  let at = 0
  while (at + 8 <= Math.min(length, bytes.length) && bytes[at]! >> 6 === 2) {
    const end = at + (((bytes[at + 2]! << 8) | bytes[at + 3]!) + 1) * 4
    if (end > length || end < at + 8) break
    readOne(bytes, at, end, rtcp)
    at = end
  }
  return rtcp
}

const readOne = (bytes: Uint8Array, at: number, end: number, rtcp: Rtcp): void => {
  const count = bytes[at]! & 31
  const type = bytes[at + 1]!
  if (type === senderReport || type === receiverReport) {
    const report = readReport(bytes, at, end, count, type === senderReport)
    if (report) rtcp.reports.push(report)
  } else if (type === sourceDescription) readNames(bytes, at + 4, end, count, rtcp.names)
  else if (type === goodbye) for (let i = 0; i < count && at + 8 + 4 * i <= end; i++) rtcp.goodbyes.push(readUint32(bytes, at + 4 + 4 * i))
}

const readReport = (bytes: Uint8Array, at: number, end: number, count: number, fromSender: boolean): Report | undefined => {
  const start = at + (fromSender ? 28 : 8)
  if (start + count * blockBytes > end) return undefined
  return {
    ssrc: readUint32(bytes, at + 4),
    sender: fromSender ? readSender(bytes, at) : undefined,
    blocks: Array.from({ length: count }, (_, index) => readBlock(bytes, start + index * blockBytes)),
  }
}

const readSender = (bytes: Uint8Array, at: number): SenderInfo => ({
  unixMs: (readUint32(bytes, at + 8) - ntpOffset) * 1000 + (readUint32(bytes, at + 12) / 2 ** 32) * 1000,
  timestamp: readUint32(bytes, at + 16),
  packets: readUint32(bytes, at + 20),
  octets: readUint32(bytes, at + 24),
})

const readBlock = (bytes: Uint8Array, at: number): ReportBlock => ({
  ssrc: readUint32(bytes, at),
  fractionLost: bytes[at + 4]!,
  lost: (readUint32(bytes, at + 4) << 8) >> 8,
  highestSequence: readUint32(bytes, at + 8),
  jitter: readUint32(bytes, at + 12),
  lastReport: readUint32(bytes, at + 16),
  sinceLastReport: readUint32(bytes, at + 20),
})

const readNames = (bytes: Uint8Array, from: number, end: number, count: number, names: Map<number, string>): void => {
  let at = from
  for (let chunk = 0; chunk < count && at + 4 <= end; chunk++) {
    const ssrc = readUint32(bytes, at)
    at += 4
    while (at + 2 <= end && bytes[at] !== 0) {
      const next = at + 2 + bytes[at + 1]!
      if (next > end) return
      if (bytes[at] === cname) names.set(ssrc, new TextDecoder().decode(bytes.subarray(at + 2, next)))
      at = next
    }
    at = from + Math.ceil((at + 1 - from) / 4) * 4
  }
}

const intervalMs = 5_000
const maxPacketBytes = 256

/** RTCP of one stream, RFC 3550 §6. Reports are sent every five seconds, never for all streams at the same time. */
export class RtcpSession {
  /** Round trip by the far end's reports. */
  roundTripMs: number | undefined
  /** Share of our packets that the far end reports as lost. */
  reportedLossPercent: number | undefined
  readonly #name: string
  readonly #transmit: (bytes: Uint8Array, length: number) => void
  readonly #bytes = new Uint8Array(maxPacketBytes)
  #dueMs: number
  #packetsAtReport = 0
  #senderReport = 0
  #senderReportMs = 0

  constructor(name: string, nowMs: number, transmit: (bytes: Uint8Array, length: number) => void) {
    this.#name = name
    this.#transmit = transmit
    this.#dueMs = nowMs + randomInterval()
  }

  tick(nowMs: number, sender: Sender, reception: Reception): void {
    if (nowMs < this.#dueMs) return
    this.#dueMs = nowMs + randomInterval()
    this.#send(nowMs, sender, reception, false)
  }

  goodbye(nowMs: number, sender: Sender, reception: Reception): void {
    this.#send(nowMs, sender, reception, true)
  }

  /** Undefined if it is not a report; `ofUs`: the far end receives our packets. */
  receive(bytes: Uint8Array, length: number, nowMs: number, us: Pick<Sender, 'ssrc' | 'packets'>): { ofUs: boolean } | undefined {
    const unixMs = performance.timeOrigin + nowMs
    const { reports } = parseRtcp(bytes, length)
    for (const { sender, blocks } of reports) {
      if (sender) {
        this.#senderReport = ntpMiddle(sender.unixMs)
        this.#senderReportMs = nowMs
      }
      const ours = blocks.find((block) => block.ssrc === us.ssrc)
      if (!ours) continue
      this.roundTripMs = roundTripMs(ours, unixMs) ?? this.roundTripMs
      if (us.packets > 0) this.reportedLossPercent = Math.max(0, Math.min(100, (ours.lost * 100) / us.packets))
    }
    return reports.length === 0 ? undefined : { ofUs: reports.some(({ blocks }) => blocks.some(({ ssrc }) => ssrc === us.ssrc)) }
  }

  #send(nowMs: number, sender: Sender, reception: Reception, last: boolean): void {
    const { packets, octets, timestamp } = sender
    const unixMs = performance.timeOrigin + nowMs
    const info = packets > this.#packetsAtReport ? { unixMs, timestamp, packets, octets } : undefined
    this.#packetsAtReport = packets
    const blocks = reception.packets > 0 ? [this.#block(nowMs, reception)] : []
    this.#transmit(this.#bytes, writeRtcp(this.#bytes, { ssrc: sender.ssrc, sender: info, blocks }, this.#name, last))
  }

  #block(nowMs: number, reception: Reception): ReportBlock {
    return {
      ssrc: reception.ssrc,
      fractionLost: reception.takeFractionLost(),
      lost: reception.lost,
      highestSequence: reception.highestSequence,
      jitter: reception.jitter,
      lastReport: this.#senderReport,
      sinceLastReport: this.#senderReport === 0 ? 0 : Math.round((nowMs - this.#senderReportMs) * 65.536),
    }
  }
}

/** RFC 3550 §6.2: 0.5 to 1.5 times the interval. */
const randomInterval = (): number => intervalMs * (0.5 + Math.random())
