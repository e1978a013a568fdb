import { authorizer, type Authorizer, type DigestClient } from '../digest/digest-client.ts'
import { Dialog } from '../dialog/dialog.ts'
import { respond, type Body, type HeaderLines, buildRequest } from '../message/build.ts'
import type { Response, Request } from '../message/message.ts'
import { Sending, type SendingEvents } from '../request/sending.ts'
import { allow, contactTowards, supported, type Stack, viaTowards } from '../request/stack.ts'
import { type ServerTransaction, newBranch } from '../transaction/transactions.ts'
import type { Flow } from '../transport/transport.ts'
import { hasElement } from '../grammar/headers.ts'
import { leniently } from '../grammar/scan.ts'
import { originOf, type IsProxy } from '../transport/origin.ts'
import type { SessionTrace } from './session.ts'

/** A final response, or a local 408, 503 or 481 in its place. */
export interface RequestOutcome {
  status: number
  response: Response | undefined
}

export interface RequestParts {
  headers?: HeaderLines | undefined
  body?: Body | undefined
  /** Adds our Contact, which announces our address. */
  contact?: boolean
}

interface ResponseParts {
  headers?: HeaderLines | undefined
  sdp?: string | undefined
  /** Adds our Contact and capabilities. */
  contact?: boolean
}

interface Sender {
  localTag: string
  contactUser: string
  digest?: DigestClient | undefined
}

export const sdpBody = (sdp: string | undefined): Body | undefined =>
  sdp === undefined ? undefined : { type: 'application/sdp', content: sdp }

export const reasonHeader = (reason: string | undefined): HeaderLines => (reason === undefined ? [] : [['Reason', reason]])

/** Our requests and responses inside the dialogs of a session. */
export class DialogMessages {
  readonly #stack: Stack
  readonly #sender: Sender
  readonly #farEnd: FarEnd
  /** Pending requests and their listeners. */
  readonly #open = new Map<Sending, SendingEvents>()
  #silent = false

  constructor(stack: Stack, sender: Sender, farEnd: FarEnd) {
    this.#stack = stack
    this.#sender = sender
    this.#farEnd = farEnd
  }

