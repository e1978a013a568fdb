import type { OutboundReply, OutboundRequest } from '../ports/outbound-http.ts'

/** A developer's machine that takes the events of a flow instead of its endpoint. */
export interface Listener {
  readonly id: string
  /** Where it hands them on to, in its own words. */
  readonly to: string | undefined
  /** It cannot be asked any more. */
  readonly over: boolean
  /** As at the door to endpoints; the address does not matter. Rejects with OutboundFailure. */
  request(request: OutboundRequest): Promise<OutboundReply>
  /** Somebody newer listens. */
  replaced(): void
}

/** Who listens to which flow in this process: one at a time, the newest. */
export class Listeners {
  readonly #listeners = new Map<string, Listener>()

  /** Returns what ends it. */
  add(accountId: string, flowId: string, listener: Listener): () => void {
    const key = keyOf(accountId, flowId)
    const older = this.#listeners.get(key)
    this.#listeners.set(key, listener)
    older?.replaced()
    return () => {
      if (this.#listeners.get(key) === listener) this.#listeners.delete(key)
    }
  }

  of(accountId: string, flowId: string): Listener | undefined {
    return this.#listeners.get(keyOf(accountId, flowId))
  }
}

const keyOf = (accountId: string, flowId: string): string => `${accountId} ${flowId}`
