import type { IncomingRequest } from '../request/incoming-request.ts'
import type { Request } from '../message/message.ts'
import type { SipRejection } from './request-checks.ts'
import type { Session } from '../session/session.ts'
import type { Flow, SipClock, Transport } from '../transport/transport.ts'
import type { Replaces } from '../grammar/headers.ts'
import type { SipUri } from '../grammar/uri.ts'

/** An INVITE outside of dialogs; it must be accepted or rejected in the end. 100 is sent automatically. */
export interface IncomingInvite {
  readonly request: Request
  readonly from: Flow
  readonly session: Session
  /** The far end's offer. */
  readonly sdp: string | undefined
  /** The session of ours that a Replaces header names. */
  readonly replaces: Session | undefined
  /** It names a dialog that we do not have. Such an INVITE was answered with 481 already, unless this user agent `asksElsewhere`. */
  readonly replacesElsewhere?: Replaces | undefined
}

export interface UserAgentOptions {
  clock: SipClock
  transport: Transport
  /** Where a request goes whose topmost Route or Request-URI this is, the best first. Nowhere is an empty list. */
  resolve(uri: SipUri): Promise<readonly Flow[]>
  /** Proxies of ours: the origin of what they forward is elsewhere. */
  isProxy?(address: string): boolean
  /**
   * A request outside of dialogs that came for the first time: the response that it gets at once, such as a challenge, or nothing
   * to let it in. Nothing is kept of one that is answered here (RFC 3261 §8.2.7).
   */
  admit?(request: Request, from: Flow): SipRejection | undefined
  onInvite(invite: IncomingInvite): void
  /** There are other user agents of ours, one of which may have a dialog that we do not know. */
  asksElsewhere?: boolean
  /** Requests outside of dialogs whose method is in `methods`. */
  onRequest?(request: IncomingRequest): void
  /** Methods that `onRequest` takes: OPTIONS unless given. Others get 405, or 501 when they are unknown. */
  methods?: readonly string[]
  /** Option tags that `onRequest` understands beyond ours (100rel, timer, replaces, norefersub); others in Require get 420. */
  extensions?: readonly string[]
  /** A malformed message got this status (0: no response); for counting sources of nuisance. */
  onBroken?(from: Flow, status: number): void
  /** True for a request that went through us before: it gets 482. */
  isLoop?(request: Request): boolean
  /** User-Agent and Server. */
  product: string
  /** Seconds. What we ask for and the least that we take (RFC 4028). */
  sessionTimer?: { expires: number; min: number }
  /** Beyond these new requests outside of dialogs get 503: 10,000 of them at work, 10,000 sessions. */
  limits?: { transactions?: number; sessions?: number }
  /**
   * Pending while this process does not know which sessions are still its own, because it stood still while others may have gone on with
   * them. Until then nothing is sent, and what comes waits.
   */
  hesitates?(): Promise<unknown> | undefined
  /** From 0 to 1: for the waits after glare. */
  random?(): number
  /** A handler or an observer threw. The message is answered with 500 or goes its way; this is where the operator learns of it. */
  onFault?(error: unknown): void
}
