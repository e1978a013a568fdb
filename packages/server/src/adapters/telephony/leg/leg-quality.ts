import type { LegQuality } from '#core/kernel/ports/audio.ts'
import type { StreamQuality } from '#media/engine.ts'

/** Undefined when no packet came. */
export const legQuality = (stream: StreamQuality): LegQuality | undefined => {
  const { packetsReceived, packetsLost, jitterMs, roundTripMs, worst, reportedLossPercent } = stream
  if (packetsReceived === 0) return undefined
  return {
    packetsReceived,
    packetsLost,
    jitterMs: tenths(jitterMs),
    ...(roundTripMs !== undefined && { roundTripMs: tenths(roundTripMs) }),
    ...(worst && { worst: { ...worst, lossPercent: tenths(worst.lossPercent) } }),
    ...(reportedLossPercent !== undefined && { reported: { lossPercent: tenths(reportedLossPercent) } }),
  }
}

const tenths = (value: number): number => Math.round(value * 10) / 10
