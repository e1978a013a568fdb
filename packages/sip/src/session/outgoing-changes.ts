import { sdpOf, type Response } from '../message/message.ts'
import type { HeaderLines } from '../message/build.ts'
import type { Dialog } from '../dialog/dialog.ts'
import { allow } from '../request/stack.ts'
import { transactionTimeout } from '../transaction/timers.ts'
import { type Acknowledgement, reasonHeader, sdpBody, type RequestOutcome } from './dialog-messages.ts'
import type { SessionContext } from './session-context.ts'

export interface ChangeOptions {
  method?: 'INVITE' | 'UPDATE'
  headers?: HeaderLines
}

export interface ChangeResult {
  status: number
  sdp: string | undefined
}

/** Attempts per change: glare, a session timer that is too short, UPDATE that turns out to be unsupported. */
const maxAttempts = 8
/** Milliseconds after which a re-INVITE with only provisional responses stops blocking the session. */
const changeTimeout = 2 * transactionTimeout

/** A re-INVITE omits 100rel: its provisional responses are ignored. */
const supportedInChange = 'timer, replaces, norefersub'

type ChangeContext = Pick<SessionContext, 'stack' | 'start' | 'farEnd' | 'lifecycle' | 'messages' | 'observer' | 'offerAnswer' | 'timer'>

/** Our changes in an existing session: re-INVITE (RFC 3261 §14.1), UPDATE (RFC 3311 §5.1) and refreshes (RFC 4028 §10). */
export class OutgoingChanges {
  readonly #context: ChangeContext
  readonly #theirs: () => Promise<void>
  #queue: Promise<unknown> = Promise.resolve()
  #pending = false

  /** `theirs` resolves when the far end's change is complete. */
  constructor(context: ChangeContext, theirs: () => Promise<void>) {
    this.#context = context
    this.#theirs = theirs
  }

  get pending(): boolean {
    return this.#pending
  }

  offer(sdp: string | undefined, options: ChangeOptions): Promise<ChangeResult> {
    return this.#sequential(() => this.#change(sdp, options.method === 'UPDATE' && sdp !== undefined, options.headers ?? []))
  }

