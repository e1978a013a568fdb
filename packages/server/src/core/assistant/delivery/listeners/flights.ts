import type { Clock } from '#core/kernel/ports/clock.ts'
import { OutboundFailure, type OutboundReply, type OutboundRequest } from '#core/kernel/ports/outbound-http.ts'

interface Flight {
  request: OutboundRequest
  land: (reply: OutboundReply) => void
  fail: (failure: OutboundFailure) => void
}

/** More than these, and a listener does not keep up: callers must not wait behind each other. */
const mostFlights = 64

/** Requests on their way to one listener: each ends with an answer, a failure, or its time limit. */
export class Flights {
  readonly #clock: Clock
  readonly #flights = new Map<string, Flight>()
  #count = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#flights.size
  }

  of(id: string): Flight | undefined {
    return this.#flights.get(id)
  }

  async fly(request: OutboundRequest, transmit: (id: string) => void): Promise<OutboundReply> {
    const { signal, deadlineMs } = request
    if (signal?.aborted) throw aborted()
    if (this.#flights.size >= mostFlights) throw overloaded()
    const id = String(++this.#count)
    const landing = Promise.withResolvers<OutboundReply>()
    this.#flights.set(id, { request, land: landing.resolve, fail: landing.reject })
    const late = (): void => landing.reject(new OutboundFailure('timeout', `the listener did not answer within ${deadlineMs} ms`))
    const cancel = this.#clock.after(deadlineMs, late)
    const stop = (): void => landing.reject(aborted())
    signal?.addEventListener('abort', stop)
    try {
      transmit(id)
      return await landing.promise
    } finally {
      cancel()
      signal?.removeEventListener('abort', stop)
      this.#flights.delete(id)
    }
  }

  /** Nobody answers any more: whoever waits must not wait any longer. */
  break(): void {
    for (const { fail } of this.#flights.values()) fail(new OutboundFailure('broken', 'the listener went away before it answered'))
  }
}

export const overloaded = (): OutboundFailure => new OutboundFailure('connect', 'the listener does not keep up')

export const nobodyThere = (): OutboundFailure => new OutboundFailure('connect', 'nobody listens any more')

const aborted = (): OutboundFailure => new OutboundFailure('aborted', 'nobody waits for the answer any more')
