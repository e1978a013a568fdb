import { hasElement } from '../grammar/headers.ts'
import { leniently } from '../grammar/lenient.ts'
import type { Request, Response } from '../message/message.ts'
import { originOf } from '../transport/origin.ts'
import type { IsProxy } from '../transport/origin.ts'
import type { Flow } from '../transport/transport.ts'
import type { SessionTrace } from './session.ts'

/** What is known of the far end: where its messages come from, which way ours go to it, and the methods that it allows. */
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

  /** What another process knew. */
  resume({ trusted, session }: SessionTrace): void {
    this.#inviteAddress = trusted
    this.#flow = session?.peer
    this.#origin = session?.origin
    this.#allowsUpdate = session?.allowsUpdate ?? false
    this.#allowsRefer = session?.allowsRefer ?? false
  }

  /** Where its latest message came from. */
  get flow(): Flow | undefined {
    return this.#flow
  }

  /** The address that its messages set out from, which is not that of a proxy of ours. */
  get origin(): string | undefined {
    return this.#origin
  }

  /** Everything goes this way instead of where Contact and Record-Route say. */
  get pinned(): Flow | undefined {
    return this.#pinned
  }

  /** The address that the INVITE went to: no other gets credentials. */
  get inviteAddress(): string | undefined {
    return this.#inviteAddress
  }

  get allowsUpdate(): boolean {
    return this.#allowsUpdate
  }

  get allowsRefer(): boolean {
    return this.#allowsRefer
  }

  /** Where the message came from, and what its Allow header says. */
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

  /** It answered 405 or 501 to an UPDATE, whatever its Allow header said. */
  refusedUpdate(): void {
    this.#allowsUpdate = false
  }

  pin(flow: Flow): void {
    this.#pinned = flow
  }

  /** The pinned address stays; a new connection to it will be opened. */
  connectionClosed(connection: number): void {
    if (this.#pinned?.connection !== connection) return
    const { connection: _gone, ...address } = this.#pinned
    this.#pinned = address
  }
}
