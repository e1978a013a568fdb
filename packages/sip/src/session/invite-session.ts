import type { HeaderLines } from '../message/build.ts'
import { Dialog } from '../dialog/dialog.ts'
import { madeUpResponse } from '../dialog/made-up.ts'
import type { Request, Response } from '../message/message.ts'
import type { InviteDraft, ReferOptions, Session, SessionEnd, SessionObserver, SessionState, SessionTrace } from './session.ts'
import type { SessionStack } from './session-stack.ts'
import { InviteServer } from '../transaction/invite-server.ts'
import type { ServerTransaction } from '../transaction/transactions.ts'
import type { Flow } from '../transport/transport.ts'
import { IncomingChanges } from './incoming-changes.ts'
import { IncomingSetup } from './incoming-setup.ts'
import { OutgoingChanges } from './outgoing-changes.ts'
import type { ChangeOptions, ChangeResult } from './outgoing-changes.ts'
import { OutgoingSetup } from './outgoing-setup.ts'
import { reasonHeader, SessionCore } from './session-core.ts'
import type { CoreStart } from './session-core.ts'
import { isTooShort } from './session-timer.ts'
import { Transfers } from './transfers.ts'

/** A call as the user agent runs it. */
export class InviteSession implements Session {
  readonly #core: SessionCore
  readonly #outgoing: OutgoingSetup | undefined
  readonly #incoming: IncomingSetup | undefined
  readonly #theirChanges: IncomingChanges
  readonly #ourChanges: OutgoingChanges
  readonly #transfers: Transfers

  /** `released` is called when everything has been said. */
  constructor(stack: SessionStack, start: CoreStart, initial: InviteDraft | InviteServer, released: () => void) {
    const core = new SessionCore(stack, start)
    this.#core = core
    if (initial instanceof InviteServer) this.#incoming = this.#answering(initial)
    else this.#outgoing = new OutgoingSetup(core, initial)
    this.#theirChanges = new IncomingChanges(core, () => this.#ourChanges.pending)
    this.#ourChanges = new OutgoingChanges(core, () => this.#theirChanges.settled())
    this.#transfers = new Transfers(core)
    core.onRefresh = () => void this.#ourChanges.refresh()
    core.atEnd(() => void core.farewell.then(released))
  }

