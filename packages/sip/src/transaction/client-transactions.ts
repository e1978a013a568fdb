import type { Response } from '../message/message.ts'
import { isReliable, type Flow } from '../transport/transport.ts'
import { AnsweredAsked, type Asked, type Seat } from './afterlife.ts'
import { nothing, transactionTimeout, resend, T1, type TransactionContext, T2 } from './timers.ts'

export interface ClientEvents {
  /** Provisional and final responses; for an INVITE each 2xx, also repeated ones. */
  response(response: Response, from: Flow): void
  /** 408: no response; 503: it could not be sent. */
  failed(status: 408 | 503): void
  /** No more responses will follow. */
  readonly terminated?: () => void
}

export interface Sendable {
  bytes: Uint8Array
  flow: Flow
}

const noBytes = new Uint8Array()

/** INVITE client transaction: RFC 3261 §17.1.1 with the Accepted state of RFC 6026 §7.2. */
export class InviteClient implements Asked {
  readonly method = 'INVITE'
  readonly flow: Flow
  #state: 'calling' | 'proceeding' | 'completed' | 'accepted' | 'terminated' = 'calling'
  #after: Asked | undefined
  #stopResending = nothing
  #stopTimer = nothing
  readonly #context: TransactionContext
  #bytes: Uint8Array
  #ackFor: (response: Response) => Uint8Array
  #events: ClientEvents
  readonly #seat: Seat<Asked>

  /** `ackFor` builds the ACK of a final response other than 2xx. */
  constructor(
    context: TransactionContext,
    invite: Sendable,
    ackFor: (response: Response) => Uint8Array,
    events: ClientEvents,
    seat: Seat<Asked>,
  ) {
    this.#context = context
    this.flow = invite.flow
    this.#bytes = invite.bytes
    this.#ackFor = ackFor
    this.#events = events
    this.#seat = seat
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

  /** The connection closed, or waiting is pointless. */
  fail(status: 408 | 503): void {
    if (this.#state === 'calling' || this.#state === 'proceeding') this.#fail(status)
  }

  /** Passes later 2xx to `events` after the session has ended. */
  handOver(events: ClientEvents): void {
    if (this.#state !== 'accepted') return
    this.#events = events
    this.#bytes = noBytes
    this.#ackFor = () => noBytes
  }

  terminate(): void {
    if (this.#state === 'terminated') return
    this.#state = 'terminated'
    this.#stop()
    if (this.#after) this.#after.terminate()
    else this.#ended()
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
    if (this.#state !== 'calling' && this.#state !== 'proceeding') return
    this.#state = 'completed'
    this.#stop()
    const ack = this.#ackFor(response)
    this.#send(ack)
    if (!isReliable(this.flow.kind)) this.#becomeAnswered(ack)
    this.#events.response(response, from)
    if (isReliable(this.flow.kind)) this.terminate()
  }

  #becomeAnswered(ack: Uint8Array): void {
    const { terminated } = this.#events
    const seat = this.#seat
    this.#after = new AnsweredAsked(this.#context, this, ack, () => {
      seat.leave()
      terminated?.()
    })
    seat.become(this.#after)
  }

  #fail(status: 408 | 503): void {
    this.#state = 'terminated'
    this.#stop()
    this.#events.failed(status)
    this.#ended()
  }

  #ended(): void {
    this.#seat.leave()
    this.#events.terminated?.()
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

/** Client transaction of all methods but INVITE and ACK: RFC 3261 §17.1.2. */
export class RequestClient implements Asked {
  readonly method: string
  readonly flow: Flow
  #state: 'trying' | 'proceeding' | 'completed' | 'terminated' = 'trying'
  #stopResending = nothing
  #stopTimer = nothing
  readonly #context: TransactionContext
  readonly #bytes: Uint8Array
  readonly #events: ClientEvents
  readonly #seat: Seat<Asked>
  #after: Asked | undefined

  constructor(context: TransactionContext, method: string, request: Sendable, events: ClientEvents, seat: Seat<Asked>) {
    this.#context = context
    this.method = method
    this.flow = request.flow
    this.#bytes = request.bytes
    this.#events = events
    this.#seat = seat
  }

  start(): void {
    this.#stopTimer = this.#context.clock.after(transactionTimeout, () => this.fail(408)) // timer F
    this.#resendAfter(T1) // timer E
    this.#send()
  }

  receive(response: Response, from: Flow): void {
    if (this.#state !== 'trying' && this.#state !== 'proceeding') return
    if (response.status >= 200) return this.#final(response, from)
    if (this.#state === 'trying') {
      this.#state = 'proceeding'
      this.#stopResending()
      this.#resendAfter(T2)
    }
    this.#events.response(response, from)
  }

  fail(status: 408 | 503): void {
    if (this.#state !== 'trying' && this.#state !== 'proceeding') return
    this.#state = 'terminated'
    this.#stop()
    this.#events.failed(status)
    this.#ended()
  }

  terminate(): void {
    if (this.#state === 'terminated') return
    this.#state = 'terminated'
    this.#stop()
    if (this.#after) this.#after.terminate()
    else this.#ended()
  }

  #final(response: Response, from: Flow): void {
    this.#state = 'completed'
    this.#stop()
    if (!isReliable(this.flow.kind)) this.#becomeAnswered()
    this.#events.response(response, from)
    if (isReliable(this.flow.kind)) this.terminate()
  }

  #becomeAnswered(): void {
    const { terminated } = this.#events
    const seat = this.#seat
    this.#after = new AnsweredAsked(this.#context, this, undefined, () => {
      seat.leave()
      terminated?.()
    })
    seat.become(this.#after)
  }

  #ended(): void {
    this.#seat.leave()
    this.#events.terminated?.()
  }

  #resendAfter(ms: number): void {
    if (!isReliable(this.flow.kind)) this.#stopResending = resend(this.#context.clock, ms, T2, () => this.#send())
  }

  #send(): void {
    this.#context.transport.send(this.#bytes, this.flow, () => this.fail(503))
  }

  #stop(): void {
    this.#stopResending()
    this.#stopTimer()
    this.#stopResending = nothing
    this.#stopTimer = nothing
  }
}
