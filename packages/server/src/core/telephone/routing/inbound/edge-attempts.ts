import { BoundedMap } from '#core/kernel/bounded-map.ts'
import type { Bus } from '#core/kernel/ports/platform.ts'
import type { EdgeAttempt } from '#core/kernel/ports/telephony.ts'

const subject = 'edge.again'
/** The edge asks all nodes within some seconds. */
const maxRemembered = 10_000

/**
 * The edge asks another node for a call if one does not respond in time. That node announces it, and the slower one gives the call up, or
 * does not begin it. Costs a message only for such calls.
 */
export class EdgeAttempts {
  readonly #bus: Pick<Bus, 'hear' | 'notify'>
  readonly #numbers = new BoundedMap<string, number>(maxRemembered)

  constructor(bus: Pick<Bus, 'hear' | 'notify'>) {
    this.#bus = bus
  }

  /** Calls the listener for each call that another node was asked for. */
  listen(onAsked: (attempt: EdgeAttempt) => void): () => void {
    return this.#bus.hear(subject, (body) => {
      const attempt = body as EdgeAttempt
      this.#numbers.set(attempt.edgeCall, Math.max(attempt.number, this.#numbers.get(attempt.edgeCall) ?? 0))
      onAsked(attempt)
    })
  }

  announce(attempt: EdgeAttempt | undefined): void {
    if (attempt && attempt.number > 0) this.#bus.notify(subject, attempt)
  }

  /** Whether the edge has asked another node since. */
  isOutdated(attempt: EdgeAttempt | undefined): boolean {
    return attempt !== undefined && (this.#numbers.get(attempt.edgeCall) ?? 0) > attempt.number
  }
}
