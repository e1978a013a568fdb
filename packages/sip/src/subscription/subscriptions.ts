import { Dialog, type DialogState } from '../dialog/dialog.ts'
import type { IncomingRequest } from '../request/incoming-request.ts'
import type { Request } from '../message/message.ts'
import { SipError } from '../grammar/scan.ts'
import { contactTowards, type Stack } from '../request/stack.ts'
import { newTag } from '../transaction/transactions.ts'
import type { Flow } from '../transport/transport.ts'
import type { Body, HeaderLines } from '../message/build.ts'
import { Sending } from '../request/sending.ts'
import type { Telling } from './event-packages.ts'

/** State that another process needs to resume a subscription. */
export interface SavedSubscription {
  dialog: DialogState
  event: string
  flow: Flow
  expiresAt: number
}

/**
 * CSeq gap after a resume: more NOTIFYs than fit into an hour, after which the state is saved again (RFC 3261 §12.2.2: the next CSeq must
 * be higher).
 */
const unseenNotifies = 4_000

/** All subscriptions at this user agent. The application checks permissions and limits. */
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

  /** The subscription of an in-dialog SUBSCRIBE. */
  of({ callId, toTag, fromTag }: Request): Subscription | undefined {
    const found = this.#all.get(toTag ?? '')
    return found?.dialog.callId === callId && found.dialog.remoteTag === fromTag ? found : undefined
  }

  /** Answers 200 and sends the state immediately. Throws SipError if the request has no usable Contact. */
  accept(incoming: IncomingRequest, seconds: number, deps: Omit<SubscriptionDeps, 'dialog'>): Subscription {
    const dialog = Dialog.ofRequest(incoming.request, newTag(), 0)
    const subscription = this.#keep({ ...deps, dialog })
    this.#grant(incoming, dialog, seconds)
    subscription.last(seconds)
    return subscription
  }

  /** Answers 200 to a refresh and sends the state immediately. */
  refresh(incoming: IncomingRequest, seconds: number, subscription: Subscription, flow: Flow): void {
    const { dialog } = subscription
    if (!dialog.takeInOrder(incoming.request)) throw new SipError(500, 'A later SUBSCRIBE was here before')
    subscription.refreshed(incoming.request, flow)
    this.#grant(incoming, dialog, seconds)
    subscription.last(seconds)
  }

  /** Resumes a subscription of another process. */
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

  /** Drops subscribers that are reachable only over this connection. */
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

/** Minimum milliseconds between two NOTIFYs, unless the phone subscribes again; later changes go into the next one. */
const minIntervalMs = 1_000
/** Milliseconds before a failed read of the state is retried. */
const retryMs = 5_000

interface SubscriptionDeps {
  dialog: Dialog
  /** The Event header of every NOTIFY. */
  event: string
  contentType: string
  /** Flow of NOTIFY, in place of the Contact. */
  flow: Flow
  /** The current state; undefined if the phone may no longer see it. */
  read(): Promise<Telling | undefined>
  /** The subscription has ended, and the phone knows or is unreachable. Not called when the user agent closes. */
  onEnd(): void
}

type EndReason = 'timeout' | 'rejected'

/** One subscription of a phone, with us as the notifier: the state immediately, then each change, until it expires (RFC 6665). */
export class Subscription {
  readonly #stack: Stack
  readonly #deps: SubscriptionDeps
  #flow: Flow
  #expiresAt = 0
  #cancelExpiry: () => void = () => {}
  #cancelWait: () => void = () => {}
  #isWaiting = false
  #isSending = false
  /** The state may have changed. */
  #isDue = false
  /** A NOTIFY is due even without a change. */
  #isAsked = false
  #ending: EndReason | undefined
  #ended = false
  #notBefore = 0
  /** The last sent state, without the version. */
  #told: string | undefined

  constructor(stack: Stack, deps: SubscriptionDeps) {
    this.#stack = stack
    this.#deps = deps
    this.#flow = deps.flow
  }

  get dialog(): Dialog {
    return this.#deps.dialog
  }

  get event(): string {
    return this.#deps.event
  }

  get flow(): Flow {
    return this.#flow
  }

  get expiresAt(): number {
    return this.#expiresAt
  }

  get isOver(): boolean {
    return this.#ended
  }

