/** How a call sounds here. */
export interface Quality {
  lossPct: number
  jitterMs: number
  rttMs?: number
  /** For how long nothing has come from the other side. */
  silentMs: number
}

/** What a connection has counted at a moment. */
export interface Counts {
  at: number
  received: number
  lost: number
  jitterMs: number
  rttMs?: number
  /** Of all sound that came, ever more. */
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

/** From what `RTCPeerConnection.getStats` gives. */
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

/** Below this it is the noise of rounding, and not a room with a person in it. */
const audible = 1e-6

/**
 * Between two looks. Until something was heard, silence counts as nothing coming: the other side's microphone may be off. Afterwards only missing
 * packets do, since people do keep quiet.
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

/** In one word, by what people notice: gaps first, then delay. */
export const gradeOf = ({ lossPct, jitterMs, rttMs = 0 }: Quality): 'good' | 'fair' | 'poor' => {
  if (lossPct > 8 || jitterMs > 100 || rttMs > 600) return 'poor'
  return lossPct > 2 || jitterMs > 40 || rttMs > 300 ? 'fair' : 'good'
}