  /** UPDATE without SDP if the far end allows it, otherwise a re-INVITE with our last SDP. */
  async refresh(): Promise<void> {
    const { farEnd, offerAnswer } = this.#context
    const result = await this.#sequential(() =>
      farEnd.allowsUpdate ? this.#change(undefined, true, []) : this.#change(offerAnswer.local, false, []),
    )
    const { sdp } = result
    if (result.status < 300 && sdp !== undefined) this.#context.observer.notify((observer) => observer.refreshed?.(sdp))
  }

  #sequential(run: () => Promise<ChangeResult>): Promise<ChangeResult> {
    const turn = this.#queue.then(run)
    this.#queue = turn
    return turn
  }

  async #change(sdp: string | undefined, byUpdate: boolean, headers: HeaderLines): Promise<ChangeResult> {
    const { farEnd, lifecycle, offerAnswer } = this.#context
    for (let tries = 1; ; tries++) {
      await this.#whenQuiet()
      const { dialog } = lifecycle
      if (!dialog || lifecycle.hasEnded()) return { status: 481, sdp: undefined }
      const update = byUpdate && farEnd.allowsUpdate
      if (lifecycle.state !== 'confirmed' && !(update && offerAnswer.complete)) return { status: 491, sdp: undefined }
      this.#pending = true
      const outcome = await (update ? this.#update(dialog, sdp, headers) : this.#reinvite(dialog, sdp, headers))
      this.#pending = false
      if (lifecycle.hasEnded()) return { status: 481, sdp: undefined }
      if (tries < maxAttempts && (await this.#worthAnotherTry(outcome, update))) continue
      return this.#conclude(outcome, sdp)
    }
  }

  #conclude({ status, response }: RequestOutcome, sdp: string | undefined): ChangeResult {
    // RFC 3261 §12.2.1.2: the dialog is gone.
    if (status === 408 || status === 481) this.#context.lifecycle.hangUp({ by: 'network', status }, reasonHeader(`SIP;cause=${status}`))
    if (status >= 300 || !response) return { status, sdp: undefined }
    if (sdp !== undefined) this.#context.offerAnswer.describe(sdp)
    return { status, sdp: sdpOf(response) }
  }

  async #worthAnotherTry({ status, response }: RequestOutcome, update: boolean): Promise<boolean> {
    if (status === 491) {
      await this.#context.lifecycle.pause(this.#glareWait())
      return true
    }
    if (status === 422 && response) {
      this.#context.timer.wasTooShort(response)
      return true
    }
    if (!update || (status !== 405 && status !== 501)) return false
    this.#context.farEnd.refusedUpdate()
    return true
  }

  /** RFC 3261 §14.1: the owner of the Call-ID waits longer, to avoid another glare. */
  #glareWait(): number {
    const steps = this.#context.stack.random()
    return this.#context.start.direction === 'outgoing' ? 2_100 + 10 * Math.floor(steps * 191) : 10 * Math.floor(steps * 201)
  }

  async #whenQuiet(): Promise<void> {
    await this.#context.lifecycle.acknowledged
    await this.#theirs()
  }

  async #update(dialog: Dialog, sdp: string | undefined, headers: HeaderLines): Promise<RequestOutcome> {
    const parts = { contact: true, body: sdpBody(sdp), headers: this.#headers(headers) }
    const outcome = await this.#context.messages.send('UPDATE', parts, dialog)
    if (outcome.response && outcome.status < 300) this.#agreed(dialog, outcome.response)
    return outcome
  }

  #reinvite(dialog: Dialog, sdp: string | undefined, headers: HeaderLines): Promise<RequestOutcome> {
    const { farEnd, lifecycle, messages } = this.#context
    const { promise, resolve } = Promise.withResolvers<RequestOutcome>()
    let ack: Acknowledgement | Promise<Acknowledgement> | undefined
    const sending = messages.prepare('INVITE', { contact: true, body: sdpBody(sdp), headers: this.#headers(headers) }, dialog, {
      response: (response, from) => {
        farEnd.note(response, from)
        if (response.status < 200) return
        if (response.status >= 300) return resolve({ status: response.status, response })
        if (ack) return void Promise.resolve(ack).then((known) => known.send())
        ack = this.#acknowledge(dialog, response, sdp === undefined, sending.credentials)
        void ack.then(() => resolve({ status: response.status, response }))
      },
      failed: (status) => resolve({ status, response: undefined }),
    })
    void lifecycle.pause(changeTimeout, promise).then(() => {
      if (!lifecycle.hasEnded()) sending.abandon()
      resolve({ status: 408, response: undefined })
    })
    sending.start()
    return promise
  }

  /** After an INVITE without an offer the 2xx has one, and the ACK our answer. */
  async #acknowledge(dialog: Dialog, response: Response, late: boolean, credentials: HeaderLines): Promise<Acknowledgement> {
    const { lifecycle, messages, observer, offerAnswer } = this.#context
    this.#agreed(dialog, response)
    const offer = late ? sdpOf(response) : undefined
    const reply = offer === undefined ? undefined : await observer.askFor(offer, response)
    const sdp = reply && 'sdp' in reply ? reply.sdp : undefined
    if (sdp !== undefined) offerAnswer.describe(sdp)
    const ack = messages.acknowledge(dialog, response, credentials, sdp)
    await ack.send()
    if (late && sdp === undefined) lifecycle.hangUp({ by: 'us', status: 488 }, reasonHeader('SIP;cause=488'))
    return ack
  }

  #agreed(dialog: Dialog, response: Response): void {
    if (dialog.refreshTarget(response)) this.#context.observer.notify((observer) => observer.moved?.())
    this.#context.timer.agreed(response)
  }

  #headers(more: HeaderLines): HeaderLines {
    return [['Allow', allow], ['Supported', supportedInChange], ...this.#context.timer.wish(), ...more]
  }
}
