import { sdpOf } from '../message/body.ts'
import type { HeaderLines } from '../message/build.ts'
import { parseRAck } from '../grammar/headers.ts'
import type { Request } from '../message/message.ts'
import { transactionTimeout, resend, T1 } from '../transaction/timers.ts'
import type { InviteServer } from '../transaction/invite-server.ts'
import type { RequestServer } from '../transaction/request-server.ts'
import type { SessionContext } from './session-context.ts'

interface Outstanding {
  rseq: number
  /** It has our offer, because the INVITE had none: PRACK has the answer. */
  offers: boolean
  settle(confirmed: boolean): void
}

type ReliableContext = Pick<SessionContext, 'stack' | 'lifecycle' | 'messages' | 'observer' | 'offerAnswer'>

/** Provisional responses that are repeated until PRACK confirms them: RFC 3262 §3. One at a time. */
export class ReliableProvisionals {
  readonly #context: ReliableContext
  readonly #server: InviteServer
  readonly #unconfirmed: () => void
  #rseq: number
  #outstanding: Outstanding | undefined
  #queue: Promise<boolean> = Promise.resolve(true)

  /** `unconfirmed`: the far end did not confirm one in time; the INVITE must be refused then. */
  constructor(context: ReliableContext, server: InviteServer, unconfirmed: () => void) {
    this.#context = context
    this.#server = server
    this.#unconfirmed = unconfirmed
    this.#rseq = 1 + Math.floor(context.stack.random() * 1_000_000)
    context.lifecycle.atEnd(() => this.#outstanding?.settle(false))
  }

  /** Resolves when everything so far is confirmed (true) or never will be. */
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

  /** Throws SipError(400) when it does not say what it confirms. */
  prack(request: Request, server: RequestServer): void {
    const outstanding = this.#matching(request)
    if (outstanding) void this.#confirm(outstanding, request, server)
    else this.#context.messages.reply(server, 481)
  }

  /** It may have the answer to our offer, or a new offer. */
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
