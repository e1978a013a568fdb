import { Dialog } from '../dialog/dialog.ts'
import type { DialogState } from '../dialog/dialog.ts'
import type { IncomingRequest } from '../request/incoming-request.ts'
import type { Request } from '../message/message.ts'
import { SipError } from '../grammar/sip-error.ts'
import { contactTowards } from '../request/stack.ts'
import type { Stack } from '../request/stack.ts'
import { newTag } from '../transaction/tokens.ts'
import type { Flow } from '../transport/transport.ts'
import { Subscription } from './subscription.ts'
import type { SubscriptionDeps } from './subscription.ts'

/** What another process needs to go on with a subscription. */
export interface SavedSubscription {
  dialog: DialogState
  event: string
  flow: Flow
  expiresAt: number
}

/** More than there can be of them in an hour, after which its state is written again (RFC 3261 §12.2.2: the next has a higher number). */
const unseenNotifies = 4_000

/** All subscriptions at this user agent. Permissions and limits are the program's. */
export class Subscriptions {
  readonly #stack: Stack
  /** By our tag. */
  readonly #all = new Map<string, Subscription>()

  constructor(stack: Stack) {
    this.#stack = stack
  }

  get size(): number {
    return this.#all.size
  }

  /** The one whose dialog a SUBSCRIBE is in. */
  of({ callId, toTag, fromTag }: Request): Subscription | undefined {
    const found = this.#all.get(toTag ?? '')
    return found?.dialog.callId === callId && found.dialog.remoteTag === fromTag ? found : undefined
  }

  /** Answers 200 and sends the state at once. Throws SipError when the request has no usable Contact. */
  accept(incoming: IncomingRequest, seconds: number, deps: Omit<SubscriptionDeps, 'dialog'>): Subscription {
    const dialog = Dialog.ofRequest(incoming.request, newTag(), 0)
    const subscription = this.#keep({ ...deps, dialog })
    this.#grant(incoming, dialog, seconds)
    subscription.last(seconds)
    return subscription
  }

  /** The same for one that is known. */
  refresh(incoming: IncomingRequest, seconds: number, subscription: Subscription, flow: Flow): void {
    const { dialog } = subscription
    if (!dialog.takeInOrder(incoming.request)) throw new SipError(500, 'A later SUBSCRIBE was here before')
    subscription.refreshed(incoming.request, flow)
    this.#grant(incoming, dialog, seconds)
    subscription.last(seconds)
  }

  /** Goes on with a subscription of another process. */
  resume(
    { dialog, event, flow, expiresAt }: SavedSubscription,
    deps: Pick<SubscriptionDeps, 'contentType' | 'read' | 'onEnd'>,
  ): Subscription {
    const subscription = this.#keep({ ...deps, event, flow, dialog: Dialog.ofState(dialog) })
    subscription.last(Math.ceil((expiresAt - this.#stack.clock.now()) / 1000))
    return subscription
  }

  /** For `resume`. */
  save({ dialog, event, flow, expiresAt }: Subscription): SavedSubscription {
    const { state } = dialog
    return { dialog: { ...state, cseq: state.cseq + unseenNotifies }, event, flow, expiresAt }
  }

  /** Subscribers that can be reached over this connection only are dropped. */
  connectionClosed(connection: number): void {
    for (const subscription of this.#all.values()) if (subscription.flow.connection === connection) subscription.abandon()
  }

  /** No further NOTIFY. */
  close(): void {
    for (const subscription of this.#all.values()) subscription.drop()
    this.#all.clear()
  }

  #keep(deps: SubscriptionDeps): Subscription {
    const tag = deps.dialog.localTag
    const onEnd = (): void => {
      this.#all.delete(tag)
      deps.onEnd()
    }
    const subscription = new Subscription(this.#stack, { ...deps, onEnd })
    this.#all.set(tag, subscription)
    return subscription
  }

  #grant(incoming: IncomingRequest, { localTag: toTag }: Dialog, seconds: number): void {
    const { scheme, user = '' } = incoming.request.target
    const contact = ['Contact', contactTowards(this.#stack, incoming.from, user, scheme === 'sips')] as const
    incoming.respond(200, { toTag, headers: [['Expires', String(seconds)], contact] })
  }
}
