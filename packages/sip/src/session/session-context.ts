import type { Dialog } from '../dialog/dialog.ts'
import type { DigestClient } from '../digest/digest-client.ts'
import type { Flow, SipClock } from '../transport/transport.ts'
import { DialogMessages, reasonHeader, FarEnd } from './dialog-messages.ts'
import { GuardedObserver, SessionLifecycle } from './session-lifecycle.ts'
import { SessionTimer, type TimerPolicy } from './session-timer.ts'
import type { Request } from '../message/message.ts'
import { transactionTimeout, resend, T1, T2 } from '../transaction/timers.ts'
import type { Stack } from '../request/stack.ts'
import type { Session } from './session.ts'

/** Shared by sessions, in addition to the request stack. */
export interface SessionStack extends Stack {
  readonly timer: TimerPolicy
  /** The session of this dialog, tags from our view. */
  readonly find: (callId: string, localTag: string, remoteTag: string) => Session | undefined
}

export interface SessionStart {
  direction: 'incoming' | 'outgoing'
  callId: string
  localTag: string
  contactUser: string
  /** Flow of every in-dialog request. */
  pinned?: Flow | undefined
  digest?: DigestClient | undefined
}

/** Shared by the tasks of a session (setup, changes, transfers); each picks its fields. */
export interface SessionContext {
  readonly stack: SessionStack
  readonly start: SessionStart
  readonly farEnd: FarEnd
  readonly observer: GuardedObserver
  readonly messages: DialogMessages
  readonly lifecycle: SessionLifecycle
  readonly offerAnswer: OfferAnswer
  readonly timer: SessionTimer
  readonly confirmations: Confirmations
}

/** `dialog`: incoming sessions only. `refresh` is called when we must refresh the session. */
export const sessionContext = (
  stack: SessionStack,
  start: SessionStart,
  dialog: Dialog | undefined,
  refresh: () => void,
): SessionContext => {
  const farEnd = new FarEnd(stack.isProxy, start.pinned)
  const observer = new GuardedObserver(stack.fault)
  const messages = new DialogMessages(stack, start, farEnd)
  const lifecycle = new SessionLifecycle(stack.clock, observer, messages, dialog)
  const expired = (): void => lifecycle.hangUp({ by: 'network', status: 408 }, reasonHeader('SIP;cause=408;text="Session timer expired"'))
  const timer = new SessionTimer(stack.clock, stack.timer, { refresh, expired })
  lifecycle.atEnd(() => timer.close())
  return {
    stack,
    start,
    farEnd,
    observer,
    messages,
    lifecycle,
    offerAnswer: new OfferAnswer(),
    timer,
    confirmations: new Confirmations(stack.clock),
  }
}

/** State of the offer/answer exchange: RFC 3264, RFC 6337. */
class OfferAnswer {
  #complete = false
  #local: string | undefined

  /** The first offer has its answer: either side may make a new one. */
  get complete(): boolean {
    return this.#complete
  }

  /** Our latest SDP, for refreshes. */
  get local(): string | undefined {
    return this.#local
  }

  describe(sdp: string | undefined): void {
    this.#local = sdp
  }

  completed(): void {
    this.#complete = true
  }
}

/** Repeats a 2xx to an INVITE until its ACK arrives: RFC 3261 §13.3.1.4. */
class Confirmation {
  /** The ACK; undefined on timeout or after a stop. */
  readonly done: Promise<Request | undefined>
  readonly #resolve: (ack: Request | undefined) => void
  readonly #stopResending: () => void
  readonly #stopTimer: () => void

  constructor(clock: SipClock, send: () => void) {
    const { promise, resolve } = Promise.withResolvers<Request | undefined>()
    this.done = promise
    this.#resolve = resolve
    this.#stopResending = resend(clock, T1, T2, send)
    this.#stopTimer = clock.after(transactionTimeout, () => this.settle(undefined))
  }

  settle(ack: Request | undefined): void {
    this.#stopResending()
    this.#stopTimer()
    this.#resolve(ack)
  }
}

/** Our 2xx responses that wait for an ACK, by CSeq of their INVITE. */
class Confirmations {
  readonly #clock: SipClock
  readonly #waiting = new Map<number, Confirmation>()

  constructor(clock: SipClock) {
    this.#clock = clock
  }

  /** The 2xx was sent; `send` repeats it. Resolves with the ACK; undefined on timeout or after `stop`. */
  expect(invite: Request, send: () => void): Promise<Request | undefined> {
    const confirmation = new Confirmation(this.#clock, send)
    this.#waiting.set(invite.cseq.number, confirmation)
    return confirmation.done
  }

  acknowledged(ack: Request): void {
    const { number } = ack.cseq
    this.#waiting.get(number)?.settle(ack)
    this.#waiting.delete(number)
  }

  /** Stops waiting for ACKs. */
  stop(): void {
    for (const confirmation of this.#waiting.values()) confirmation.settle(undefined)
    this.#waiting.clear()
  }
}
