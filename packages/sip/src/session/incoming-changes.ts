import { sdpOf, type Request } from '../message/message.ts'
import type { Dialog } from '../dialog/dialog.ts'
import type { OfferReply } from './session.ts'
import type { InviteServer, RequestServer } from '../transaction/server-transactions.ts'
import type { ServerTransaction } from '../transaction/transactions.ts'
import { reasonHeader } from './dialog-messages.ts'
import type { SessionContext } from './session-context.ts'

type Agreement = Extract<OfferReply, { sdp: string }>

type ChangeContext = Pick<
  SessionContext,
  'stack' | 'start' | 'lifecycle' | 'messages' | 'observer' | 'offerAnswer' | 'timer' | 'confirmations'
>

/** Changes by the far end in an existing session: re-INVITE (RFC 3261 §14.2) and UPDATE (RFC 3311 §5.2). */
export class IncomingChanges {
  readonly #context: ChangeContext
  /** Our offer is pending. */
  readonly #oursPending: () => boolean
  /** The far end's pending offer. */
  #running: Promise<void> | undefined
  /** The ACK of their latest re-INVITE. */
  #confirming: Promise<void> = Promise.resolve()
  #open: InviteServer | undefined

  constructor(context: ChangeContext, oursPending: () => boolean) {
    this.#context = context
    this.#oursPending = oursPending
    context.lifecycle.atEnd(() => this.#refuse(487))
  }

  /** Resolves when the far end's change is complete. */
  async settled(): Promise<void> {
    await this.#running
    await this.#confirming
  }

  invite(request: Request, server: InviteServer, dialog: Dialog): void {
    if (this.#glares(server)) return
    if (!this.#context.offerAnswer.complete || this.#context.lifecycle.state !== 'confirmed') return this.#later(server)
    this.#open = server
    this.#run(this.#answerInvite(request, server, dialog))
  }

  /** Without SDP it is only a refresh, which cannot collide. */
  update(request: Request, server: RequestServer, dialog: Dialog): void {
    const sdp = sdpOf(request)
    if (sdp === undefined) return void this.#agree(request, server, dialog, undefined)
    if (this.#glares(server)) return
    if (!this.#context.offerAnswer.complete) {
      if (this.#context.start.direction === 'outgoing') return void this.#context.messages.reply(server, 491)
      return this.#later(server)
    }
    this.#run(this.#answerUpdate(request, server, dialog, sdp))
  }

  /** Returns false if there is no INVITE to cancel. */
  cancelled(server: InviteServer): boolean {
    return this.#open === server && this.#refuse(487)
  }

  /** Returns true if it was rejected because of glare (RFC 3261 §14.2). */
  #glares(server: ServerTransaction): boolean {
    if (this.#running) this.#later(server)
    else if (this.#oursPending()) this.#context.messages.reply(server, 491)
    else return false
    return true
  }

  #later(server: ServerTransaction): void {
    const seconds = Math.floor(this.#context.stack.random() * 11)
    this.#context.messages.reply(server, 500, { headers: [['Retry-After', String(seconds)]] })
  }

  #refuse(status: number): boolean {
    const server = this.#open
    this.#open = undefined
    if (server) this.#context.messages.reply(server, status)
    return server !== undefined
  }

  #run(work: Promise<void>): void {
    const running = work.catch(this.#context.stack.fault).then(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
  }

  async #answerInvite(request: Request, server: InviteServer, dialog: Dialog): Promise<void> {
    const offer = sdpOf(request)
    const reply = await this.#context.observer.askFor(offer, request)
    if (this.#open !== server) return
    this.#open = undefined
    if ('status' in reply) return void this.#context.messages.reply(server, reply.status, { headers: reply.headers })
    const bytes = this.#agree(request, server, dialog, reply)
    this.#confirming = this.#confirm(request, server, bytes, offer === undefined)
    // Our offer stays open until the ACK; theirs is answered, and a far end that makes another one has seen that.
    if (offer === undefined) await this.#confirming
  }

  async #confirm(request: Request, server: InviteServer, bytes: Uint8Array, offered: boolean): Promise<void> {
    const ack = await this.#context.confirmations.expect(request, () => server.respond(200, bytes))
    if (!ack) return this.#context.lifecycle.hangUp({ by: 'network', status: 408 }, reasonHeader('SIP;cause=408;text="No ACK"'))
    const answer = offered ? sdpOf(ack) : undefined
    if (answer !== undefined) this.#context.observer.notify((observer) => observer.acknowledged?.(answer, ack))
  }

  async #answerUpdate(request: Request, server: RequestServer, dialog: Dialog, offer: string): Promise<void> {
    const reply = await this.#context.observer.askFor(offer, request)
    if ('status' in reply) this.#context.messages.reply(server, reply.status, { headers: reply.headers })
    else this.#agree(request, server, dialog, reply)
  }

  #agree(request: Request, server: ServerTransaction, dialog: Dialog, reply: Agreement | undefined): Uint8Array {
    if (dialog.refreshTarget(request)) this.#context.observer.notify((observer) => observer.moved?.())
    if (reply) this.#context.offerAnswer.describe(reply.sdp)
    const headers = [...(this.#context.lifecycle.hasEnded() ? [] : this.#context.timer.answer(request)), ...(reply?.headers ?? [])]
    return this.#context.messages.reply(server, 200, { contact: true, sdp: reply?.sdp, headers })
  }
}
