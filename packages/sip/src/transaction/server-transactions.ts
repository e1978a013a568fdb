import type { Request } from '../message/message.ts'
import { type Flow, isReliable } from '../transport/transport.ts'
import { AcceptedInvite, RefusedInvite, type Seat, type Served, AnsweredRequest } from './afterlife.ts'
import { nothing, transactionTimeout, tryingAfter, type TransactionContext } from './timers.ts'

/** INVITE server transaction: RFC 3261 §17.2.1 with the Accepted state of RFC 6026 §7.1. */
export class InviteServer implements Served {
  readonly request: Request
  /** Latest source of the request, and destination of responses. */
  flow: Flow
  #state: 'proceeding' | 'completed' | 'accepted' | 'terminated' = 'proceeding'
  #last: Uint8Array | undefined
  #stopTimer = nothing
  #after: Served | undefined
  readonly #context: TransactionContext
  readonly #seat: Seat<Served>
  readonly #trying: () => Uint8Array

  /** `trying` builds the 100 that is sent if no other response is sent in time. */
  constructor(context: TransactionContext, request: Request, flow: Flow, trying: () => Uint8Array, seat: Seat<Served>) {
    this.#context = context
    this.request = request
    this.flow = flow
    this.#seat = seat
    this.#trying = trying
    this.#stopTimer = context.clock.after(tryingAfter, () => this.try())
  }

  /** Sends 100 at once. */
  try(): void {
    if (!this.#last) this.respond(100, this.#trying())
  }

  /** In the Accepted state the same 2xx may be sent again: the session repeats it until the ACK arrives. */
  respond(status: number, bytes: Uint8Array): void {
    if (this.#state === 'accepted' && status >= 200 && status < 300) return this.#send(bytes)
    if (this.#state !== 'proceeding') return
    this.#stopTimer()
    this.#send(bytes)
    if (status < 200) this.#last = bytes
    else if (status < 300) this.#accept()
    else this.#refuse(bytes)
  }

  /** A repeated INVITE, or its ACK. */
  receive(request: Request, from: Flow): boolean {
    if (this.#after) return this.#after.receive(request, from)
    if (request.method === 'ACK') return this.#state === 'accepted'
    this.flow = from
    if (this.#state === 'proceeding' && this.#last) this.#send(this.#last)
    return false
  }

  /** The session that accepted it has ended. */
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

  /** The timer must not reference the INVITE, to avoid retaining it. */
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

  /** A send failure is not final: the request may be repeated over another connection. */
  #send(bytes: Uint8Array): void {
    this.#context.transport.send(bytes, this.flow, nothing)
  }
}

/** Server transaction of all methods but INVITE and ACK: RFC 3261 §17.2.2. */
export class RequestServer implements Served {
  readonly request: Request
  /** Latest source of the request, and destination of responses. */
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

  /** By then the client has given up, so a response is pointless (RFC 4320 §4.2). */
  expireUnanswered(): void {
    if (this.#state === 'trying') this.#stopTimer = this.#context.clock.after(transactionTimeout, () => this.terminate())
  }

  /** A repeated request: repeats the response, if there was one. */
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
