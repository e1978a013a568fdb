import { sdpOf, type Request } from '../message/message.ts'
import type { Dialog } from '../dialog/dialog.ts'
import type { HeaderLines } from '../message/build.ts'
import { hasElement, parseRAck } from '../grammar/headers.ts'
import type { SessionEnd } from './session.ts'
import { nothing, transactionTimeout, resend, T1 } from '../transaction/timers.ts'
import type { InviteServer, RequestServer } from '../transaction/server-transactions.ts'
import { reasonHeader } from './dialog-messages.ts'
import type { SessionContext } from './session-context.ts'

/** RFC 3261 §13.3.1.1: proxies cancel a call without a provisional response for three minutes. */
const repeatProgressAfter = 60_000

type SetupContext = Pick<SessionContext, 'stack' | 'lifecycle' | 'messages' | 'observer' | 'offerAnswer' | 'timer' | 'confirmations'>

/** The INVITE that starts an incoming session, until it is accepted and confirmed, rejected or cancelled. */
export class IncomingSetup {
  readonly #context: SetupContext
  readonly #server: InviteServer
  readonly #dialog: Dialog
  readonly #offered: boolean
  readonly #reliability: 'required' | 'supported' | 'unknown'
  readonly #reliable: ReliableProvisionals
  /** accept() was called; no provisional responses follow. */
  #accepting = false
  /** A final response was sent. */
  #answered = false
  /** A reliable response had the SDP, so the 200 needs none. */
  #described = false
  #stopRepeating = nothing

