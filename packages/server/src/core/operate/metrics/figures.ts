import type { SavedFigures, SavedTrunk } from '#core/kernel/ports/store/operate.ts'
import { Durations } from './durations.ts'
import type { TrunkCallEnd } from '#core/kernel/ports/calls.ts'
import type { Cause } from '#core/kernel/ports/telephony.ts'

const counted = ['callsStarted', 'callsAnswered', 'callsFailed', 'endpointFailures', 'httpFailures'] as const
const timed = ['setUp', 'turn', 'endpoint', 'http'] as const

/** Figures of one time span. */
export class Figures {
  callsStarted = 0
  callsAnswered = 0
  callsFailed = 0
  callsRunning = 0
  endpointFailures = 0
  httpFailures = 0
  readonly setUp = new Durations()
  readonly turn = new Durations()
  readonly endpoint = new Durations()
  readonly http = new Durations()
  readonly trunks = new TrunkFigures()

  /** Adds the figures of another process for the same span. */
  merge(other: SavedFigures): void {
    for (const name of counted) this[name] += other[name]
    this.callsRunning += other.callsRunning
    for (const name of timed) this[name].merge(other[name])
    this.trunks.append(other.trunks ?? {})
  }

  /** Adds the figures of all processes for another span. */
  append(other: Figures): void {
    for (const name of counted) this[name] += other[name]
    this.callsRunning = Math.max(this.callsRunning, other.callsRunning)
    for (const name of timed) this[name].append(other[name])
    this.trunks.append(other.trunks.saved())
  }

  saved(): SavedFigures {
    const { callsStarted, callsAnswered, callsFailed, callsRunning, endpointFailures, httpFailures } = this
    return {
      callsStarted,
      callsAnswered,
      callsFailed,
      callsRunning,
      endpointFailures,
      httpFailures,
      setUp: this.setUp.saved(),
      turn: this.turn.saved(),
      endpoint: this.endpoint.saved(),
      http: this.http.saved(),
      ...(this.trunks.entries.length > 0 && { trunks: this.trunks.saved() }),
    }
  }
}

/** Causes for which the carrier or its route is to blame, not the callee. */
const faults: ReadonlySet<Cause> = new Set<Cause>([
  'unavailable',
  'unreachable',
  'forbidden',
  'payment_required',
  'not_acceptable',
  'media_timeout',
  'overloaded',
  'failed',
])

const none: SavedTrunk = {
  incoming: 0,
  outgoing: 0,
  answered: 0,
  failed: 0,
  packets: 0,
  lost: 0,
  jitterMs: 0,
}

/** Call figures per trunk for one time span. */
class TrunkFigures {
  readonly #trunks = new Map<string, SavedTrunk>()

  get entries(): [trunkId: string, figures: SavedTrunk][] {
    return [...this.#trunks]
  }

  add({ trunkId, direction, answered, cause, quality }: TrunkCallEnd): void {
    const { packetsReceived: received = 0, packetsLost: lost = 0, jitterMs = 0 } = quality ?? {}
    this.#merge(trunkId, {
      incoming: direction === 'incoming' ? 1 : 0,
      outgoing: direction === 'outgoing' ? 1 : 0,
      answered: answered ? 1 : 0,
      failed: faults.has(cause) ? 1 : 0,
      packets: received + lost,
      lost,
      jitterMs,
    })
  }

  append(others: Readonly<Record<string, SavedTrunk>>): void {
    for (const [trunkId, other] of Object.entries(others)) this.#merge(trunkId, other)
  }

  saved(): Record<string, SavedTrunk> {
    return Object.fromEntries(this.#trunks)
  }

  #merge(trunkId: string, other: SavedTrunk): void {
    const known = this.#trunks.get(trunkId) ?? none
    const packets = known.packets + other.packets
    this.#trunks.set(trunkId, {
      incoming: known.incoming + other.incoming,
      outgoing: known.outgoing + other.outgoing,
      answered: known.answered + other.answered,
      failed: known.failed + other.failed,
      packets,
      lost: known.lost + other.lost,
      jitterMs: packets === 0 ? 0 : (known.jitterMs * known.packets + other.jitterMs * other.packets) / packets,
    })
  }
}
