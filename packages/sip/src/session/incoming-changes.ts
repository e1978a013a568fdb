import { sdpOf } from '../message/body.ts'
import type { Dialog } from '../dialog/dialog.ts'
import type { Request } from '../message/message.ts'
import type { OfferReply } from './session.ts'
import type { InviteServer } from '../transaction/invite-server.ts'
import type { RequestServer } from '../transaction/request-server.ts'
import type { ServerTransaction } from '../transaction/transactions.ts'
import { reasonHeader } from './dialog-messages.ts'
import type { SessionContext } from './session-context.ts'

type Agreement = Extract<OfferReply, { sdp: string }>

type ChangeContext = Pick<
  SessionContext,
  'stack' | 'start' | 'lifecycle' | 'messages' | 'observer' | 'offerAnswer' | 'timer' | 'confirmations'
>

/** What the far end changes in a session that exists: re-INVITE (RFC 3261 §14.2) and UPDATE (RFC 3311 §5.2). */
export class IncomingChanges {
  readonly #context: ChangeContext
  /** An offer of ours is out. */
  readonly #oursPending: () => boolean
  /** Theirs is not answered yet. */
  #running: Promise<void> | undefined
  /** The ACK of their latest re-INVITE. */
  #confirming: Promise<void> = Promise.resolve()
  #open: InviteServer | undefined

  constructor(context: ChangeContext, oursPending: () => boolean) {
    this.#context = context
    this.#oursPending = oursPending
    context.lifecycle.atEnd(() => this.#refuse(487))
  }

  /** Resolves when the far end is done with what it is changing. */
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

  /** Without a description it is only a refresh, which never collides with anything. */
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

  /** False when there is nothing to cancel. */
  cancelled(server: InviteServer): boolean {
    return this.#open === server && this.#refuse(487)
  }

  /** True when it was rejected because of glare (RFC 3261 §14.2). */
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
    // Our offer is open until the ACK; theirs is answered, and a far end that makes the next one has seen that.
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
