import type { Request } from '../message/message.ts'
import { isReliable } from '../transport/transport.ts'
import type { Flow } from '../transport/transport.ts'
import { nothing, transactionTimeout } from './timers.ts'
import type { TransactionContext } from './timers.ts'

/** Server transaction of everything but INVITE and ACK: RFC 3261 §17.2.2. */
export class RequestServer {
  readonly request: Request
  /** Where the request came from last, and the responses go to. */
  flow: Flow
  #state: 'trying' | 'proceeding' | 'completed' | 'terminated' = 'trying'
  #last: Uint8Array | undefined
  #stopTimer = nothing
  readonly #context: TransactionContext
  readonly #terminated: () => void

  constructor(context: TransactionContext, request: Request, flow: Flow, terminated: () => void) {
    this.#context = context
    this.request = request
    this.flow = flow
    this.#terminated = terminated
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
    if (isReliable(this.flow.kind)) this.terminate()
    else this.#stopTimer = this.#context.clock.after(transactionTimeout, () => this.terminate()) // timer J
  }

  /** The client has given up by then: a response makes no sense any more (RFC 4320 §4.2). */
  expireUnanswered(): void {
    if (this.#state === 'trying') this.#stopTimer = this.#context.clock.after(transactionTimeout, () => this.terminate())
  }

  /** The same request again: it gets the same response again, if there was one. */
  receive(_request: Request, from: Flow): boolean {
    this.flow = from
    if (this.#last) this.#send(this.#last)
    return false
  }

  terminate(): void {
    if (this.#state === 'terminated') return
    this.#state = 'terminated'
    this.#stopTimer()
    this.#terminated()
  }

  #send(bytes: Uint8Array): void {
    this.#context.transport.send(bytes, this.flow, nothing)
  }
}
