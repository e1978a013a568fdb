import type { Request } from '../message/message.ts'
import { isReliable } from '../transport/transport.ts'
import type { Flow } from '../transport/transport.ts'
import { AnsweredRequest } from './afterlife.ts'
import type { Seat, Served } from './afterlife.ts'
import { nothing, transactionTimeout } from './timers.ts'
import type { TransactionContext } from './timers.ts'

/** Server transaction of everything but INVITE and ACK: RFC 3261 §17.2.2. */
export class RequestServer implements Served {
  readonly request: Request
  /** Where the request came from last, and the responses go to. */
  flow: Flow
  #state: 'trying' | 'proceeding' | 'completed' | 'terminated' = 'trying'
  #last: Uint8Array | undefined
  #stopTimer = nothing
  #after: Served | undefined
  readonly #context: TransactionContext
  readonly #seat: Seat<Served>

  constructor(context: TransactionContext, request: Request, flow: Flow, seat: Seat<Served>) {
    this.#context = context
    this.request = request
    this.flow = flow
    this.#seat = seat
  }

  respond(status: number, bytes: Uint8Array): void {
    if (this.#state !== 'trying' && this.#state !== 'proceeding') return
    this.#last = bytes
    this.#send(bytes)
    if (status < 200) {
      this.#state = 'proceeding'
      return
    }
    this.#state = 'completed'
    this.#stopTimer()
    if (isReliable(this.flow.kind)) return this.terminate()
    this.#after = new AnsweredRequest(this.#context, bytes, this.#seat)
    this.#seat.become(this.#after)
  }

  /** The client has given up by then: a response makes no sense any more (RFC 4320 §4.2). */
  expireUnanswered(): void {
    if (this.#state === 'trying') this.#stopTimer = this.#context.clock.after(transactionTimeout, () => this.terminate())
  }

  /** The same request again: it gets the same response again, if there was one. */
  receive(request: Request, from: Flow): boolean {
    if (this.#after) return this.#after.receive(request, from)
    this.flow = from
    if (this.#last) this.#send(this.#last)
    return false
  }

  terminate(): void {
    if (this.#state === 'terminated') return
    this.#state = 'terminated'
    this.#stopTimer()
    if (this.#after) this.#after.terminate()
    else this.#seat.leave()
  }

  #send(bytes: Uint8Array): void {
    this.#context.transport.send(bytes, this.flow, nothing)
  }
}
