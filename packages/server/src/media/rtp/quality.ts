import type { StreamQuality, LossStretch, SoundState } from '../engine.ts'

/** Rating without loss and delay (ITU-T G.107 with its default values). */
const best = 93.2
/**
 * Loss robustness of G.711 with concealment (ITU-T G.113 appendix I). All of our codecs conceal, so one value is enough for an estimate.
 */
const robustness = 25.1
/** Packets of 20 ms, and a jitter buffer of at least the same length. */
const packetMs = 20
const minBufferMs = 20
/** Milliseconds above which delay disturbs a conversation (G.107, simplified). */
const noticedMs = 177.3

type Rated = Pick<StreamQuality, 'packetsReceived' | 'packetsLost' | 'jitterMs' | 'roundTripMs'>

/** Mean opinion score, 1 to 4.5: an estimate by the E-model. */
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

/** The length of a caller's short answer. */
const stretchMs = 3_000
/** Half a second of sound: with fewer packets a single loss would be a large share. */
const minPackets = 25

/** Finds the few seconds with the highest loss. It uses existing counters, so packets cost no more. */
export class WorstStretch {
  #found: LossStretch | undefined
  #since: { ms: number; received: number; lost: number } | undefined

  get found(): LossStretch | undefined {
    return this.#found
  }

  /** Called several times a second with the current counters. Loss is only known when another packet follows. */
  look(nowMs: number, received: number, lost: number): void {
    const since = (this.#since ??= { ms: nowMs, received, lost })
    if (nowMs - since.ms >= stretchMs && received > since.received) this.end(nowMs, received, lost)
  }

  /** Ends the current stretch, even a short one. */
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

/** Packet counts so far. */
export interface SoundCounts {
  heard: number
  /** Packets of the negotiated type from an unknown source. */
  unknownSources: number
  /** Packets from the right sender, but not of the negotiated type. */
  unreadable: number
}

/** Phones take a while to start. */
const silenceAfterMs = 3_000
/** Some phones send no audio in silence, but continue to send reports. */
const stoppedAfterMs = 10_000
/** Half a second of sound: less may be the rest of another call. */
const fewPackets = 25
/** Reports in a row; the first may predate the arrival of our packets. */
const reportsWithoutUs = 3

/** Detects that the far end is not heard, and reports it once. */
export class SoundWatch {
  readonly #notify: (state: SoundState) => void
  #started: { atMs: number; counts: SoundCounts } | undefined
  #last: { atMs: number; heard: number } | undefined
  #told: SoundState | undefined
  #silentReports = 0

  constructor(notify: (state: SoundState) => void) {
    this.#notify = notify
  }

  /** Sets whether sound is expected. */
  expect(value: boolean, nowMs: number, counts: SoundCounts): void {
    if (!value) this.#started = undefined
    else if (!this.#started) {
      this.#started = { atMs: nowMs, counts }
      this.#last = undefined
      this.#told = undefined
    }
  }

  /** Called several times a second. `aliveMs`: time of the last report. */
  look(nowMs: number, counts: SoundCounts, aliveMs: number): void {
    const began = this.#started
    if (!began) return
    if (counts.heard > (this.#last?.heard ?? began.counts.heard)) return this.#hears(nowMs, counts.heard)
    const last = this.#last
    const silent = last ? nowMs - Math.max(last.atMs, aliveMs) >= stoppedAfterMs : nowMs - began.atMs >= silenceAfterMs
    if (silent) this.#say(why(counts, began.counts) ?? (last ? 'stopped' : 'nothing'))
  }

  /** The far end reported whether it receives our packets. */
  reported(ofUs: boolean): void {
    this.#silentReports = ofUs ? 0 : this.#silentReports + 1
    if (this.#silentReports === reportsWithoutUs) this.#notify('unheard')
  }

  #hears(nowMs: number, heard: number): void {
    this.#last = { atMs: nowMs, heard }
    if (this.#told !== undefined) this.#say('heard')
  }

  #say(state: SoundState): void {
    if (state === this.#told) return
    this.#told = state === 'heard' ? undefined : state
    this.#notify(state)
  }
}

const why = (now: SoundCounts, before: SoundCounts): SoundState | undefined => {
  if (now.unknownSources - before.unknownSources >= fewPackets) return 'unknown_source'
  return now.unreadable - before.unreadable >= fewPackets ? 'unknown_format' : undefined
}