  /** Sends a request and resolves with its final response; 481 without a dialog. */
  send(method: string, deps: RequestParts, dialog: Dialog | undefined): Promise<RequestOutcome> {
    if (!dialog || this.#silent) return Promise.resolve({ status: 481, response: undefined })
    return new Promise((resolve) => {
      const events: SendingEvents = {
        response: (response, from) => {
          this.#farEnd.locate(response, from)
          if (response.status >= 200) resolve({ status: response.status, response })
        },
        failed: (status) => resolve({ status, response: undefined }),
      }
      this.prepare(method, deps, dialog, events).start()
    })
  }

  /** Builds a request without sending it. */
  prepare(method: string, deps: RequestParts, dialog: Dialog, events: SendingEvents): Sending {
    const headers = deps.headers ?? []
    const contactUser = deps.contact ? this.#sender.contactUser : undefined
    const request = { ...dialog.request(method), headers, body: deps.body, contactUser }
    const renumber = (): number => dialog.request(method).cseq
    const options = { hop: dialog.hop, flow: this.#farEnd.pinned, failover: false, authorizer: this.#authorizer(), renumber }
    const sending = new Sending(this.#stack, request, options, {
      response: (response, from) => {
        if (response.status >= 200) this.#open.delete(sending)
        events.response(response, from)
      },
      failed: (status) => {
        this.#open.delete(sending)
        events.failed(status)
      },
    })
    this.#open.set(sending, events)
    return sending
  }

  /** Another process owns the dialogs from now on: aborts pending requests and sends no responses. */
  fallSilent(): void {
    this.#silent = true
    for (const [sending, events] of this.#open) {
      sending.abandon()
      events.failed(503)
    }
    this.#open.clear()
  }

  /** The ACK of a 2xx to an INVITE sent with these credentials. */
  acknowledge(dialog: Dialog, response: Response, credentials: HeaderLines, sdp: string | undefined): Acknowledgement {
    return new Acknowledgement(this.#stack, dialog, { cseq: response.cseq.number, credentials, sdp, flow: this.#farEnd.pinned })
  }

  /** Returns the bytes, for responses that must be repeated. */
  reply(server: ServerTransaction, status: number, deps: ResponseParts = {}): Uint8Array {
    const headers: (readonly [string, string])[] = []
    if (deps.contact) {
      headers.push(['Contact', contactTowards(this.#stack, server.flow, this.#sender.contactUser, server.request.uri.startsWith('sips:'))])
      headers.push(['Allow', allow], ['Supported', supported])
    }
    // A rejected INVITE may come from an unknown source, which must not learn the product (RFC 3261 §20.35).
    const isKnown = status < 300 || server.request.toTag !== undefined
    if (isKnown && this.#stack.product !== '') headers.push(['Server', this.#stack.product])
    if (deps.headers) headers.push(...deps.headers)
    const reply = { toTag: this.#sender.localTag, headers, body: sdpBody(deps.sdp), source: server.flow }
    const bytes = respond(server.request, status, reply)
    if (this.#silent) server.terminate()
    else server.respond(status, bytes)
    return bytes
  }

  #authorizer(): Authorizer | undefined {
    const { digest } = this.#sender
    const { inviteAddress } = this.#farEnd
    return digest && inviteAddress !== undefined ? authorizer(digest, inviteAddress) : undefined
  }
}

interface AckParts {
  /** CSeq of the INVITE. */
  cseq: number
  /** The ACK repeats the INVITE's credentials (RFC 3261 §22.1). */
  credentials: HeaderLines
  /** Our answer to an offer in the 2xx. */
  sdp: string | undefined
  flow: Flow | undefined
}

/** The ACK of a 2xx: outside of transactions, repeated for each repeated 2xx (RFC 3261 §13.2.2.4). */
export class Acknowledgement {
  readonly #stack: Stack
  readonly #dialog: Dialog
  readonly #deps: AckParts
  #sent: { bytes: Uint8Array; flow: Flow } | undefined

  constructor(stack: Stack, dialog: Dialog, deps: AckParts) {
    this.#stack = stack
    this.#dialog = dialog
    this.#deps = deps
  }

  async send(): Promise<void> {
    this.#sent ??= await this.#prepare()
    if (this.#sent) this.#stack.transport.send(this.#sent.bytes, this.#sent.flow, () => {})
  }

  async #prepare(): Promise<{ bytes: Uint8Array; flow: Flow } | undefined> {
    const flow = this.#deps.flow ?? (await this.#stack.resolve(this.#dialog.hop).catch(() => []))[0]
    return flow ? { bytes: this.#build(flow), flow } : undefined
  }

  #build(flow: Flow): Uint8Array {
    const { cseq, credentials, sdp } = this.#deps
    const request = this.#dialog.request('ACK', cseq)
    const headers: HeaderLines = [
      ['Via', viaTowards(this.#stack, flow, newBranch())],
      ...request.routes.map((route) => ['Route', route] as const),
      ['Max-Forwards', '70'],
      ['From', request.from],
      ['To', request.to],
      ['Call-ID', request.callId],
      ['CSeq', `${cseq} ACK`],
      ...credentials,
    ]
    return buildRequest('ACK', request.uri, headers, sdp === undefined ? undefined : { type: 'application/sdp', content: sdp })
  }
}

/** State of the far end: source of its messages, flow for our messages, and the methods that it allows. */
export class FarEnd {
  readonly #isProxy: IsProxy
  #flow: Flow | undefined
  #origin: string | undefined
  #pinned: Flow | undefined
  #inviteAddress: string | undefined
  #allowsUpdate = false
  #allowsRefer = false

  constructor(isProxy: IsProxy, pinned: Flow | undefined) {
    this.#isProxy = isProxy
    this.#pinned = pinned
  }

  /** Restores the state of another process. */
  resume({ trusted, session }: SessionTrace): void {
    this.#inviteAddress = trusted
    this.#flow = session?.peer
    this.#origin = session?.origin
    this.#allowsUpdate = session?.allowsUpdate ?? false
    this.#allowsRefer = session?.allowsRefer ?? false
  }

  /** Source of its latest message. */
  get flow(): Flow | undefined {
    return this.#flow
  }

  /** Original source address of its messages, never one of our proxies. */
  get origin(): string | undefined {
    return this.#origin
  }

  /** Flow for all messages, in place of Contact and Record-Route. */
  get pinned(): Flow | undefined {
    return this.#pinned
  }

  /** Address of the INVITE: no other gets credentials. */
  get inviteAddress(): string | undefined {
    return this.#inviteAddress
  }

  get allowsUpdate(): boolean {
    return this.#allowsUpdate
  }

  get allowsRefer(): boolean {
    return this.#allowsRefer
  }

  /** Records the source and the Allow header of a message. */
  note(message: Request | Response, from: Flow): void {
    this.locate(message, from)
    if (message.header('allow') === undefined) return
    const allows = (method: string): boolean => leniently(() => hasElement(message.lines('allow'), method)) ?? false
    this.#allowsUpdate = allows('UPDATE')
    this.#allowsRefer = allows('REFER')
  }

  locate(message: Request | Response, from: Flow): void {
    this.#flow = from
    this.#origin = originOf(message, from, this.#isProxy) ?? this.#origin
  }

  invitedAt(address: string | undefined): void {
    this.#inviteAddress = address
  }

  /** It answered 405 or 501 to an UPDATE, despite its Allow header. */
  refusedUpdate(): void {
    this.#allowsUpdate = false
  }

  pin(flow: Flow): void {
    this.#pinned = flow
  }

  /** The pinned address stays; a new connection will be opened. */
  connectionClosed(connection: number): void {
    if (this.#pinned?.connection !== connection) return
    const { connection: _gone, ...address } = this.#pinned
    this.#pinned = address
  }
}

export interface ByeOptions {
  headers?: HeaderLines
  /** Answers challenges, but only from the host of the INVITE. */
  digest?: DigestClient | undefined
}

/** Sends BYE for a session of a dead process. Resolves with the final status; 408 or 503 without a response. */
export const endLost = (stack: Stack, trace: SessionTrace, { headers = [], digest }: ByeOptions = {}): Promise<number> => {
  const dialog = Dialog.ofState(trace)
  const options = {
    hop: dialog.hop,
    flow: trace.flow,
    failover: false,
    authorizer: digest && trace.trusted !== undefined ? authorizer(digest, trace.trusted) : undefined,
    renumber: () => dialog.request('BYE').cseq,
  }
  return new Promise((resolve) => {
    const sending = new Sending(stack, { ...dialog.request('BYE'), headers }, options, {
      response: ({ status }) => {
        if (status >= 200) resolve(status)
      },
      failed: resolve,
    })
    sending.start()
  })
}