  /** Sets the remaining seconds and sends a NOTIFY immediately; 0 ends the subscription with a last NOTIFY. */
  last(seconds: number): void {
    if (this.#ended) return
    this.#cancelExpiry()
    this.#expiresAt = this.#stack.clock.now() + seconds * 1000
    this.#isAsked = true
    if (seconds === 0) this.#ending = 'timeout'
    else this.#cancelExpiry = this.#stack.clock.after(seconds * 1000, () => this.last(0))
    this.#emit()
  }

  /** The phone refreshed it, possibly from another address. */
  refreshed(request: Request, flow: Flow): void {
    this.#deps.dialog.refreshTarget(request)
    this.#flow = flow
  }

  /** The state may have changed. */
  changed(): void {
    this.#isDue = true
    this.#emit()
  }

  /** The phone is unreachable. */
  abandon(): void {
    if (this.#ended) return
    this.drop()
    this.#deps.onEnd()
  }

  /** No further NOTIFY; `onEnd` is not called. */
  drop(): void {
    this.#ended = true
    this.#cancelExpiry()
    this.#cancelWait()
  }

  #emit(): void {
    if (this.#ended || this.#isSending) return
    const ms = this.#isAsked ? 0 : this.#notBefore - this.#stack.clock.now()
    if (ms <= 0) return void this.#notifyNow()
    if (this.#isWaiting) return
    this.#isWaiting = true
    this.#cancelWait = this.#stack.clock.after(ms, () => {
      this.#isWaiting = false
      this.#emit()
    })
  }

  /** Sends sequentially: an older state must not overtake a newer one. */
  async #notifyNow(): Promise<void> {
    this.#isSending = true
    const isAsked = this.#isAsked
    this.#isAsked = this.#isDue = false
    const telling = await this.#read()
    if (this.#ended) return
    const isNewEvent = isAsked || this.#ending !== undefined || (telling !== undefined && telling(0) !== this.#told)
    const goesOn = this.#isDue || !isNewEvent || (await this.#notify(telling))
    this.#isSending = false
    if (!goesOn) return this.abandon()
    if (this.#isDue || this.#isAsked) this.#emit()
  }

  /** A failed read is due again. */
  async #read(): Promise<Telling | undefined> {
    try {
      const telling = await this.#deps.read()
      if (!telling) this.#ending ??= 'rejected'
      return telling
    } catch (error) {
      this.#stack.fault(error)
      this.#notBefore = this.#stack.clock.now() + retryMs
      this.#told = undefined
      this.#isDue = this.#ending === undefined
      return undefined
    }
  }

  /** Returns false if this ends the subscription: it was the last NOTIFY, or the phone rejected it. */
  async #notify(telling: Telling | undefined): Promise<boolean> {
    const { clock } = this.#stack
    const { dialog, contentType } = this.#deps
    const ending = this.#ending
    if (telling) this.#told = telling(0)
    this.#notBefore = Math.max(this.#notBefore, clock.now() + minIntervalMs)
    const left = Math.max(0, Math.ceil((this.#expiresAt - clock.now()) / 1000))
    const state = ending === undefined ? `active;expires=${left}` : `terminated;reason=${ending}`
    // The CSeq rises by one per request, also across a restart, and so does the version of the document, which begins with 0.
    const body = telling && { type: contentType, content: telling(dialog.localCseq) }
    const headers = [['Event', this.#deps.event] as const, ['Subscription-State', state] as const]
    const isTaken = await this.#send(headers, body)
    return isTaken && ending === undefined
  }

  #send(headers: HeaderLines, body: Body | undefined): Promise<boolean> {
    const { dialog } = this.#deps
    const way = { hop: dialog.hop, flow: this.#flow, failover: false, renumber: () => dialog.request('NOTIFY').cseq }
    return new Promise((resolve) => {
      const sending = new Sending(this.#stack, { ...dialog.request('NOTIFY'), headers, body, contactUser: '' }, way, {
        response: (response) => {
          const { status } = response
          // Retried later with Retry-After; every other rejection ends the subscription (RFC 6665 §4.2.2).
          if (status >= 200) resolve(status < 300 || response.header('retry-after') !== undefined)
        },
        failed: () => resolve(false),
      })
      sending.start()
    })
  }
}
