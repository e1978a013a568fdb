import type { Response } from '../message/message.ts'
import { isReliable } from '../transport/transport.ts'
import type { Flow } from '../transport/transport.ts'
import type { ClientEvents, Sendable } from './invite-client.ts'
import { AnsweredAsked } from './afterlife.ts'
import type { Asked, Seat } from './afterlife.ts'
import { nothing, transactionTimeout, resend, T1, T2 } from './timers.ts'
import type { TransactionContext } from './timers.ts'

/** Client transaction of everything but INVITE and ACK: RFC 3261 §17.1.2. */
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
