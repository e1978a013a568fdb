import type { Dialog } from '../dialog/dialog.ts'
import type { DigestClient } from '../digest/digest-client.ts'
import type { Flow } from '../transport/transport.ts'
import { Confirmations } from './confirmation.ts'
import { DialogMessages, reasonHeader } from './dialog-messages.ts'
import { FarEnd } from './far-end.ts'
import { GuardedObserver } from './guarded-observer.ts'
import { OfferAnswer } from './offer-answer.ts'
import { SessionLifecycle } from './session-lifecycle.ts'
import type { SessionStack } from './session-stack.ts'
import { SessionTimer } from './session-timer.ts'

export interface SessionStart {
  direction: 'incoming' | 'outgoing'
  callId: string
  localTag: string
  contactUser: string
  /** Every in-dialog request goes this way. */
  pinned?: Flow | undefined
  digest?: DigestClient | undefined
}

/** What the tasks of a session (setup, changes, transfers) work with; each takes what it uses. */
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

/** `dialog`: incoming sessions only. `refresh` is called when it is our turn to refresh the session. */
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
