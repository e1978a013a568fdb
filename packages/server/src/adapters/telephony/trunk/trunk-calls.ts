import type { Clock } from '#core/kernel/ports/clock.ts'
import type { TrunkSettings } from '#core/kernel/ports/store/operate/trunks.ts'
import type { SharedState } from '#core/kernel/shared-state/shared-state.ts'
import type { SpentTokens } from '#core/kernel/shared-state/spent-tokens.ts'
import { TokenBucket, type TokenRate } from '#core/kernel/token-bucket.ts'

export type AgreedCalls = Pick<TrunkSettings, 'maxCalls' | 'strictMaxCalls' | 'callsPerSecond'>

export type Direction = 'incoming' | 'outgoing'

interface Counted {
  calls: number
  perSecond: number
  buckets: Record<Direction, TokenBucket>
}

/** A carrier may bring several customers' calls in one moment; we never start more than the agreed number. */
const BURST: Readonly<Record<Direction, number>> = { incoming: 10, outgoing: 1 }

/** How all processes count together. */
export interface SharedTrunkCalls {
  /** Running ones, by trunk. */
  calls: Pick<SharedState<number>, 'set' | 'others'>
  /** How many processes there are, and which of them this one is, from 0. */
  place(): { of: number; at: number }
  /** `spend` is told of calls that others began, by trunk and direction. */
  begun(spend: (key: string, calls: number) => void): Pick<SpentTokens, 'took'>
}

/** Counts the calls over each trunk and holds them to what was agreed with the carrier. */
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

  /** At all processes; those elsewhere as of a moment ago. */
  running(trunkId: string): number {
    const elsewhere = this.#shared?.calls.others(trunkId) ?? []
    return elsewhere.reduce((sum, calls) => sum + calls, this.#trunks.get(trunkId)?.calls ?? 0)
  }

  /** Gives what ends the call, or nothing when it is one too many. Calls to the rescue services are never too many. */
  begin(
    trunkId: string,
    { maxCalls, strictMaxCalls = false, callsPerSecond }: AgreedCalls,
    { direction, emergency = false }: { direction: Direction; emergency?: boolean },
  ): (() => void) | undefined {
    const counted = this.#counted(trunkId, callsPerSecond)
    const inTime = counted.buckets[direction].take(rateOf(direction, callsPerSecond), this.#clock.now())
    const full = this.running(trunkId) >= maxCalls || (strictMaxCalls && counted.calls >= this.#shareOf(maxCalls))
    if (!emergency && (!inTime || full)) return undefined
    this.#started?.took(`${direction} ${trunkId}`)
    this.#count(trunkId, counted, 1)
    let running = true
    return () => {
      if (running) this.#count(trunkId, counted, -1)
      running = false
    }
  }

  /** What others begin at this moment is not known yet: who keeps to its share is right nevertheless. */
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
