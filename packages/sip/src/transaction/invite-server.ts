import type { Request } from '../message/message.ts'
import type { Flow } from '../transport/transport.ts'
import { AcceptedInvite, RefusedInvite } from './afterlife.ts'
import type { Seat, Served } from './afterlife.ts'
import { nothing, transactionTimeout, tryingAfter } from './timers.ts'
import type { TransactionContext } from './timers.ts'

/** INVITE server transaction: RFC 3261 §17.2.1 with the Accepted state of RFC 6026 §7.1. */
export class InviteServer implements Served {
  readonly request: Request
  /** Where the request came from last, and the responses go to. */
  flow: Flow
  #state: 'proceeding' | 'completed' | 'accepted' | 'terminated' = 'proceeding'
  #last: Uint8Array | undefined
  #stopTimer = nothing
  #after: Served | undefined
  readonly #context: TransactionContext
  readonly #seat: Seat<Served>

  /** `trying` makes the 100 that is sent when no other response goes out in time. */
  constructor(context: TransactionContext, request: Request, flow: Flow, trying: () => Uint8Array, seat: Seat<Served>) {
    this.#context = context
    this.request = request
    this.flow = flow
    this.#seat = seat
    this.#stopTimer = context.clock.after(tryingAfter, () => this.respond(100, trying()))
  }

  /** In the Accepted state the same 2xx may be sent again: the session repeats it until the ACK is there. */
  respond(status: number, bytes: Uint8Array): void {
    if (this.#state === 'accepted' && status >= 200 && status < 300) return this.#send(bytes)
    if (this.#state !== 'proceeding') return
    this.#stopTimer()
    this.#send(bytes)
    if (status < 200) this.#last = bytes
    else if (status < 300) this.#accept()
    else this.#refuse(bytes)
  }

  /** The INVITE again, or its ACK. */
  receive(request: Request, from: Flow): boolean {
    if (this.#after) return this.#after.receive(request, from)
    if (request.method === 'ACK') return this.#state === 'accepted'
    this.flow = from
    if (this.#state === 'proceeding' && this.#last) this.#send(this.#last)
    return false
  }

  /** The session that accepted it is over. */
  release(): void {
    if (this.#state === 'accepted') this.#becomes(new AcceptedInvite(this.#stopTimer, this.#seat))
  }

  terminate(): void {
    if (this.#state === 'terminated') return
    this.#state = 'terminated'
    this.#stopTimer()
    if (this.#after) this.#after.terminate()
    else this.#seat.leave()
  }

  /** The timer has nothing of the INVITE, which it would keep alive. */
  #accept(): void {
    const seat = this.#seat
    this.#state = 'accepted'
    this.#last = undefined
    this.#stopTimer = this.#context.clock.after(transactionTimeout, () => seat.leave()) // timer L
  }

  #refuse(bytes: Uint8Array): void {
    this.#state = 'completed'
    this.#becomes(new RefusedInvite(this.#context, bytes, this.flow, this.#seat))
  }

  #becomes(after: Served): void {
    this.#after = after
    this.#seat.become(after)
  }

  /** A response that cannot be sent is not the end: the request may come again over another connection. */
  #send(bytes: Uint8Array): void {
    this.#context.transport.send(bytes, this.flow, nothing)
  }
}
