import type { IncomingRequest } from '../request/incoming-request.ts'
import type { Request } from '../message/message.ts'
import type { SipRejection } from './request-checks.ts'
import type { Session } from '../session/session.ts'
import type { Flow, SipClock, Transport } from '../transport/transport.ts'
import type { Replaces } from '../grammar/headers.ts'
import type { SipUri } from '../grammar/uri.ts'

/** An INVITE outside of dialogs; it must be accepted or rejected. 100 is sent automatically. */
export interface IncomingInvite {
  readonly request: Request
  readonly from: Flow
  readonly session: Session
  /** The far end's offer. */
  readonly sdp: string | undefined
  /** Our session named by a Replaces header. */
  readonly replaces: Session | undefined
  /** It names an unknown dialog. Such an INVITE was already answered with 481, unless this user agent `asksElsewhere`. */
  readonly replacesElsewhere?: Replaces | undefined
}

export interface UserAgentOptions {
  clock: SipClock
  transport: Transport
  /** Flows for a request with this topmost Route or Request-URI, best first. Empty if there is none. */
  resolve(uri: SipUri): Promise<readonly Flow[]>
  /** Whether the address is one of our proxies: messages that it forwards have another origin. */
  isProxy?(address: string): boolean
  /**
   * Called for a new request outside of dialogs: returns an immediate response, such as a challenge, or undefined to admit it. Keeps no
   * state for a request answered here (RFC 3261 §8.2.7).
   */
  admit?(request: Request, from: Flow): SipRejection | undefined
  onInvite(invite: IncomingInvite): void
  /** Other user agents of ours exist, one of which may have a dialog that is unknown here. */
  asksElsewhere?: boolean
  /** Requests outside of dialogs whose method is in `methods`. */
  onRequest?(request: IncomingRequest): void
  /** Methods that `onRequest` handles. Default: OPTIONS. Others get 405, or 501 if unknown. */
  methods?: readonly string[]
  /** Option tags that `onRequest` understands in addition to ours (100rel, timer, replaces, norefersub); others in Require get 420. */
  extensions?: readonly string[]
  /** A malformed message got this status (0: no response); for counting abusive sources. */
  onBroken?(from: Flow, status: number): void
  /** Returns true for a request that passed through us before: it gets 482. */
  isLoop?(request: Request): boolean
  /** User-Agent, and Server in responses to known peers. */
  product: string
  /** Seconds: requested and smallest accepted interval (RFC 4028). */
  sessionTimer?: { expires: number; min: number }
  /** Beyond these limits new requests outside of dialogs get 503. Default: 10,000 transactions, 10,000 sessions. */
  limits?: { transactions?: number; sessions?: number }
  /**
   * Pending while this process does not know which sessions it still owns, because it was suspended and other processes may have resumed
   * them. Until then outgoing messages are dropped or wait, and incoming ones wait.
   */
  hesitates?(): Promise<unknown> | undefined
  /** 0 to 1: for the waits after glare. */
  random?(): number
  /** A handler or an observer threw. The message is answered with 500 or processed anyway; this reports it to the operator. */
  onFault?(error: unknown): void
}
