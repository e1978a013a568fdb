import type { Clock } from '#core/kernel/ports/platform.ts'
import type { TrunkSettings } from '#core/kernel/ports/store/operate.ts'
import type { SharedState } from '#core/kernel/shared-state/shared-state.ts'
import type { SpentTokens } from '#core/kernel/shared-state/spent-tokens.ts'
import { TokenBucket, type TokenRate } from '#core/kernel/token-bucket.ts'

type AgreedCalls = Pick<TrunkSettings, 'maxCalls' | 'strictMaxCalls' | 'callsPerSecond'>

export type Direction = 'incoming' | 'outgoing'

interface Counted {
  calls: number
  perSecond: number
  buckets: Record<Direction, TokenBucket>
}

/** A carrier may bring several customers' calls together; we never start more than the agreed number. */
const BURST: Readonly<Record<Direction, number>> = { incoming: 10, outgoing: 1 }

/** Shared counting of all nodes. */
export interface SharedTrunkCalls {
  /** Running calls by trunk. */
  calls: Pick<SharedState<number>, 'set' | 'others'>
  /** Number of nodes, and the index of this one, from 0. */
  place(): { of: number; at: number }
  /** `spend` is called for calls started by others, by trunk and direction. */
  begun(spend: (key: string, calls: number) => void): Pick<SpentTokens, 'took'>
}

/** Counts the calls of each trunk and enforces the agreement with the carrier. */
export class TrunkCalls {
  readonly #clock: Clock
  readonly #shared: Pick<SharedTrunkCalls, 'calls' | 'place'> | undefined
  readonly #started: Pick<SpentTokens, 'took'> | undefined
  readonly #trunks = new Map<string, Counted>()

  constructor(clock: Clock, shared?: SharedTrunkCalls) {
    this.#clock = clock
    this.#shared = shared
    this.#started = shared?.begun((key, calls) => this.#beganElsewhere(key, calls))
  }

  /** On all nodes; those of others as of a moment ago. */
  running(trunkId: string): number {
    const elsewhere = this.#shared?.calls.others(trunkId) ?? []
    return elsewhere.reduce((sum, calls) => sum + calls, this.#trunks.get(trunkId)?.calls ?? 0)
  }

  /** Whether `begin` would accept an inbound call now. Does not count it. */
  hasCapacity(trunkId: string, agreed: AgreedCalls): boolean {
    const { callsPerSecond } = agreed
    const counted = this.#counted(trunkId, callsPerSecond)
    return !this.#isFull(trunkId, counted, agreed) && counted.buckets.incoming.holds(rateOf('incoming', callsPerSecond), this.#clock.now())
  }

  /** Returns a function that ends the call, or undefined above the limit. Emergency calls are never limited. */
  begin(
    trunkId: string,
    agreed: AgreedCalls,
    { direction, emergency = false }: { direction: Direction; emergency?: boolean },
  ): (() => void) | undefined {
    const { callsPerSecond } = agreed
    const counted = this.#counted(trunkId, callsPerSecond)
    const inTime = counted.buckets[direction].take(rateOf(direction, callsPerSecond), this.#clock.now())
    if (!emergency && (!inTime || this.#isFull(trunkId, counted, agreed))) return undefined
    this.#started?.took(`${direction} ${trunkId}`)
    this.#count(trunkId, counted, 1)
    let running = true
    return () => {
      if (running) this.#count(trunkId, counted, -1)
      running = false
    }
  }

  #isFull(trunkId: string, counted: Counted, { maxCalls, strictMaxCalls = false }: AgreedCalls): boolean {
    return this.running(trunkId) >= maxCalls || (strictMaxCalls && counted.calls >= this.#shareOf(maxCalls))
  }

  /** Calls that others are just starting are still unknown: keeping to its own share is always safe. */
  #shareOf(maxCalls: number): number {
    const { of, at } = this.#shared?.place() ?? { of: 1, at: 0 }
    return Math.floor(maxCalls / of) + (at < maxCalls % of ? 1 : 0)
  }

  #count(trunkId: string, counted: Counted, change: 1 | -1): void {
    counted.calls += change
    this.#shared?.calls.set(trunkId, counted.calls === 0 ? undefined : counted.calls)
  }

  #beganElsewhere(key: string, calls: number): void {
    const [direction, trunkId] = key.split(' ') as [Direction, string]
    const counted = this.#trunks.get(trunkId)
    counted?.buckets[direction].spend(rateOf(direction, counted.perSecond), this.#clock.now(), calls)
  }

  #counted(trunkId: string, callsPerSecond: number): Counted {
    const known = this.#trunks.get(trunkId)
    if (known) return Object.assign(known, { perSecond: callsPerSecond })
    const full = (direction: Direction) => new TokenBucket(rateOf(direction, callsPerSecond), this.#clock.now())
    const fresh = { calls: 0, perSecond: callsPerSecond, buckets: { incoming: full('incoming'), outgoing: full('outgoing') } }
    this.#trunks.set(trunkId, fresh)
    return fresh
  }
}

const rateOf = (direction: Direction, perSecond: number): TokenRate => ({ burst: perSecond * BURST[direction], perSecond })
