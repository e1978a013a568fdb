import type { Request, Response } from '../message/message.ts'
import { isReliable } from '../transport/transport.ts'
import type { Flow } from '../transport/transport.ts'
import { nothing, resend, T1, T2, T4, timerD, transactionTimeout } from './timers.ts'
import type { TransactionContext } from './timers.ts'

/*
 * Remains of a UDP transaction after its outcome is known: for up to 32 seconds it answers retransmissions. It holds only the bytes, not
 * the message, session or call, which would otherwise be retained as long: at 50 calls a second those of 1,600 calls.
 */

/** The slot of a transaction in its table. */
export interface Seat<T> {
  become(next: T): void
  leave(): void
}

/** Receives retransmitted requests and ACKs. */
export interface Served {
  /** Returns true if it is for the session that answered with 2xx. */
  receive(request: Request, from: Flow): boolean
  terminate(): void
}

/** Receives responses. */
export interface Asked {
  readonly method: string
  readonly flow: Flow
  receive(response: Response, from: Flow): void
  /** The connection closed, or waiting is pointless. */
  fail(status: 408 | 503): void
  terminate(): void
}

/** Repeats the response to a non-INVITE for 64·T1: timer J. */
export class AnsweredRequest implements Served {
  readonly #context: TransactionContext
  readonly #bytes: Uint8Array
  readonly #seat: Seat<Served>
  readonly #stopTimer: () => void

  constructor(context: TransactionContext, bytes: Uint8Array, seat: Seat<Served>) {
    this.#context = context
    this.#bytes = bytes
    this.#seat = seat
    this.#stopTimer = context.clock.after(transactionTimeout, () => this.terminate())
  }

  receive(_request: Request, from: Flow): boolean {
    this.#context.transport.send(this.#bytes, from, nothing)
    return false
  }

  terminate(): void {
    this.#stopTimer()
    this.#seat.leave()
  }
}

/** Repeats a failure response until its ACK arrives (timers G and H), and absorbs repeated ACKs (timer I). */
export class RefusedInvite implements Served {
  readonly #context: TransactionContext
  readonly #bytes: Uint8Array
  readonly #seat: Seat<Served>
  #flow: Flow
  #confirmed = false
  #stopResending: () => void
  #stopTimer: () => void

  constructor(context: TransactionContext, bytes: Uint8Array, flow: Flow, seat: Seat<Served>) {
    this.#context = context
    this.#bytes = bytes
    this.#flow = flow
    this.#seat = seat
    this.#stopTimer = context.clock.after(transactionTimeout, () => this.terminate())
    this.#stopResending = isReliable(flow.kind) ? nothing : resend(context.clock, T1, T2, () => this.#send())
  }

  receive(request: Request, from: Flow): boolean {
    if (this.#confirmed) return false
    if (request.method === 'ACK') this.#confirm()
    else {
      this.#flow = from
      this.#send()
    }
    return false
  }

  terminate(): void {
    this.#stopResending()
    this.#stopTimer()
    this.#seat.leave()
  }

  #confirm(): void {
    this.#confirmed = true
    this.#stopResending()
    this.#stopTimer()
    if (isReliable(this.#flow.kind)) this.terminate()
    else this.#stopTimer = this.#context.clock.after(T4, () => this.terminate())
  }

  #send(): void {
    this.#context.transport.send(this.#bytes, this.#flow, nothing)
  }
}

/** The session that accepted the INVITE has ended: absorbs repeated INVITEs, passes on ACKs. Timer L is already running. */
export class AcceptedInvite implements Served {
  readonly #stopTimer: () => void
  readonly #seat: Seat<Served>

  constructor(stopTimer: () => void, seat: Seat<Served>) {
    this.#stopTimer = stopTimer
    this.#seat = seat
  }

  receive(request: Request): boolean {
    return request.method === 'ACK'
  }

  terminate(): void {
    this.#stopTimer()
    this.#seat.leave()
  }
}

/** Absorbs repeated responses; acknowledges a repeated failure of an INVITE (timers D and K). */
export class AnsweredAsked implements Asked {
  readonly method: string
  readonly flow: Flow
  readonly #context: TransactionContext
  readonly #ack: Uint8Array | undefined
  readonly #terminated: () => void
  readonly #stopTimer: () => void

  /** `ack`: for an INVITE only. */
  constructor(
    context: TransactionContext,
    { method, flow }: Pick<Asked, 'method' | 'flow'>,
    ack: Uint8Array | undefined,
    terminated: () => void,
  ) {
    this.method = method
    this.flow = flow
    this.#context = context
    this.#ack = ack
    this.#terminated = terminated
    this.#stopTimer = context.clock.after(ack ? timerD : T4, () => this.terminate())
  }

  receive(response: Response): void {
    if (this.#ack && response.status >= 300) this.#context.transport.send(this.#ack, this.flow, nothing)
  }

  fail(): void {}

  terminate(): void {
    this.#stopTimer()
    this.#terminated()
  }
}
