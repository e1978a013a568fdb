import type { HeaderLines } from '../message/build.ts'
import { Dialog, localResponse } from '../dialog/dialog.ts'
import type { Request, Response } from '../message/message.ts'
import type {
  InviteDraft,
  ReferOptions,
  SavedSession,
  Session,
  SessionEnd,
  SessionObserver,
  SessionState,
  SessionTrace,
} from './session.ts'
import { type SessionStack, sessionContext, type SessionContext, type SessionStart } from './session-context.ts'
import { InviteServer } from '../transaction/server-transactions.ts'
import type { ServerTransaction } from '../transaction/transactions.ts'
import type { Flow } from '../transport/transport.ts'
import { IncomingChanges } from './incoming-changes.ts'
import { IncomingSetup } from './incoming-setup.ts'
import { OutgoingChanges } from './outgoing-changes.ts'
import type { ChangeOptions, ChangeResult } from './outgoing-changes.ts'
import { OutgoingSetup } from './outgoing-setup.ts'
import { reasonHeader } from './dialog-messages.ts'
import type { RequestOutcome, RequestParts } from './dialog-messages.ts'
import { isTooShort } from './session-timer.ts'
import { Transfers } from './transfers.ts'

/** Trace of a confirmed session. */
type ResumableTrace = SessionTrace & { session: SavedSession }

/** The session of one INVITE: dispatches each request and command to its task. */
export class InviteSession implements Session {
  readonly #context: SessionContext
  readonly #outgoing: OutgoingSetup | undefined
  readonly #incoming: IncomingSetup | undefined
  readonly #theirChanges: IncomingChanges
  readonly #ourChanges: OutgoingChanges
  readonly #transfers: Transfers

  /** `Dialog`: confirmed in another process. `released` is called after the end, when no more messages are sent or expected. */
  constructor(stack: SessionStack, start: SessionStart, initial: InviteDraft | InviteServer | Dialog, released: () => void) {
    const refresh = (): void => void this.#ourChanges.refresh()
    if (initial instanceof InviteServer) {
      const dialog = Dialog.ofRequest(initial.request, start.localTag, 1 + Math.floor(stack.random() * 10_000))
      this.#context = sessionContext(stack, start, dialog, refresh)
      this.#context.farEnd.note(initial.request, initial.flow)
      this.#incoming = new IncomingSetup(this.#context, initial, dialog)
    } else if (initial instanceof Dialog) {
      this.#context = sessionContext(stack, start, initial, refresh)
      this.#context.lifecycle.confirm(initial, Promise.resolve())
      this.#context.offerAnswer.completed()
    } else {
      this.#context = sessionContext(stack, start, undefined, refresh)
      this.#outgoing = new OutgoingSetup(this.#context, initial)
    }
    const context = this.#context
    this.#theirChanges = new IncomingChanges(context, () => this.#ourChanges.pending)
    this.#ourChanges = new OutgoingChanges(context, () => this.#theirChanges.settled())
    this.#transfers = new Transfers(context)
    context.lifecycle.atEnd(() => {
      void context.lifecycle.farewell.then(() => {
        this.#outgoing?.release()
        released()
      })
    })
  }

  /** Resumes a confirmed session of another process. */
  static resumed(stack: SessionStack, start: SessionStart, trace: ResumableTrace, released: () => void): InviteSession {
    const session = new InviteSession(stack, start, Dialog.ofState(trace), released)
    session.#context.farEnd.resume(trace)
    session.#context.timer.resume(trace.session.timer)
    return session
  }

  get id(): string {
    return this.#context.start.localTag
  }

  get direction(): 'incoming' | 'outgoing' {
    return this.#context.start.direction
  }

  get state(): SessionState {
    return this.#context.lifecycle.state
  }

  get callId(): string {
    return this.#context.start.callId
  }

  get localTag(): string {
    return this.#context.start.localTag
  }

  get remoteTag(): string | undefined {
    return this.#context.lifecycle.dialog?.remoteTag
  }

