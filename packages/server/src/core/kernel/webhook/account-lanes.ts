import type { Clock } from '../ports/platform.ts'
import { EndpointUnavailable } from '../ports/assistant.ts'

interface LaneLimits {
  concurrency: number
  waiting: number
}

const defaultLimits: LaneLimits = { concurrency: 50, waiting: 1_000 }

interface Waiting {
  enter: () => void
  cancel: () => void
}

interface Lane {
  inside: number
  waiting: Set<Waiting>
}

/** Limits concurrency per account, so that slow endpoints do not delay other accounts. */
export class AccountLanes {
  readonly #clock: Clock
  readonly #limits: LaneLimits
  readonly #lanes = new Map<string, Lane>()

  constructor(clock: Clock, limits = defaultLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  /** Resolves when there is capacity, with the function that releases it. */
  enter(accountId: string, longestWaitMs: number): Promise<() => void> {
    const { concurrency, waiting: maxQueued } = this.#limits
    const lane = this.#lanes.get(accountId) ?? { inside: 0, waiting: new Set() }
    this.#lanes.set(accountId, lane)
    const leave = (): void => this.#leave(accountId, lane)
    if (lane.inside < concurrency) {
      lane.inside++
      return Promise.resolve(leave)
    }
    if (lane.waiting.size >= maxQueued) return Promise.reject(new EndpointUnavailable('too many events of this account wait already'))
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { enter: () => resolve(leave), cancel: () => {} }
      lane.waiting.add(waiting)
      waiting.cancel = this.#clock.after(longestWaitMs, () => {
        lane.waiting.delete(waiting)
        reject(new EndpointUnavailable(`${concurrency} requests to this account's endpoints are under way, and none ended in time`))
      })
    })
  }

  #leave(accountId: string, lane: Lane): void {
    const [next] = lane.waiting
    if (next) {
      lane.waiting.delete(next)
      next.cancel()
      next.enter()
      return
    }
    lane.inside--
    if (lane.inside === 0) this.#lanes.delete(accountId)
  }
}
