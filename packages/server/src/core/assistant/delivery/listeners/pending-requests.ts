import type { Clock } from '#core/kernel/ports/clock.ts'
import { OutboundFailure, type OutboundReply, type OutboundRequest } from '#core/kernel/ports/outbound-http.ts'

interface PendingRequest {
  request: OutboundRequest
  resolve: (reply: OutboundReply) => void
  fail: (failure: OutboundFailure) => void
}

/** A listener with more pending requests does not keep up: calls must not wait for each other. */
const maxPending = 64

/** Pending requests to one listener: each ends with a reply, a failure, or its time limit. */
export class PendingRequests {
  readonly #clock: Clock
  readonly #pending = new Map<string, PendingRequest>()
  #count = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#pending.size
  }

  of(id: string): PendingRequest | undefined {
    return this.#pending.get(id)
  }

  async send(request: OutboundRequest, transmit: (id: string) => void): Promise<OutboundReply> {
    const { signal, deadlineMs } = request
    if (signal?.aborted) throw aborted()
    if (this.#pending.size >= maxPending) throw overloaded()
    const id = String(++this.#count)
    const reply = Promise.withResolvers<OutboundReply>()
    this.#pending.set(id, { request, resolve: reply.resolve, fail: reply.reject })
    const late = (): void => reply.reject(new OutboundFailure('timeout', `the listener did not answer within ${deadlineMs} ms`))
    const cancel = this.#clock.after(deadlineMs, late)
    const stop = (): void => reply.reject(aborted())
    signal?.addEventListener('abort', stop)
    try {
      transmit(id)
      return await reply.promise
    } finally {
      cancel()
      signal?.removeEventListener('abort', stop)
      this.#pending.delete(id)
    }
  }

  /** The listener is gone: pending requests fail at once. */
  break(): void {
    for (const { fail } of this.#pending.values()) fail(new OutboundFailure('broken', 'the listener went away before it answered'))
  }
}

export const overloaded = (): OutboundFailure => new OutboundFailure('connect', 'the listener does not keep up')

export const noAnswerText = (): OutboundFailure => new OutboundFailure('connect', 'nobody listens any more')

const aborted = (): OutboundFailure => new OutboundFailure('aborted', 'nobody waits for the answer any more')
