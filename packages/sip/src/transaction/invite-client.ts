import type { Response } from '../message/message.ts'
import { isReliable } from '../transport/transport.ts'
import type { Flow } from '../transport/transport.ts'
import { nothing, transactionTimeout, resend, T1, timerD } from './timers.ts'
import type { TransactionContext } from './timers.ts'

export interface ClientEvents {
  /** Provisional and final responses; for an INVITE each 2xx, also when it comes again. */
  response(response: Response, from: Flow): void
  /** 408: no response; 503: it could not be sent. */
  failed(status: 408 | 503): void
  /** Nothing more will come. */
  terminated(): void
}

export interface Sendable {
  bytes: Uint8Array
  flow: Flow
}

/** INVITE client transaction: RFC 3261 §17.1.1 with the Accepted state of RFC 6026 §7.2. */
export class InviteClient {
  readonly method = 'INVITE'
  readonly flow: Flow
  #state: 'calling' | 'proceeding' | 'completed' | 'accepted' | 'terminated' = 'calling'
  #ack: Uint8Array | undefined
  #stopResending = nothing
  #stopTimer = nothing
  readonly #context: TransactionContext
  readonly #bytes: Uint8Array
  readonly #ackFor: (response: Response) => Uint8Array
  readonly #events: ClientEvents

  /** `ackFor` makes the ACK of a final response that is not 2xx. */
  constructor(context: TransactionContext, invite: Sendable, ackFor: (response: Response) => Uint8Array, events: ClientEvents) {
    this.#context = context
    this.flow = invite.flow
    this.#bytes = invite.bytes
    this.#ackFor = ackFor
    this.#events = events
  }

  start(): void {
    const { clock } = this.#context
    this.#stopTimer = clock.after(transactionTimeout, () => this.#fail(408)) // timer B
    if (!isReliable(this.flow.kind)) this.#stopResending = resend(clock, T1, transactionTimeout, () => this.#send(this.#bytes)) // timer A
    this.#send(this.#bytes)
  }

  receive(response: Response, from: Flow): void {
    if (response.status < 200) this.#provisional(response, from)
    else if (response.status < 300) this.#success(response, from)
    else this.#failure(response, from)
  }

  /** The connection is gone, or waiting makes no sense any more. */
  fail(status: 408 | 503): void {
    if (this.#state === 'calling' || this.#state === 'proceeding') this.#fail(status)
  }

  terminate(): void {
    if (this.#state === 'terminated') return
    this.#state = 'terminated'
    this.#stop()
    this.#events.terminated()
  }

  #provisional(response: Response, from: Flow): void {
    if (this.#state !== 'calling' && this.#state !== 'proceeding') return
    this.#state = 'proceeding'
    this.#stop()
    this.#events.response(response, from)
  }

  #success(response: Response, from: Flow): void {
    if (this.#state === 'completed' || this.#state === 'terminated') return
    if (this.#state !== 'accepted') {
      this.#state = 'accepted'
      this.#stop()
      this.#stopTimer = this.#context.clock.after(transactionTimeout, () => this.terminate()) // timer M
    }
    this.#events.response(response, from)
  }

  #failure(response: Response, from: Flow): void {
    if (this.#state === 'completed' && this.#ack) this.#send(this.#ack)
    if (this.#state !== 'calling' && this.#state !== 'proceeding') return
    this.#state = 'completed'
    this.#stop()
    this.#ack = this.#ackFor(response)
    this.#send(this.#ack)
    this.#events.response(response, from)
    if (isReliable(this.flow.kind)) this.terminate()
    else this.#stopTimer = this.#context.clock.after(timerD, () => this.terminate())
  }

  #fail(status: 408 | 503): void {
    this.#state = 'terminated'
    this.#stop()
    this.#events.failed(status)
    this.#events.terminated()
  }

  #send(bytes: Uint8Array): void {
    this.#context.transport.send(bytes, this.flow, () => this.fail(503))
  }

  #stop(): void {
    this.#stopResending()
    this.#stopTimer()
    this.#stopResending = nothing
    this.#stopTimer = nothing
  }
}
