import { sdpOf } from '../message/body.ts'
import type { Dialog } from '../dialog/dialog.ts'
import type { Request } from '../message/message.ts'
import type { OfferReply } from './session.ts'
import type { InviteServer } from '../transaction/invite-server.ts'
import type { RequestServer } from '../transaction/request-server.ts'
import type { ServerTransaction } from '../transaction/transactions.ts'
import { Confirmation } from './confirmation.ts'
import { reasonHeader } from './session-core.ts'
import type { SessionCore } from './session-core.ts'

type Agreement = Extract<OfferReply, { sdp: string }>

/** What the far end changes in a session that exists: re-INVITE (RFC 3261 §14.2) and UPDATE (RFC 3311 §5.2). */
export class IncomingChanges {
  readonly #core: SessionCore
  /** An offer of ours is out. */
  readonly #oursPending: () => boolean
  /** Theirs is not answered yet. */
  #running: Promise<void> | undefined
  /** The ACK of their latest re-INVITE. */
  #confirming: Promise<void> = Promise.resolve()
  #open: InviteServer | undefined

  constructor(core: SessionCore, oursPending: () => boolean) {
    this.#core = core
    this.#oursPending = oursPending
    core.atEnd(() => this.#refuse(487))
  }

  /** Resolves when the far end is done with what it is changing. */
  async settled(): Promise<void> {
    await this.#running
    await this.#confirming
  }

  invite(request: Request, server: InviteServer, dialog: Dialog): void {
    if (this.#glares(server)) return
    if (!this.#core.negotiated || this.#core.state !== 'confirmed') return this.#later(server)
    this.#open = server
    this.#run(this.#answerInvite(request, server, dialog))
  }

  /** Without a description it is only a refresh, which never collides with anything. */
  update(request: Request, server: RequestServer, dialog: Dialog): void {
    const sdp = sdpOf(request)
    if (sdp === undefined) return void this.#agree(request, server, dialog, undefined)
    if (this.#glares(server)) return
    if (!this.#core.negotiated) {
      if (this.#core.direction === 'outgoing') return void this.#core.reply(server, 491)
      return this.#later(server)
    }
    this.#run(this.#answerUpdate(request, server, dialog, sdp))
  }

  /** False when there is nothing to cancel. */
  cancelled(server: InviteServer): boolean {
    return this.#open === server && this.#refuse(487)
  }

  /** True when it was refused because two changes met (RFC 3261 §14.2). */
  #glares(server: ServerTransaction): boolean {
    if (this.#running) this.#later(server)
    else if (this.#oursPending()) this.#core.reply(server, 491)
    else return false
    return true
  }

  #later(server: ServerTransaction): void {
    const seconds = Math.floor(this.#core.stack.random() * 11)
    this.#core.reply(server, 500, { headers: [['Retry-After', String(seconds)]] })
  }

  #refuse(status: number): boolean {
    const server = this.#open
    this.#open = undefined
    if (server) this.#core.reply(server, status)
    return server !== undefined
  }

  #run(work: Promise<void>): void {
    const running = work.catch(this.#core.stack.fault).then(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
  }

  async #answerInvite(request: Request, server: InviteServer, dialog: Dialog): Promise<void> {
    const offer = sdpOf(request)
    const reply = await this.#core.askFor(offer, request)
    if (this.#open !== server) return
    this.#open = undefined
    if ('status' in reply) return void this.#core.reply(server, reply.status, { headers: reply.headers })
    const bytes = this.#agree(request, server, dialog, reply)
    this.#confirming = this.#confirm(request, server, bytes, offer === undefined)
    // Our offer is open until the ACK; theirs is answered, and whoever sends the next one has seen that.
    if (offer === undefined) await this.#confirming
  }

  async #confirm(request: Request, server: InviteServer, bytes: Uint8Array, offered: boolean): Promise<void> {
    const confirmation = new Confirmation(this.#core.stack.clock, () => server.respond(200, bytes))
    this.#core.confirmations.set(request.cseq.number, confirmation)
    const ack = await confirmation.done
    if (!ack) return this.#core.hangUp({ by: 'network', status: 408 }, reasonHeader('SIP;cause=408;text="No ACK"'))
    const answer = offered ? sdpOf(ack) : undefined
    if (answer !== undefined) this.#core.tell((observer) => observer.acknowledged?.(answer, ack))
  }

  async #answerUpdate(request: Request, server: RequestServer, dialog: Dialog, offer: string): Promise<void> {
    const reply = await this.#core.askFor(offer, request)
    if ('status' in reply) this.#core.reply(server, reply.status, { headers: reply.headers })
    else this.#agree(request, server, dialog, reply)
  }

  #agree(request: Request, server: ServerTransaction, dialog: Dialog, reply: Agreement | undefined): Uint8Array {
    if (dialog.refreshTarget(request)) this.#core.tell((observer) => observer.moved?.())
    if (reply) this.#core.localSdp = reply.sdp
    const headers = [...(this.#core.hasEnded() ? [] : this.#core.timerAnswer(request)), ...(reply?.headers ?? [])]
    return this.#core.reply(server, 200, { contact: true, sdp: reply?.sdp, headers })
  }
}
