import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store/index.ts'
import type { Trunk } from '../ports/store/trunks.ts'
import type { LegEnd, Telephony } from '../ports/telephony.ts'

/** Which carrier takes a call: the first by priority that works and has room. */
export class TrunkChoice {
  readonly #store: Store
  readonly #telephony: Telephony
  readonly #clock: Clock
  /** When the latest calls over a trunk began. */
  readonly #started = new Map<string, number[]>()

  constructor(store: Store, telephony: Telephony, clock: Clock) {
    this.#store = store
    this.#telephony = telephony
    this.#clock = clock
  }

  /** In the order in which they are to be tried. The rescue services are tried over every one, those that seem to work first. */
  async candidates({ emergency }: { emergency: boolean }): Promise<Trunk[]> {
    const trunks = (await this.#store.read.trunks.list())
      .filter(({ active }) => active)
      .toSorted((a, b) => a.settings.priority - b.settings.priority)
    const usable = (trunk: Trunk): boolean => this.#telephony.trunkHealth(trunk.id).usable
    if (!emergency) return trunks.filter(usable)
    return [...trunks.filter(usable), ...trunks.filter((trunk) => !usable(trunk))]
  }

  /** Whether one more call may begin on it now; then it counts. */
  take({ id, settings }: Trunk, { emergency }: { emergency: boolean }): boolean {
    const now = this.#clock.now()
    const latest = (this.#started.get(id) ?? []).filter((at) => at > now - 1000)
    const full = this.#telephony.trunkHealth(id).calls >= settings.maxCalls || latest.length >= settings.callsPerSecond
    if (full && !emergency) return false
    this.#started.set(id, [...latest, now])
    return true
  }
}

/** The carrier could not even try: another one may. What the called party or its network said is final. */
export const mayTryAnother = ({ by, cause, status = 0 }: LegEnd): boolean =>
  by === 'network' || cause === 'failed' || cause === 'overloaded' || (cause === 'unavailable' && status >= 500)