  #answering(server: InviteServer): IncomingSetup {
    const core = this.#core
    const dialog = Dialog.ofRequest(server.request, core.localTag, 1 + Math.floor(core.stack.random() * 10_000))
    core.dialog = dialog
    core.dialogs.set(dialog.remoteTag, dialog)
    core.note(server.request, server.flow)
    return new IncomingSetup(core, server)
  }

  get id(): string {
    return this.#core.localTag
  }

  get direction(): 'incoming' | 'outgoing' {
    return this.#core.direction
  }

  get state(): SessionState {
    return this.#core.state
  }

  get callId(): string {
    return this.#core.callId
  }

  get localTag(): string {
    return this.#core.localTag
  }

  get remoteTag(): string | undefined {
    return this.#core.dialog?.remoteTag
  }

  get peerAllowsUpdate(): boolean {
    return this.#core.peerAllowsUpdate
  }

  get peerAllowsRefer(): boolean {
    return this.#core.peerAllowsRefer
  }

  get peer(): Flow | undefined {
    return this.#core.peer
  }

  get origin(): string | undefined {
    return this.#core.origin
  }

  get trace(): SessionTrace | undefined {
    const { dialog, pinned, inviteAddress, state, direction } = this.#core
    if (!dialog || state === 'ended' || (direction === 'outgoing' && state !== 'confirmed')) return undefined
    return { ...dialog.state, ...(pinned && { flow: pinned }), ...(inviteAddress !== undefined && { trusted: inviteAddress }) }
  }

  get ended(): Promise<SessionEnd> {
    return this.#core.ended
  }

  observe(observer: SessionObserver): void {
    this.#core.observe(observer)
  }

  pin(flow: Flow): void {
    this.#core.pinned = flow
  }

  /** Outgoing: sends the INVITE. */
  start(): void {
    this.#outgoing?.start()
  }

  async progress(status: number, options: { sdp?: string | undefined; reliable?: boolean; headers?: HeaderLines } = {}): Promise<boolean> {
    return this.#incoming?.progress(status, options) ?? false
  }

  async accept(options: { sdp?: string | undefined; headers?: HeaderLines } = {}): Promise<boolean> {
    return this.#incoming?.accept(options) ?? false
  }

  reject(status: number, headers: HeaderLines = []): void {
    if (!this.#core.hasEnded()) this.#incoming?.refuse({ by: 'us', status }, status, headers)
  }

  offer(sdp: string | undefined, options: ChangeOptions = {}): Promise<ChangeResult> {
    return this.#ourChanges.offer(sdp, options)
  }

  refer(uri: string, options: ReferOptions = {}): Promise<number> {
    return this.#transfers.refer(uri, options)
  }

  async info(contentType: string, body: string, headers: HeaderLines = []): Promise<number> {
    if (this.#core.hasEnded()) return 481
    const { status } = await this.#core.send('INFO', { headers, body: { type: contentType, content: body } })
    return status
  }

  async request(method: string, options: { contentType?: string; body?: string; headers?: HeaderLines } = {}): Promise<Response> {
    const { contentType, body, headers } = options
    const content = contentType === undefined || body === undefined ? undefined : { type: contentType, content: body }
    const { status, response } = this.#core.hasEnded()
      ? { status: 481, response: undefined }
      : await this.#core.send(method, { headers, body: content })
    const asked = { method, from: '<sip:us.invalid>', to: '<sip:them.invalid>', callId: this.callId, cseq: 1 }
    return response ?? madeUpResponse(status, asked)
  }

  async end(options: { status?: number; reason?: string; headers?: HeaderLines } = {}): Promise<void> {
    if (!this.#core.hasEnded()) this.#sayGoodbye(options)
    await this.#core.farewell
  }

  #sayGoodbye({ status = 486, reason, headers = [] }: { status?: number; reason?: string; headers?: HeaderLines }): void {
    const all = [...reasonHeader(reason), ...headers]
    if (this.#core.state === 'confirmed') this.#core.hangUp({ by: 'us' }, all)
    else if (this.#outgoing) this.#outgoing.cancel({ by: 'us', status: 487 }, all)
    else this.#incoming?.refuse({ by: 'us', status }, status, all)
  }

  /** Without another word: nothing that runs by time is left. */
  drop(): void {
    this.#core.finish({ by: 'us' })
    this.#core.stopConfirmations()
    this.#outgoing?.abandon()
  }

  connectionClosed(connection: number): void {
    const { pinned } = this.#core
    if (pinned?.connection !== connection) return
    const { connection: _gone, ...address } = pinned
    this.#core.pinned = address
  }

  /** The tag is that of one of our branches. */
  knows(remoteTag: string | undefined): boolean {
    return this.#core.dialogs.has(remoteTag ?? '')
  }

  /** Of a 2xx of ours. */
  acknowledged(ack: Request): void {
    this.#core.acknowledged(ack)
  }

  /** A CANCEL for the INVITE of this transaction, which was answered with 200 already. */
  cancelled(server: InviteServer, cancel: Request): void {
    if (this.#theirChanges.cancelled(server)) return
    if (this.#incoming && !this.#incoming.answered && server.request.toTag === undefined) this.#incoming.cancelled(cancel)
  }

  /** A request inside the dialog. Throws SipError for what makes no sense. */
  receive(server: ServerTransaction): void {
    const { request } = server
    const dialog = this.#core.dialogs.get(request.fromTag ?? '')
    // A branch of a forked call that lost may still say goodbye, and so may one that we said it to.
    const over = this.#core.hasEnded() || (this.#core.state === 'confirmed' && dialog !== this.#core.dialog)
    if (!dialog || over) return void this.#core.reply(server, dialog && request.method === 'BYE' ? 200 : 481)
    if (!dialog.takeInOrder(request)) return void this.#core.reply(server, 500, { headers: [['Retry-After', '0']] })
    this.#core.note(request, server.flow)
    if (server instanceof InviteServer) return this.#onChange(server, dialog)
    switch (request.method) {
      case 'BYE':
        return this.#onBye(server)
      case 'UPDATE':
        return this.#onChange(server, dialog)
      case 'PRACK':
        return this.#onPrack(server)
      case 'INFO':
        return void this.#core.reply(server, this.#core.tell((observer) => observer.info?.(request)) ?? 200)
      case 'REFER':
        return this.#transfers.received(server)
      case 'NOTIFY':
        return this.#transfers.notify(request, server)
      default:
        this.#core.reply(server, request.method === 'OPTIONS' ? 200 : 405, { contact: true, headers: [['Accept', 'application/sdp']] })
    }
  }

  #onChange(server: ServerTransaction, dialog: Dialog): void {
    const { request } = server
    const { timer } = this.#core.stack
    if (isTooShort(request, timer)) this.#core.reply(server, 422, { headers: [['Min-SE', String(timer.min)]] })
    else if (server instanceof InviteServer) this.#theirChanges.invite(request, server, dialog)
    else this.#theirChanges.update(request, server, dialog)
  }

  #onPrack(server: Exclude<ServerTransaction, InviteServer>): void {
    if (this.#incoming) this.#incoming.prack(server.request, server)
    else this.#core.reply(server, 481)
  }

  #onBye(server: ServerTransaction): void {
    const { request } = server
    this.#core.reply(server, 200)
    if (this.#incoming && !this.#incoming.answered) return this.#incoming.cancelled(request)
    if (this.#core.state !== 'confirmed') return
    const reason = request.header('reason')
    this.#core.finish({ by: 'peer', message: request, ...(reason === undefined ? {} : { reason }) })
    this.#core.stopConfirmations()
  }
}
