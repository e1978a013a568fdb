import type { Request, Response } from '../message/message.ts'
import type { Flow } from '../transport/transport.ts'
import { InviteClient } from './invite-client.ts'
import type { ClientEvents, Sendable } from './invite-client.ts'
import { InviteServer } from './invite-server.ts'
import { RequestClient } from './request-client.ts'
import { RequestServer } from './request-server.ts'
import type { TransactionContext } from './timers.ts'

export type ClientTransaction = InviteClient | RequestClient
export type ServerTransaction = InviteServer | RequestServer

/** Branches that begin so are unique by themselves (RFC 3261 §8.1.1.7). */
export const branchCookie = 'z9hG4bK'

/** RFC 3261 §17.2.3; a branch without cookie, or nothing but the cookie, comes from an RFC 2543 peer. */
const serverKey = (request: Request, method: string): string => {
  const { branch } = request.via.params
  const { host, port } = request.via
  if (branch !== undefined && branch.length > branchCookie.length && branch.startsWith(branchCookie))
    return `${branch}|${host}:${port ?? ''}|${method}`
  return `|${request.callId}|${request.fromTag ?? ''}|${request.cseq.number}|${request.uri}|${host}:${port ?? ''};${branch ?? ''}|${method}`
}

const inviteKey = (request: Request): string => serverKey(request, 'INVITE')

/** A CANCEL has the branch of its INVITE. */
const clientKey = (branch: string, method: string): string => (method === 'CANCEL' ? `${branch}|CANCEL` : branch)

/** What a request that came to us on two ways has in common (RFC 3261 §8.2.2.2). */
const mergeKey = (request: Request): string => `${request.callId}|${request.fromTag}|${request.cseq.number}|${request.method}`

/** All transactions that run, and which message belongs to which of them. */
export class Transactions {
  readonly #context: TransactionContext
  readonly #clients = new Map<string, ClientTransaction>()
  readonly #servers = new Map<string, ServerTransaction>()
  /** Requests outside of dialogs, for finding merged ones. */
  readonly #outside = new Set<string>()
  #strangers = 0
  #closed = false

  constructor(context: TransactionContext) {
    this.#context = context
  }

  get size(): number {
    return this.#clients.size + this.#servers.size
  }

  /** Server transactions outside of dialogs: any stranger can open them. */
  get strangers(): number {
    return this.#strangers
  }

  startInvite(branch: string, invite: Sendable, ackFor: (response: Response) => Uint8Array, events: ClientEvents): InviteClient {
    return this.#start(branch, (ending) => new InviteClient(this.#context, invite, ackFor, ending), events, 'INVITE')
  }

  startRequest(branch: string, method: string, request: Sendable, events: ClientEvents): RequestClient {
    return this.#start(branch, (ending) => new RequestClient(this.#context, method, request, ending), events, method)
  }

  /** A response without a client transaction is dropped. */
  receiveResponse(response: Response, from: Flow): void {
    const client = this.#clients.get(clientKey(response.via.params['branch'] ?? '', response.cseq.method))
    if (client?.method === response.cseq.method) client.receive(response, from)
  }

  /** Whether a response with this branch is waited for. */
  awaits(branch: string): boolean {
    return this.#clients.has(branch) || this.#clients.has(clientKey(branch, 'CANCEL'))
  }

  /** The transaction that this request (or ACK) repeats. */
  serverOf(request: Request): ServerTransaction | undefined {
    return this.#servers.get(request.method === 'ACK' ? inviteKey(request) : serverKey(request, request.method))
  }

  inviteOf(cancel: Request): InviteServer | undefined {
    const server = this.#servers.get(inviteKey(cancel))
    return server instanceof InviteServer ? server : undefined
  }

  openInvite(request: Request, flow: Flow, trying: () => Uint8Array): InviteServer {
    return this.#open(request, (terminated) => new InviteServer(this.#context, request, flow, trying, terminated))
  }

  openRequest(request: Request, flow: Flow): RequestServer {
    return this.#open(request, (terminated) => new RequestServer(this.#context, request, flow, terminated))
  }

  /** True when the same request, outside of dialogs, is here already by another way. Ask before opening. */
  isMerged(request: Request): boolean {
    return request.toTag === undefined && request.fromTag !== undefined && this.#outside.has(mergeKey(request))
  }

  /** Requests that were sent over it will get no response. */
  connectionClosed(connection: number): void {
    for (const client of this.#clients.values()) if (client.flow.connection === connection) client.fail(503)
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Nothing more is sent; client transactions fail. */
  close(): void {
    this.#closed = true
    for (const client of this.#clients.values()) client.fail(503)
    for (const client of this.#clients.values()) client.terminate()
    for (const server of this.#servers.values()) server.terminate()
  }

  #start<T extends ClientTransaction>(branch: string, make: (ending: ClientEvents) => T, events: ClientEvents, method: string): T {
    const key = clientKey(branch, method)
    const transaction = make({
      response: (response, from) => events.response(response, from),
      failed: (status) => events.failed(status),
      terminated: () => {
        this.#clients.delete(key)
        events.terminated()
      },
    })
    this.#clients.set(key, transaction)
    transaction.start()
    return transaction
  }

  #open<T extends ServerTransaction>(request: Request, make: (terminated: () => void) => T): T {
    const key = serverKey(request, request.method)
    const stranger = request.toTag === undefined ? 1 : 0
    const merge = stranger === 1 && request.fromTag !== undefined ? mergeKey(request) : undefined
    const transaction = make(() => {
      this.#servers.delete(key)
      this.#strangers -= stranger
      if (merge !== undefined) this.#outside.delete(merge)
    })
    this.#servers.set(key, transaction)
    this.#strangers += stranger
    if (merge !== undefined) this.#outside.add(merge)
    return transaction
  }
}