  constructor(context: SetupContext, server: InviteServer, dialog: Dialog) {
    this.#context = context
    this.#dialog = dialog
    this.#server = server
    const { request } = server
    this.#offered = sdpOf(request) !== undefined
    const required = hasElement(request.lines('require'), '100rel')
    this.#reliability = required ? 'required' : hasElement(request.lines('supported'), '100rel') ? 'supported' : 'unknown'
    this.#reliable = new ReliableProvisionals(context, server, () => this.refuse({ by: 'network', status: 504 }, 504))
    context.lifecycle.atEnd(() => this.#stopRepeating())
  }

  /** Stops answering. */
  abandon(): void {
    this.#server.terminate()
  }

  async progress(status: number, options: { sdp?: string | undefined; reliable?: boolean; headers?: HeaderLines }): Promise<boolean> {
    if (this.#accepting || this.#answered || this.#context.lifecycle.hasEnded()) return false
    this.#stopRepeating()
    this.#context.lifecycle.ring()
    const { sdp, headers = [] } = options
    const reliable = this.#reliability === 'required' || (this.#reliability === 'supported' && options.reliable === true)
    if (reliable) return this.#progressReliably(status, sdp, headers)
    // An offer of ours must be reliable (RFC 3261 §13.2.1), so it waits for the 200.
    const shown = this.#offered ? sdp : undefined
    const bytes = this.#context.messages.reply(this.#server, status, { contact: true, sdp: shown, headers })
    this.#repeat(status, bytes)
    return true
  }

  async accept(options: { sdp?: string | undefined; headers?: HeaderLines }): Promise<boolean> {
    if (this.#accepting || this.#answered || this.#context.lifecycle.hasEnded()) return false
    this.#accepting = true
    this.#stopRepeating()
    // RFC 3262 §3: SDP in a reliable response must be confirmed before the 2xx.
    if (this.#described) await this.#reliable.settled
    if (this.#context.lifecycle.hasEnded()) return false
    const ack = await this.#sendSuccess(options.sdp, options.headers ?? [])
    if (!ack) {
      this.#context.lifecycle.hangUp({ by: 'network', status: 408 }, reasonHeader('SIP;cause=408;text="No ACK"'))
      return false
    }
    if (!this.#offered && !this.#described) this.#takeAnswer(ack)
    return !this.#context.lifecycle.hasEnded()
  }

  /** A final response other than 2xx. */
  refuse(end: SessionEnd, status: number, headers: HeaderLines = []): void {
    if (this.#answered) return
    this.#answered = true
    this.#context.messages.reply(this.#server, status, { headers })
    this.#context.lifecycle.finish(end)
  }

  /** By CANCEL or an early BYE. */
  cancelled(request: Request): void {
    const reason = request.header('reason')
    this.refuse({ by: 'peer', status: 487, message: request, ...(reason === undefined ? {} : { reason }) }, 487)
  }

  get answered(): boolean {
    return this.#answered
  }

  prack(request: Request, server: RequestServer): void {
    this.#reliable.prack(request, server)
  }

  #progressReliably(status: number, sdp: string | undefined, headers: HeaderLines): Promise<boolean> {
    // Repeating the SDP would be a new offer.
    const shown = this.#described ? undefined : sdp
    if (shown !== undefined) this.#describe(shown)
    return this.#reliable.send(status, { sdp: shown, offers: shown !== undefined && !this.#offered, headers })
  }

  #describe(sdp: string): void {
    this.#described = true
    this.#context.offerAnswer.describe(sdp)
    this.#context.offerAnswer.completed()
  }

  #sendSuccess(sdp: string | undefined, headers: HeaderLines): Promise<Request | undefined> {
    const { confirmations, lifecycle, messages, offerAnswer, timer } = this.#context
    const { request } = this.#server
    const shown = this.#described ? undefined : sdp
    if (shown !== undefined) offerAnswer.describe(shown)
    if (this.#offered) offerAnswer.completed()
    const bytes = messages.reply(this.#server, 200, { contact: true, sdp: shown, headers: [...timer.answer(request), ...headers] })
    this.#answered = true
    const acknowledged = confirmations.expect(request, () => this.#server.respond(200, bytes))
    lifecycle.confirm(this.#dialog, acknowledged)
    return acknowledged
  }

  #takeAnswer(ack: Request): void {
    const answer = sdpOf(ack)
    if (answer === undefined)
      return this.#context.lifecycle.hangUp({ by: 'us', status: 488 }, reasonHeader('SIP;cause=488;text="No answer in ACK"'))
    this.#context.offerAnswer.completed()
    this.#context.observer.notify((observer) => observer.acknowledged?.(answer, ack))
  }

  #repeat(status: number, bytes: Uint8Array): void {
    this.#stopRepeating = this.#context.stack.clock.after(repeatProgressAfter, () => {
      this.#server.respond(status, bytes)
      this.#repeat(status, bytes)
    })
  }
}

interface Outstanding {
  rseq: number
  /** Contains our offer, because the INVITE had none; PRACK has the answer. */
  offers: boolean
  settle(confirmed: boolean): void
}

type ReliableContext = Pick<SessionContext, 'stack' | 'lifecycle' | 'messages' | 'observer' | 'offerAnswer'>

/** Provisional responses repeated until PRACK confirms them: RFC 3262 §3. One at a time. */
class ReliableProvisionals {
  readonly #context: ReliableContext
  readonly #server: InviteServer
  readonly #unconfirmed: () => void
  #rseq: number
  #outstanding: Outstanding | undefined
  #queue: Promise<boolean> = Promise.resolve(true)

  /** `unconfirmed`: the far end sent no PRACK in time; the INVITE must then be rejected. */
  constructor(context: ReliableContext, server: InviteServer, unconfirmed: () => void) {
    this.#context = context
    this.#server = server
    this.#unconfirmed = unconfirmed
    this.#rseq = 1 + Math.floor(context.stack.random() * 1_000_000)
    context.lifecycle.atEnd(() => this.#outstanding?.settle(false))
  }

  /** Resolves when all responses so far are confirmed (true) or never will be. */
  get settled(): Promise<boolean> {
    return this.#queue
  }

  send(status: number, parts: { sdp: string | undefined; offers: boolean; headers: HeaderLines }): Promise<boolean> {
    this.#queue = this.#queue.then((before) => before && this.#sendNow(status, parts))
    return this.#queue
  }

  #sendNow(status: number, parts: { sdp: string | undefined; offers: boolean; headers: HeaderLines }): Promise<boolean> | boolean {
    if (this.#context.lifecycle.hasEnded()) return false
    const rseq = this.#rseq++
    const headers: HeaderLines = [['Require', '100rel'], ['RSeq', String(rseq)], ...parts.headers]
    const bytes = this.#context.messages.reply(this.#server, status, { contact: true, sdp: parts.sdp, headers })
    const { clock } = this.#context.stack
    const confirmed = Promise.withResolvers<boolean>()
    const stopResending = resend(clock, T1, transactionTimeout, () => this.#server.respond(status, bytes))
    const stopTimer = clock.after(transactionTimeout, () => {
      settle(false)
      this.#unconfirmed()
    })
    const settle = (value: boolean): void => {
      this.#outstanding = undefined
      stopResending()
      stopTimer()
      confirmed.resolve(value)
    }
    this.#outstanding = { rseq, offers: parts.offers, settle }
    return confirmed.promise
  }

  /** Throws SipError(400) without a valid RAck. */
  prack(request: Request, server: RequestServer): void {
    const outstanding = this.#matching(request)
    if (outstanding) void this.#confirm(outstanding, request, server)
    else this.#context.messages.reply(server, 481)
  }

  /** It may carry the answer to our offer, or a new offer. */
  async #confirm(outstanding: Outstanding, request: Request, server: RequestServer): Promise<void> {
    const sdp = sdpOf(request)
    if (sdp === undefined || outstanding.offers) {
      this.#context.messages.reply(server, 200)
      if (sdp !== undefined) this.#context.observer.notify((observer) => observer.acknowledged?.(sdp, request))
    } else await this.#answerOffer(request, server, sdp)
    outstanding.settle(true)
  }

  async #answerOffer(request: Request, server: RequestServer, offer: string): Promise<void> {
    const reply = await this.#context.observer.askFor(offer, request)
    if ('status' in reply) return void this.#context.messages.reply(server, reply.status, { headers: reply.headers })
    this.#context.offerAnswer.describe(reply.sdp)
    this.#context.messages.reply(server, 200, { sdp: reply.sdp, headers: reply.headers })
  }

  #matching(request: Request): Outstanding | undefined {
    const { rseq, cseq, method } = parseRAck(request.header('rack') ?? '')
    const matches = this.#outstanding?.rseq === rseq && cseq === this.#server.request.cseq.number && method === 'INVITE'
    return matches ? this.#outstanding : undefined
  }
}
