import { sdpOf, type Request, type Response, BrokenMessage } from '../message/message.ts'
import { respond } from '../message/build.ts'
import type { HeaderLines } from '../message/build.ts'
import { isKeepAlive } from '../message/framing.ts'
import type { DigestClient } from '../digest/digest-client.ts'
import { OutsideRequest } from '../request/incoming-request.ts'
import { leniently, SipError } from '../grammar/scan.ts'
import { sendOutside, type RequestDraft } from '../request/outside-request.ts'
import { endLost, type ByeOptions } from '../session/dialog-messages.ts'
import { parseNameAddr } from '../grammar/headers.ts'
import { parseMessage } from '../message/parse.ts'
import { findReplaced, Admission, statusOf } from './admission.ts'
import { rejectionOf } from './request-checks.ts'
import type { Capabilities } from './request-checks.ts'
import type { InviteDraft, Session, SessionObserver, SessionTrace } from '../session/session.ts'
import { InviteSession } from '../session/invite-session.ts'
import { extensions, sessionMethods, supported, TcpRefusals } from '../request/stack.ts'
import type { SessionStack } from '../session/session-context.ts'
import { Subscriptions } from '../subscription/subscriptions.ts'
import { newCallId, newTag, Transactions, type ServerTransaction } from '../transaction/transactions.ts'
import { InviteServer } from '../transaction/server-transactions.ts'
import { nothing } from '../transaction/timers.ts'
import { hesitantTransport, isReliable, type Flow } from '../transport/transport.ts'
import { parseUri } from '../grammar/uri.ts'
import type { UserAgentOptions } from './user-agent-options.ts'

const rethrowLater = (error: unknown): void =>
  queueMicrotask(() => {
    throw error
  })

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

const userOf = (from: string): string => leniently(() => parseUri(parseNameAddr(from).uri).user) ?? ''

/** In seconds. */
const defaultTimer = { expires: 1_800, min: 90 }

/** The SIP user agent: everything between the transports and the application. */
export class UserAgent {
  /** Subscribers to state changes. A SUBSCRIBE arrives at `onRequest` like other requests. */
  readonly subscriptions: Subscriptions
  readonly #options: UserAgentOptions
  readonly #stack: SessionStack
  readonly #transactions: Transactions
  readonly #capabilities: Capabilities
  readonly #admission: Admission
  /** By our tag. */
  readonly #sessions = new Map<string, InviteSession>()
  /** The session of an INVITE, for CANCEL. */
  readonly #owners = new WeakMap<InviteServer, InviteSession>()
  /** Stateless responses use the same tag each time (RFC 3261 §8.2.7). */
  readonly #statelessTag = newTag()
  #state: 'open' | 'closing' | 'closed' = 'open'

