import type { StreamQuality } from '../engine.ts'

/** The rating without any loss and delay (ITU-T G.107 with its default values). */
const best = 93.2
/** How well loss is hidden: G.711 with concealment (ITU-T G.113 appendix I). Our codecs are all concealed, so one value does for an estimate. */
const robustness = 25.1
/** Packets of 20 ms, and a jitter buffer that holds at least as much. */
const packetMs = 20
const minBufferMs = 20
/** From here on delay disturbs a conversation (G.107, simplified). */
const noticedMs = 177.3

type Rated = Pick<StreamQuality, 'packetsReceived' | 'packetsLost' | 'jitterMs' | 'roundTripMs'>

/** How well a person would say the far end was heard, 1 to 4.5 (mean opinion score): an estimate by the E-model. */
export const meanOpinionScore = ({ packetsReceived, packetsLost, jitterMs, roundTripMs = 0 }: Rated): number => {
  const percentLost = (100 * packetsLost) / Math.max(1, packetsReceived + packetsLost)
  const delayMs = roundTripMs / 2 + packetMs + Math.max(minBufferMs, 2 * jitterMs)
  const byDelay = 0.024 * delayMs + 0.11 * Math.max(0, delayMs - noticedMs)
  const byLoss = (95 * percentLost) / (percentLost + robustness)
  return opinionOf(best - byDelay - byLoss)
}

/** G.107 annex B. */
const opinionOf = (rating: number): number => {
  if (rating <= 0) return 1
  return rating >= 100 ? 4.5 : 1 + 0.035 * rating + rating * (rating - 60) * (100 - rating) * 7e-6
}
