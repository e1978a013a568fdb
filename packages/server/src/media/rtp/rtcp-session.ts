import type { Reception } from './reception.ts'
import { ntpMiddle, parseRtcp, roundTripMs, writeRtcp, type ReportBlock } from './rtcp.ts'
import type { Sender } from './sender.ts'

const intervalMs = 5_000
const maxPacketBytes = 256

/** What both ends tell each other about quality, RFC 3550 §6. Reports leave every five seconds, never all streams at once. */
export class RtcpSession {
  /** To the far end and back, as it says. */
  roundTripMs: number | undefined
  /** How much of what we sent did not arrive there, as it says. */
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

  /** Undefined for what is no report; `ofUs`: the far end receives something of ours. */
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

/** RFC 3550 §6.2: between half and one and a half of it. */
const randomInterval = (): number => intervalMs * (0.5 + Math.random())
