import type { Request } from '../message/message.ts'
import { isReliable } from '../transport/transport.ts'
import type { Flow } from '../transport/transport.ts'
import { nothing, transactionTimeout, resend, T1, T2, T4, tryingAfter } from './timers.ts'
import type { TransactionContext } from './timers.ts'

/** INVITE server transaction: RFC 3261 §17.2.1 with the Accepted state of RFC 6026 §7.1. */
export class InviteServer {
  readonly request: Request
  /** Where the request came from last, and the responses go to. */
  flow: Flow
  #state: 'proceeding' | 'completed' | 'confirmed' | 'accepted' | 'terminated' = 'proceeding'
  #last: Uint8Array | undefined
  #stopResending = nothing
  #stopTimer = nothing
  readonly #context: TransactionContext
  readonly #terminated: () => void

  /** `trying` makes the 100 that is sent when no other response goes out in time. */
  constructor(context: TransactionContext, request: Request, flow: Flow, trying: () => Uint8Array, terminated: () => void) {
    this.#context = context
    this.request = request
    this.flow = flow
    this.#terminated = terminated
    this.#stopTimer = context.clock.after(tryingAfter, () => this.respond(100, trying()))
  }

  /** In the Accepted state the same 2xx may be sent again: the session repeats it until the ACK is there. */
  respond(status: number, bytes: Uint8Array): void {
    if (this.#state === 'accepted' && status >= 200 && status < 300) return this.#send(bytes)
    if (this.#state !== 'proceeding') return
    this.#stopTimer()
    this.#last = bytes
    this.#send(bytes)
    if (status >= 300) this.#complete(bytes)
    else if (status >= 200) this.#accept()
  }

  /** The INVITE again, or its ACK. True when it is for the session that answered with 2xx. */
  receive(request: Request, from: Flow): boolean {
    if (request.method === 'ACK') {
      if (this.#state === 'completed') this.#confirm()
      return this.#state === 'accepted'
    }
    this.flow = from
    if ((this.#state === 'proceeding' || this.#state === 'completed') && this.#last) this.#send(this.#last)
    return false
  }

  terminate(): void {
    if (this.#state === 'terminated') return
    this.#state = 'terminated'
    this.#stopResending()
    this.#stopTimer()
    this.#terminated()
  }

  #accept(): void {
    this.#state = 'accepted'
    this.#stopTimer = this.#context.clock.after(transactionTimeout, () => this.terminate()) // timer L
  }

  #complete(bytes: Uint8Array): void {
    this.#state = 'completed'
    this.#stopTimer = this.#context.clock.after(transactionTimeout, () => this.terminate()) // timer H
    if (!isReliable(this.flow.kind)) this.#stopResending = resend(this.#context.clock, T1, T2, () => this.#send(bytes)) // timer G
  }

  #confirm(): void {
    this.#state = 'confirmed'
    this.#stopResending()
    this.#stopTimer()
    if (isReliable(this.flow.kind)) this.terminate()
    else this.#stopTimer = this.#context.clock.after(T4, () => this.terminate()) // timer I
  }

  /** A response that cannot be sent is not the end: the request may come again over another connection. */
  #send(bytes: Uint8Array): void {
    this.#context.transport.send(bytes, this.flow, nothing)
  }
}
