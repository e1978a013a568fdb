import type { TrunkCallEnd } from '#core/kernel/ports/trunk-states.ts'
import type { Cause } from '#core/kernel/ports/telephony.ts'
import type { SavedTrunk } from '#core/kernel/ports/store/operate/metrics.ts'

/** Ends for which the carrier or the way to it is to blame, and not the person who was called. */
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

/** How calls over each trunk went, in one stretch of time. */
export class TrunkFigures {
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