  constructor(options: UserAgentOptions) {
    this.#options = options
    const { clock } = options
    const transport = options.hesitates ? hesitantTransport(options.transport, () => options.hesitates?.()) : options.transport
    this.#transactions = new Transactions({ clock, transport })
    this.#stack = {
      clock,
      transport,
      transactions: this.#transactions,
      product: options.product,
      timer: options.sessionTimer ?? defaultTimer,
      random: () => options.random?.() ?? Math.random(),
      resolve: (uri) => options.resolve(uri),
      isProxy: (address) => options.isProxy?.(address) ?? false,
      fault: (error) => (options.onFault ? options.onFault(error) : rethrowLater(error)),
      find: (callId, localTag, remoteTag) => this.session(callId, localTag, remoteTag),
      withoutTcp: new TcpRefusals(clock),
    }
    this.subscriptions = new Subscriptions(this.#stack)
    this.#capabilities = {
      methods: new Set([...sessionMethods, 'OPTIONS', ...(options.methods ?? [])]),
      extensions: new Set([...extensions, ...(options.extensions ?? [])]),
    }
    this.#admission = new Admission(this.#stack, this.#capabilities, options, {
      isOpen: () => this.#state === 'open',
      sessions: () => this.#sessions.size,
    })
  }

  /** Current number of transactions and sessions. */
  get load(): { transactions: number; sessions: number } {
    return { transactions: this.#transactions.size, sessions: this.#sessions.size }
  }

  /** One complete message from the transport. */
  receive(bytes: Uint8Array, from: Flow): void {
    if (this.#state === 'closed' || isKeepAlive(bytes)) return
    // Checked once per message: checking again after the promise has settled could loop in microtasks forever.
    const doubt = this.#options.hesitates?.()
    if (doubt) void doubt.then(() => this.#handle(bytes, from))
    else this.#handle(bytes, from)
  }

  #handle(bytes: Uint8Array, from: Flow): void {
    if (this.#state === 'closed') return
    const message = this.#parse(bytes, from)
    if (message?.kind === 'request') this.#onRequest(message, from)
    else if (message) leniently(() => this.#transactions.receiveResponse(message, from))
  }

  connectionClosed(connection: number): void {
    for (const session of this.#sessions.values()) session.connectionClosed(connection)
    this.subscriptions.connectionClosed(connection)
    this.#transactions.connectionClosed(connection)
  }

  /** Resolves with the final response; a local 408 on timeout, a local 503 if no address is reachable. */
  request(draft: RequestDraft): Promise<Response> {
    return sendOutside(this.#stack, draft)
  }

  invite(draft: InviteDraft, observer: SessionObserver): Session {
    const start = {
      direction: 'outgoing',
      callId: draft.callId ?? newCallId(),
      localTag: newTag(),
      contactUser: draft.contactUser ?? userOf(draft.from),
      pinned: draft.flow,
      digest: draft.digest,
    } as const
    const session = new InviteSession(this.#stack, start, draft, () => this.#sessions.delete(start.localTag))
    this.#sessions.set(start.localTag, session)
    session.observe(observer)
    session.start()
    return session
  }

  /**
   * Resumes a confirmed session of a process that is gone or has abandoned it; the next offer announces our address to the far end.
   * Undefined if the trace is insufficient, or the session is active here.
   */
  resume(trace: SessionTrace, observer: SessionObserver, digest?: DigestClient): Session | undefined {
    const { session: saved, callId, flow } = trace
    const localTag = leniently(() => parseNameAddr(trace.local).params['tag'])
    if (!saved || localTag === undefined || this.#sessions.has(localTag) || this.#state !== 'open') return undefined
    const { direction, contactUser } = saved
    const start = { direction, callId, localTag, contactUser, pinned: flow, digest }
    const session = InviteSession.resumed(this.#stack, start, { ...trace, session: saved }, () => this.#sessions.delete(localTag))
    this.#sessions.set(localTag, session)
    session.observe(observer)
    return session
  }

  /** Ends a session of a dead process. Resolves with the response status; 408 or 503 without a response. */
  async endLost(trace: SessionTrace, words?: ByeOptions): Promise<number> {
    return endLost(this.#stack, trace, words)
  }

  /** The session of this dialog. Tags from our view. */
  session(callId: string, localTag: string, remoteTag: string): Session | undefined {
    const session = this.#sessions.get(localTag)
    return session?.callId === callId && session.knows(remoteTag) ? session : undefined
  }

  /** Whether a request with these ids belongs to one of our dialogs. */
  hasDialog(callId: string, localTag: string): boolean {
    return this.#sessions.get(localTag)?.callId === callId
  }

  /** Whether a response with this branch belongs to one of our requests. */
  awaits(branch: string): boolean {
    return this.#transactions.awaits(branch)
  }

  /** Ends all sessions with BYE, CANCEL or 503 and resolves when that is complete or aborted; leaves no timer or transaction. */
  async close(abort?: AbortSignal): Promise<void> {
    if (this.#state === 'closed') return
    this.#state = 'closing'
    const goodbyes = Promise.all([...this.#sessions.values()].map((session) => session.end({ status: 503 })))
    await Promise.race(abort ? [goodbyes, aborted(abort)] : [goodbyes])
    this.#state = 'closed'
    this.subscriptions.close()
    for (const session of this.#sessions.values()) session.drop()
    this.#transactions.close()
  }

  #parse(bytes: Uint8Array, from: Flow): Request | Response | undefined {
    try {
      return parseMessage(bytes, { stream: isReliable(from.kind) })
    } catch (error) {
      if (!(error instanceof BrokenMessage)) throw error
      const request = error.received
      const answerable = request?.kind === 'request' && request.method !== 'ACK'
      if (answerable) this.#answerStateless(request, from, error.status)
      this.#options.onBroken?.(from, answerable ? error.status : 0)
      return undefined
    }
  }

  #answerStateless(request: Request, from: Flow, status: number, headers: HeaderLines = []): void {
    const bytes = respond(request, status, { toTag: this.#statelessTag, source: from, headers })
    this.#stack.transport.send(bytes, from, nothing)
  }

  #onRequest(request: Request, from: Flow): void {
    const known = this.#transactions.serverOf(request)
    if (known && !known.receive(request, from)) return
    const session = request.toTag === undefined ? undefined : this.#sessionOf(request)
    if (request.method === 'ACK') return session?.acknowledged(request)
    const rejected = session ? undefined : this.#admission.rejectionOf(request, from)
    if (rejected) return this.#answerStateless(request, from, rejected.status, rejected.headers)
    const server = request.method === 'INVITE' ? this.#openInvite(request, from) : this.#transactions.openRequest(request, from)
    try {
      this.#serve(server, session)
    } catch (error) {
      this.#answer(server, statusOf(error, this.#stack.fault))
    }
    if (!(server instanceof InviteServer)) server.expireUnanswered()
  }

  #openInvite(request: Request, from: Flow): InviteServer {
    const server = this.#transactions.openInvite(request, from, () => respond(request, 100, { source: from }))
    // A proxy that hears nothing soon tries another process.
    if (this.#stack.isProxy(from.address)) server.try()
    return server
  }

  #sessionOf(request: Request): InviteSession | undefined {
    const session = this.#sessions.get(request.toTag ?? '')
    return session?.callId === request.callId && session.knows(request.fromTag) ? session : undefined
  }

  #answer(server: ServerTransaction, status: number, headers: HeaderLines = [], tag: string = newTag()): void {
    server.respond(status, respond(server.request, status, { toTag: tag, source: server.flow, headers }))
  }

  #serve(server: ServerTransaction, session: InviteSession | undefined): void {
    const { request } = server
    if (request.method === 'CANCEL') return this.#onCancel(server)
    if (!session) return server instanceof InviteServer ? this.#onInvite(server) : this.#onOther(server)
    const rejected = rejectionOf(request, this.#capabilities)
    if (rejected) return this.#answer(server, rejected.status, rejected.headers)
    if (server instanceof InviteServer) this.#owners.set(server, session)
    session.receive(server)
  }

  #onCancel(server: ServerTransaction): void {
    const invite = this.#transactions.inviteOf(server.request)
    const owner = invite && this.#owners.get(invite)
    this.#answer(server, this.#transactions.hasInvite(server.request) ? 200 : 481, [], owner?.localTag)
    if (invite) owner?.cancelled(invite, server.request)
  }

  #onOther(server: ServerTransaction): void {
    const { request } = server
    const capabilities: HeaderLines = [
      ['Allow', [...this.#capabilities.methods].join(', ')],
      ['Accept', 'application/sdp'],
      ['Supported', supported],
    ]
    const incoming = new OutsideRequest(server, request.method === 'OPTIONS' ? capabilities : [])
    if (this.#options.onRequest) this.#options.onRequest(incoming)
    else incoming.respond(200)
  }

  #onInvite(server: InviteServer): void {
    const { request, flow } = server
    const { session: replaces, unknown: replacesElsewhere } = findReplaced(this.#stack, request)
    if (replacesElsewhere && !this.#options.asksElsewhere) throw new SipError(481, 'There is no such dialog')
    const session = this.#startIncoming(server)
    try {
      this.#options.onInvite({ request, from: flow, session, sdp: sdpOf(request), replaces, replacesElsewhere })
    } catch (error) {
      this.#stack.fault(error)
      session.reject(500)
    }
  }

  #startIncoming(server: InviteServer): InviteSession {
    const { request, flow } = server
    const start = {
      direction: 'incoming',
      callId: request.callId,
      localTag: newTag(),
      contactUser: request.target.user ?? '',
      // A browser is reachable only over its own connection.
      pinned: flow.kind === 'ws' || flow.kind === 'wss' ? flow : undefined,
    } as const
    const session = new InviteSession(this.#stack, start, server, () => {
      this.#sessions.delete(start.localTag)
      // The transaction lives on for a while, the session and its INVITE need not.
      this.#owners.delete(server)
      server.release()
    })
    this.#sessions.set(start.localTag, session)
    this.#owners.set(server, session)
    return session
  }
}
