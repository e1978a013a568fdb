import type { Request, Response } from '../message/message.ts'
import type { Flow } from '../transport/transport.ts'
import type { Asked, Seat, Served } from './afterlife.ts'
import { InviteClient, type ClientEvents, type Sendable, RequestClient } from './client-transactions.ts'
import { InviteServer, RequestServer } from './server-transactions.ts'
import type { TransactionContext } from './timers.ts'
import { randomFillSync } from 'node:crypto'

export type ClientTransaction = InviteClient | RequestClient
export type ServerTransaction = InviteServer | RequestServer

/** Branches with this prefix are globally unique (RFC 3261 §8.1.1.7). */
const branchCookie = 'z9hG4bK'

/** RFC 3261 §17.2.3; a branch without the cookie, or only the cookie, comes from an RFC 2543 peer. */
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

/** Key shared by copies of a request that arrived on two paths (RFC 3261 §8.2.2.2). */
const mergeKey = (request: Request): string => `${request.callId}|${request.fromTag}|${request.cseq.number}|${request.method}`

/** All active transactions, with message matching. */
export class Transactions {
  readonly #context: TransactionContext
  readonly #clients = new Map<string, Asked>()
  readonly #servers = new Map<string, Served>()
  /** Requests outside of dialogs, to detect merged ones. */
  readonly #outside = new Set<string>()
  #unknownSources = 0
  #closed = false

  constructor(context: TransactionContext) {
    this.#context = context
  }

  get size(): number {
    return this.#clients.size + this.#servers.size
  }

  /** Server transactions outside of dialogs: any unknown source can open them. */
  get unknownSources(): number {
    return this.#unknownSources
  }

  startInvite(branch: string, invite: Sendable, ackFor: (response: Response) => Uint8Array, events: ClientEvents): InviteClient {
    return this.#start(clientKey(branch, 'INVITE'), (seat) => new InviteClient(this.#context, invite, ackFor, events, seat))
  }

  startRequest(branch: string, method: string, request: Sendable, events: ClientEvents): RequestClient {
    return this.#start(clientKey(branch, method), (seat) => new RequestClient(this.#context, method, request, events, seat))
  }

  /** Drops a response without a client transaction. */
  receiveResponse(response: Response, from: Flow): void {
    const client = this.#clients.get(clientKey(response.via.params['branch'] ?? '', response.cseq.method))
    if (client?.method === response.cseq.method) client.receive(response, from)
  }

  /** Whether a response with this branch is expected. */
  awaits(branch: string): boolean {
    return this.#clients.has(branch) || this.#clients.has(clientKey(branch, 'CANCEL'))
  }

  /** The transaction that this request (or ACK) repeats. */
  serverOf(request: Request): Served | undefined {
    return this.#servers.get(request.method === 'ACK' ? inviteKey(request) : serverKey(request, request.method))
  }

  /** Whether the INVITE of this CANCEL exists, even if it was already answered. */
  hasInvite(cancel: Request): boolean {
    return this.#servers.has(inviteKey(cancel))
  }

  /** Undefined if its final response was sent and no ACK is pending. */
  inviteOf(cancel: Request): InviteServer | undefined {
    const server = this.#servers.get(inviteKey(cancel))
    return server instanceof InviteServer ? server : undefined
  }

  openInvite(request: Request, flow: Flow, trying: () => Uint8Array): InviteServer {
    return this.#open(request, (seat) => new InviteServer(this.#context, request, flow, trying, seat))
  }

  openRequest(request: Request, flow: Flow): RequestServer {
    return this.#open(request, (seat) => new RequestServer(this.#context, request, flow, seat))
  }

  /** Whether the same request outside of dialogs already arrived on another path. Check before opening a transaction. */
  isMerged(request: Request): boolean {
    return request.toTag === undefined && request.fromTag !== undefined && this.#outside.has(mergeKey(request))
  }

  /** Fails the requests that were sent over it. */
  connectionClosed(connection: number): void {
    for (const client of this.#clients.values()) if (client.flow.connection === connection) client.fail(503)
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Sends no more messages; fails client transactions. */
  close(): void {
    this.#closed = true
    for (const client of this.#clients.values()) client.fail(503)
    for (const client of this.#clients.values()) client.terminate()
    for (const server of this.#servers.values()) server.terminate()
  }

  #start<T extends ClientTransaction>(key: string, make: (seat: Seat<Asked>) => T): T {
    const transaction = make(new Place(this.#clients, key))
    this.#clients.set(key, transaction)
    transaction.start()
    return transaction
  }

  #open<T extends ServerTransaction>(request: Request, make: (seat: Seat<Served>) => T): T {
    const key = serverKey(request, request.method)
    if (request.toTag !== undefined) return this.#enter(key, make(new Place(this.#servers, key)))
    const merge = request.fromTag === undefined ? undefined : mergeKey(request)
    const left = (): void => {
      this.#unknownSources--
      if (merge !== undefined) this.#outside.delete(merge)
    }
    this.#unknownSources++
    if (merge !== undefined) this.#outside.add(merge)
    return this.#enter(key, make(new Place(this.#servers, key, left)))
  }

  #enter<T extends ServerTransaction>(key: string, transaction: T): T {
    this.#servers.set(key, transaction)
    return transaction
  }
}

/** The table slot of a transaction until it ends. */
class Place<T> implements Seat<T> {
  readonly #all: Map<string, T>
  readonly #key: string
  readonly #onLeaving: (() => void) | undefined
  #left = false

  constructor(all: Map<string, T>, key: string, onLeaving?: () => void) {
    this.#all = all
    this.#key = key
    this.#onLeaving = onLeaving
  }

  become(next: T): void {
    if (!this.#left) this.#all.set(this.#key, next)
  }

  leave(): void {
    if (this.#left) return
    this.#left = true
    this.#all.delete(this.#key)
    this.#onLeaving?.()
  }
}

/** Random bytes are fetched in large blocks: each call costs more than the bytes. */
const pool = Buffer.alloc(4_096)
let used = pool.length

const token = (bytes: number): string => {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += bytes
  return pool.toString('hex', used - bytes, used)
}

/** Unguessable tags, branches and Call-IDs. */
export const newTag = (): string => token(8)
export const newBranch = (): string => branchCookie + token(12)
export const newCallId = (): string => token(16)
