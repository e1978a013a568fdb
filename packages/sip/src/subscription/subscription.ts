import type { Body, HeaderLines } from '../message/build.ts'
import type { Dialog } from '../dialog/dialog.ts'
import type { Request } from '../message/message.ts'
import { Sending } from '../request/sending.ts'
import type { Stack } from '../request/stack.ts'
import type { Flow } from '../transport/transport.ts'
import type { Telling } from './event-package.ts'

/** At most one NOTIFY in this time, unless the phone subscribes anew; changes meanwhile go into the next. */
const minIntervalMs = 1_000
/** How long to wait after the state could not be read before it is read again, in milliseconds. */
const retryMs = 5_000

export interface SubscriptionDeps {
  dialog: Dialog
  /** The Event header of every NOTIFY. */
  event: string
  contentType: string
  /** NOTIFY goes this way instead of where the Contact says. */
  flow: Flow
  /** The present state; undefined when the phone must not see it any more. */
  read(): Promise<Telling | undefined>
  /** The subscription is over, and the phone knows or cannot be reached. Not called when the user agent is closed. */
  onEnd(): void
}

type EndReason = 'timeout' | 'rejected'

/** One subscription of a phone, with us as the notifier: the state at once, then each change, until it expires (RFC 6665). */
export class Subscription {
  readonly #stack: Stack
  readonly #deps: SubscriptionDeps
  #flow: Flow
  #expiresAt = 0
  #cancelExpiry: () => void = () => {}
  #cancelWait: () => void = () => {}
  #isWaiting = false
  #isSending = false
  /** Something may have changed … */
  #isDue = false
  /** … or a NOTIFY is due though nothing has. */
  #isAsked = false
  #ending: EndReason | undefined
  #ended = false
  #notBefore = 0
  /** The last state that was sent, but for the version. */
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

  /** Lasts that many seconds from now on, with a NOTIFY at once; 0 ends it with a last NOTIFY. */
  last(seconds: number): void {
    if (this.#ended) return
    this.#cancelExpiry()
    this.#expiresAt = this.#stack.clock.now() + seconds * 1000
    this.#isAsked = true
    if (seconds === 0) this.#ending = 'timeout'
    else this.#cancelExpiry = this.#stack.clock.after(seconds * 1000, () => this.last(0))
    this.#emit()
  }

  /** It came again, perhaps from somewhere else. */
  refreshed(request: Request, flow: Flow): void {
    this.#deps.dialog.refreshTarget(request)
    this.#flow = flow
  }

  /** The state may have changed. */
  changed(): void {
    this.#isDue = true
    this.#emit()
  }

  /** The phone cannot be reached any more. */
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

  /** One after the other: a later state must not be overtaken by an older one. */
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

  /** When it cannot be read it is due again. */
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

  /** False when this ends the subscription: it was the last NOTIFY, or the phone rejected it. */
  async #notify(telling: Telling | undefined): Promise<boolean> {
    const { clock } = this.#stack
    const { dialog, contentType } = this.#deps
    const ending = this.#ending
    if (telling) this.#told = telling(0)
    this.#notBefore = Math.max(this.#notBefore, clock.now() + minIntervalMs)
    const left = Math.max(0, Math.ceil((this.#expiresAt - clock.now()) / 1000))
    const state = ending === undefined ? `active;expires=${left}` : `terminated;reason=${ending}`
    // The number of the request rises by one each time, also over a restart: so does the version of the document, which begins with 0.
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
          // With Retry-After it is sent again later; every other rejection ends the subscription (RFC 6665 §4.2.2).
          if (status >= 200) resolve(status < 300 || response.header('retry-after') !== undefined)
        },
        failed: () => resolve(false),
      })
      sending.start()
    })
  }
}