  get peerAllowsUpdate(): boolean {
    return this.#context.farEnd.allowsUpdate
  }

  get peerAllowsRefer(): boolean {
    return this.#context.farEnd.allowsRefer
  }

  get peer(): Flow | undefined {
    return this.#context.farEnd.flow
  }

  get origin(): string | undefined {
    return this.#context.farEnd.origin
  }

  get trace(): SessionTrace | undefined {
    const { farEnd, lifecycle, start } = this.#context
    const { dialog, state } = lifecycle
    const { pinned, inviteAddress } = farEnd
    if (!dialog || state === 'ended' || (start.direction === 'outgoing' && state !== 'confirmed')) return undefined
    return {
      ...dialog.state,
      ...(pinned && { flow: pinned }),
      ...(inviteAddress !== undefined && { trusted: inviteAddress }),
      ...(state === 'confirmed' && { session: this.#saved() }),
    }
  }

  #saved(): SavedSession {
    const { farEnd, start, timer } = this.#context
    const { flow, origin, allowsUpdate, allowsRefer } = farEnd
    return {
      direction: start.direction,
      contactUser: start.contactUser,
      ...(flow && { peer: { kind: flow.kind, address: flow.address, port: flow.port } }),
      ...(origin !== undefined && { origin }),
      allowsUpdate,
      allowsRefer,
      timer: timer.saved,
    }
  }

  get ended(): Promise<SessionEnd> {
    return this.#context.lifecycle.ended
  }

  observe(observer: SessionObserver): void {
    const { lifecycle, observer: notified } = this.#context
    notified.become(observer)
    const { end } = lifecycle
    if (!end) return
    notified.notify((one) => one.ended?.(end))
    notified.leave()
  }

  pin(flow: Flow): void {
    this.#context.farEnd.pin(flow)
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
    if (!this.#context.lifecycle.hasEnded()) this.#incoming?.refuse({ by: 'us', status }, status, headers)
  }

  offer(sdp: string | undefined, options: ChangeOptions = {}): Promise<ChangeResult> {
    return this.#ourChanges.offer(sdp, options)
  }

  refer(uri: string, options: ReferOptions = {}): Promise<number> {
    return this.#transfers.refer(uri, options)
  }

  async info(contentType: string, body: string, headers: HeaderLines = []): Promise<number> {
    if (this.#context.lifecycle.hasEnded()) return 481
    const { status } = await this.#send('INFO', { headers, body: { type: contentType, content: body } })
    return status
  }

  async request(method: string, options: { contentType?: string; body?: string; headers?: HeaderLines } = {}): Promise<Response> {
    const { contentType, body, headers } = options
    const content = contentType === undefined || body === undefined ? undefined : { type: contentType, content: body }
    const { status, response } = this.#context.lifecycle.hasEnded()
      ? { status: 481, response: undefined }
      : await this.#send(method, { headers, body: content })
    const asked = { method, from: '<sip:us.invalid>', to: '<sip:them.invalid>', callId: this.callId, cseq: 1 }
    return response ?? localResponse(status, asked)
  }

  #send(method: string, deps: RequestParts): Promise<RequestOutcome> {
    const { lifecycle, messages } = this.#context
    return messages.send(method, deps, lifecycle.dialog)
  }

  async end(options: { status?: number; reason?: string; headers?: HeaderLines } = {}): Promise<void> {
    if (!this.#context.lifecycle.hasEnded()) this.#sayGoodbye(options)
    await this.#context.lifecycle.farewell
  }

  #sayGoodbye({ status = 486, reason, headers = [] }: { status?: number; reason?: string; headers?: HeaderLines }): void {
    const all = [...reasonHeader(reason), ...headers]
    if (this.#context.lifecycle.state === 'confirmed') this.#context.lifecycle.hangUp({ by: 'us' }, all)
    else if (this.#outgoing) this.#outgoing.cancel({ by: 'us', status: 487 }, all)
    else this.#incoming?.refuse({ by: 'us', status }, status, all)
  }

  /** Ends without sending a message; leaves no timer. */
  drop(): void {
    this.#context.lifecycle.finish({ by: 'us' })
    this.#context.confirmations.stop()
    this.#outgoing?.abandon()
  }

  abandon(): void {
    this.#context.messages.fallSilent()
    this.#incoming?.abandon()
    this.drop()
  }

  connectionClosed(connection: number): void {
    this.#context.farEnd.connectionClosed(connection)
  }

  /** Whether a dialog of this session has this tag at the far end. */
  knows(remoteTag: string | undefined): boolean {
    return this.#dialogOf(remoteTag ?? '') !== undefined
  }

  #dialogOf(remoteTag: string): Dialog | undefined {
    if (this.#outgoing) return this.#outgoing.dialogOf(remoteTag)
    const { dialog } = this.#context.lifecycle
    return dialog?.remoteTag === remoteTag ? dialog : undefined
  }

  /** The ACK of our 2xx. */
  acknowledged(ack: Request): void {
    this.#context.confirmations.acknowledged(ack)
  }

  /** A CANCEL for the INVITE of this transaction; the CANCEL was already answered with 200. */
  cancelled(server: InviteServer, cancel: Request): void {
    if (this.#theirChanges.cancelled(server)) return
    if (this.#incoming && !this.#incoming.answered && server.request.toTag === undefined) this.#incoming.cancelled(cancel)
  }

  /** A request inside the dialog. Throws SipError if invalid. */
  receive(server: ServerTransaction): void {
    const { request } = server
    const { farEnd, lifecycle, messages, observer } = this.#context
    const dialog = this.#dialogOf(request.fromTag ?? '')
    // A losing branch of a forked call, or a far end that got our BYE, may still send its own BYE.
    const ended = lifecycle.hasEnded() || (lifecycle.state === 'confirmed' && dialog !== lifecycle.dialog)
    if (!dialog || ended) return void messages.reply(server, dialog && request.method === 'BYE' ? 200 : 481)
    if (!dialog.takeInOrder(request)) return void messages.reply(server, 500, { headers: [['Retry-After', '0']] })
    farEnd.note(request, server.flow)
    if (server instanceof InviteServer) return this.#onChange(server, dialog)
    switch (request.method) {
      case 'BYE':
        return this.#onBye(server)
      case 'UPDATE':
        return this.#onChange(server, dialog)
      case 'PRACK':
        return this.#onPrack(server)
      case 'INFO':
        return void messages.reply(server, observer.notify((notified) => notified.info?.(request)) ?? 200)
      case 'REFER':
        return this.#transfers.received(server)
      case 'NOTIFY':
        return this.#transfers.notify(request, server)
      default:
        messages.reply(server, request.method === 'OPTIONS' ? 200 : 405, { contact: true, headers: [['Accept', 'application/sdp']] })
    }
  }

  #onChange(server: ServerTransaction, dialog: Dialog): void {
    const { request } = server
    const { timer } = this.#context.stack
    if (isTooShort(request, timer)) this.#context.messages.reply(server, 422, { headers: [['Min-SE', String(timer.min)]] })
    else if (server instanceof InviteServer) this.#theirChanges.invite(request, server, dialog)
    else this.#theirChanges.update(request, server, dialog)
  }

  #onPrack(server: Exclude<ServerTransaction, InviteServer>): void {
    if (this.#incoming) this.#incoming.prack(server.request, server)
    else this.#context.messages.reply(server, 481)
  }

  #onBye(server: ServerTransaction): void {
    const { request } = server
    this.#context.messages.reply(server, 200)
    if (this.#incoming && !this.#incoming.answered) return this.#incoming.cancelled(request)
    if (this.#context.lifecycle.state !== 'confirmed') return
    const reason = request.header('reason')
    this.#context.lifecycle.finish({ by: 'peer', message: request, ...(reason === undefined ? {} : { reason }) })
    this.#context.confirmations.stop()
  }
}
