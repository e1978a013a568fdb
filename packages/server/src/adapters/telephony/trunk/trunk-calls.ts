import type { Clock } from '#core/kernel/ports/clock.ts'
import type { TrunkSettings } from '#core/kernel/ports/store/operate/trunks.ts'
import { TokenBucket, type TokenRate } from '#core/kernel/token-bucket.ts'

export type Direction = 'incoming' | 'outgoing'

interface Counted {
  calls: number
  buckets: Record<Direction, TokenBucket>
}

/** A carrier may bring several customers' calls in one moment; we never start more than the agreed number. */
const BURST: Readonly<Record<Direction, number>> = { incoming: 10, outgoing: 1 }

/** Counts the calls over each trunk and holds them to what was agreed with the carrier. */
export class TrunkCalls {
  readonly #clock: Clock
  readonly #trunks = new Map<string, Counted>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  running(trunkId: string): number {
    return this.#trunks.get(trunkId)?.calls ?? 0
  }

  /** Gives what ends the call, or nothing when it is one too many. Calls to the rescue services are never too many. */
  begin(
    trunkId: string,
    { maxCalls, callsPerSecond }: Pick<TrunkSettings, 'maxCalls' | 'callsPerSecond'>,
    { direction, emergency = false }: { direction: Direction; emergency?: boolean },
  ): (() => void) | undefined {
    const counted = this.#counted(trunkId, callsPerSecond)
    const inTime = counted.buckets[direction].take(rateOf(direction, callsPerSecond), this.#clock.now())
    if (!emergency && (!inTime || counted.calls >= maxCalls)) return undefined
    counted.calls++
    let running = true
    return () => {
      if (running) counted.calls--
      running = false
    }
  }

  #counted(trunkId: string, callsPerSecond: number): Counted {
    const known = this.#trunks.get(trunkId)
    if (known) return known
    const full = (direction: Direction) => new TokenBucket(rateOf(direction, callsPerSecond), this.#clock.now())
    const fresh = { calls: 0, buckets: { incoming: full('incoming'), outgoing: full('outgoing') } }
    this.#trunks.set(trunkId, fresh)
    return fresh
  }
}

const rateOf = (direction: Direction, perSecond: number): TokenRate => ({ burst: perSecond * BURST[direction], perSecond })
