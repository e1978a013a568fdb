import type { LossStretch } from '../engine.ts'

/** As long as a short answer of a caller. */
const stretchMs = 3_000
/** Half a second of sound: of fewer packets one alone would be a lot. */
const minPackets = 25

/** Finds the few seconds in which most packets got lost. It looks at what is counted anyway: a packet costs nothing more. */
export class WorstStretch {
  #found: LossStretch | undefined
  #since: { ms: number; received: number; lost: number } | undefined

  get found(): LossStretch | undefined {
    return this.#found
  }

  /** Called several times a second, with what was counted until now. That packets are missing is only known when one follows. */
  look(nowMs: number, received: number, lost: number): void {
    const since = (this.#since ??= { ms: nowMs, received, lost })
    if (nowMs - since.ms >= stretchMs && received > since.received) this.end(nowMs, received, lost)
  }

  /** Also of what was too short for a whole one. */
  end(nowMs: number, received: number, lost: number): void {
    const since = this.#since
    this.#since = { ms: nowMs, received, lost }
    if (!since) return
    const missing = lost - since.lost
    const expected = received - since.received + missing
    if (expected < minPackets || missing <= 0) return
    const lossPercent = Math.min(100, (missing * 100) / expected)
    if (lossPercent <= (this.#found?.lossPercent ?? 0)) return
    this.#found = { at: Math.round(performance.timeOrigin + since.ms), durationMs: Math.round(nowMs - since.ms), lossPercent }
  }
}
