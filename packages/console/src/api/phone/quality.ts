/** Audio quality of a call at this page. */
export interface Quality {
  lossPct: number
  jitterMs: number
  rttMs?: number
  /** Milliseconds without packets, or without sound, from the other side. */
  silentMs: number
}

/** Counters of a connection at a moment. */
export interface Counts {
  at: number
  received: number
  lost: number
  jitterMs: number
  rttMs?: number
  /** Total energy of the received audio, monotonic. */
  energy: number
}

interface Stats {
  type: string
  kind?: string
  packetsReceived?: number
  packetsLost?: number
  jitter?: number
  totalAudioEnergy?: number
  nominated?: boolean
  currentRoundTripTime?: number
}

/** From the result of `RTCPeerConnection.getStats`. */
export const countsOf = (report: Iterable<Stats>, at: number): Counts => {
  const all = [...report]
  const sound = all.find(({ type, kind }) => type === 'inbound-rtp' && kind === 'audio')
  const way = all.find(({ type, nominated }) => type === 'candidate-pair' && nominated === true)
  return {
    at,
    received: sound?.packetsReceived ?? 0,
    lost: Math.max(0, sound?.packetsLost ?? 0),
    jitterMs: (sound?.jitter ?? 0) * 1000,
    ...(way?.currentRoundTripTime !== undefined && { rttMs: way.currentRoundTripTime * 1000 }),
    energy: sound?.totalAudioEnergy ?? 0,
  }
}

/** Below this it is rounding noise, not a room with a person in it. */
const audible = 1e-6

/**
 * Between two samples. Before the first sound, silence counts as missing audio: the other side's microphone may be off. Afterwards only
 * missing packets do, since people do keep quiet.
 */
export const qualityBetween = (before: Counts, now: Counts, silentBefore: number): Quality => {
  const received = now.received - before.received
  const lost = Math.max(0, now.lost - before.lost)
  const comes = received > 0 && now.energy > audible
  return {
    lossPct: received + lost === 0 ? 0 : (lost / (received + lost)) * 100,
    jitterMs: now.jitterMs,
    ...(now.rttMs !== undefined && { rttMs: now.rttMs }),
    silentMs: comes ? 0 : silentBefore + now.at - before.at,
  }
}

const longSilenceMs = 3_000

export const isSilent = ({ silentMs }: Quality): boolean => silentMs > longSilenceMs

/** One grade, by what people notice: gaps first, then delay. */
export const gradeOf = ({ lossPct, jitterMs, rttMs = 0 }: Quality): 'good' | 'fair' | 'poor' => {
  if (lossPct > 8 || jitterMs > 100 || rttMs > 600) return 'poor'
  return lossPct > 2 || jitterMs > 40 || rttMs > 300 ? 'fair' : 'good'
}
