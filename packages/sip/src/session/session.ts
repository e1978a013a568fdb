import type { BodyPart, HeaderLines } from '../message/build.ts'
import type { DialogState } from '../dialog/dialog.ts'
import type { DigestClient } from '../digest/digest-client.ts'
import type { Request, Response } from '../message/message.ts'
import type { NameAddr } from '../grammar/headers.ts'
import type { Flow } from '../transport/transport.ts'
import type { SavedTimer } from './session-timer.ts'

/** An outgoing INVITE. */
export interface InviteDraft {
  /** The Request-URI. */
  uri: string
  /** Header value without tag. Default: the Request-URI in angle brackets. */
  to?: string
  /** Header value without tag: `"Anna" <sip:anna@example.org>`. */
  from: string
  /** The user part of our Contact. Default: that of `from`. */
  contactUser?: string
  /** Route header values, the first one is the next hop: `<sip:proxy.example.org;lr>`. */
  routes?: readonly string[]
  headers?: HeaderLines
  /** Our offer. Without it the far end makes one, see `SessionObserver.offered`. */
  sdp?: string | undefined
  /** Further parts of the body next to the offer. */
  attachments?: readonly BodyPart[]
  /**
   * Answers challenges; one for all requests to the same peer, so that later ones need none. Inside the dialog only the host of the INVITE
   * gets credentials.
   */
  digest?: DigestClient | undefined
  /** Flow of the INVITE and its dialog, in place of the URIs: a registered phone. */
  flow?: Flow | undefined
  callId?: string
  /** Default: 70. */
  maxForwards?: number
  /** Milliseconds to wait for any response, even a 100. Default: 32 s. */
  silenceMs?: number | undefined
}

export interface Progress {
  /** 101 to 199. */
  status: number
  /** The answer to our offer, for early media (an offer in a reliable response goes to `offered` instead). */
  sdp: string | undefined
  /** Identifies the branch of a forked call. */
  remoteTag: string | undefined
  response: Response
}

export interface SessionEnd {
  /** `network`: no response (408, 503), or the far end fell silent. */
  by: 'us' | 'peer' | 'network'
  /** The final response to the INVITE other than 2xx; ours or theirs. 487 if cancelled. */
  status?: number
  /** Value of the far end's Reason header. */
  reason?: string
  /** Contacts of a 3xx. Never followed here. */
  contacts?: readonly NameAddr[]
  /** The message of the far end that ended it: the final response, the CANCEL or the BYE. */
  message?: Request | Response
}

/** `sdp` accepts, `status` rejects (488). */
export type OfferReply = { sdp: string; headers?: HeaderLines } | { status: number; headers?: HeaderLines }

export interface IncomingRefer {
  readonly request: Request
  /** The transfer target. Its `Replaces` header is removed from the URI. */
  readonly referTo: NameAddr
  /** The Replaces value inside Refer-To, decoded. */
  readonly replaces: string | undefined
  /** Our session named by Replaces, if any. */
  readonly replaced: Session | undefined
  readonly referredBy: string | undefined
  /** Sends 202, and creates a subscription unless the far end declines it. */
  accept(): void
  reject(status: number, headers?: HeaderLines): void
  /** Reports the status of the new call to the transferor. The first one of 200 or above is final. */
  notify(status: number, reason?: string): void
}

/** Callbacks of a session, in the order of events; none after `ended`. */
export interface SessionObserver {
  /** Outgoing, unanswered. */
  progress?(progress: Progress): void
  /** Outgoing. `sdp`: the answer to our offer, also if it came earlier in a reliable response; undefined if we did not offer. */
  answered?(sdp: string | undefined, response: Response): void
  /**
   * The far end makes an offer (re-INVITE, UPDATE, PRACK, the response to an INVITE without one): reply with the answer. Without `sdp` it
   * requests an offer from us; its answer arrives at `acknowledged`. Answered with 488 if this callback is missing.
   */
  offered?(sdp: string | undefined, message: Request | Response): OfferReply | Promise<OfferReply>
  /** The answer to an offer that we made in a response. */
  acknowledged?(sdp: string, message: Request): void
  /** The answer to our last offer, repeated by the session timer; usually unchanged. */
  refreshed?(sdp: string): void
  /** The remote target, and with it `trace`, has changed. */
  moved?(): void
  /** The response status to INFO. Default: 200, or 469 or 415 if invalid. */
  info?(request: Request): number | void
  /** Answered with 603 if this callback is missing. */
  referred?(refer: IncomingRefer): void
  /** Called once. */
  ended?(end: SessionEnd): void
}

export interface ReferOptions {
  /** Our session that the new call replaces (attended transfer). */
  replaces?: Session
  /** Header value. */
  referredBy?: string
  headers?: HeaderLines
  /** Each reported status of the new call. */
  notified?(status: number): void
}

/** State that another process needs to resume a session, in addition to its dialog. */
export interface SavedSession {
  direction: 'incoming' | 'outgoing'
  contactUser: string
  /** Source of the latest message. */
  peer?: Pick<Flow, 'kind' | 'address' | 'port'>
  origin?: string
  allowsUpdate: boolean
  allowsRefer: boolean
  timer: SavedTimer
}

/** State that another process needs to end a session (`UserAgent.endLost`) or to resume it (`UserAgent.resume`) after this one is gone. */
export interface SessionTrace extends DialogState {
  /** Flow of all messages, in place of the URIs. */
  flow?: Flow
  /** Address of the INVITE: no other gets credentials. */
  trusted?: string
  /** Present if confirmed: without it a session can only be ended. */
  session?: SavedSession
}

/**
 * `calling`: not answered, no dialog yet. `early`: ringing or early media. `confirmed`: answered.
 * Incoming sessions begin as `calling` too.
 */
export type SessionState = 'calling' | 'early' | 'confirmed' | 'ended'

/** One call with one peer. All methods may be called at any time and have no effect after the end. No promise ever rejects. */
export interface Session {
  readonly id: string
  readonly direction: 'incoming' | 'outgoing'
  readonly state: SessionState
  readonly callId: string
  readonly localTag: string
  /** Undefined until the far end of an outgoing session answers. */
  readonly remoteTag: string | undefined
  /** The far end allows UPDATE. */
  readonly peerAllowsUpdate: boolean
  /** The far end allows REFER. */
  readonly peerAllowsRefer: boolean
  /** Source of the latest message. */
  readonly peer: Flow | undefined
  /** Original source address of its messages, never one of our proxies; undefined if unknown. */
  readonly origin: string | undefined
  /** Undefined after the end, and for an outgoing session before the answer. */
  readonly trace: SessionTrace | undefined
  /** Resolves with the first reason that ended it. */
  readonly ended: Promise<SessionEnd>

  /** Replaces the observer. If the session has ended, calls `ended` immediately. */
  observe(observer: SessionObserver): void
  /** Sends in-dialog requests over this flow, in place of Contact and Record-Route: phones behind NAT. */
  pin(flow: Flow): void

  /**
   * Incoming: 101 to 199. `reliable` is a preference (100rel); always reliable if the far end requires it. Resolves with true if it was
   * sent and, if reliable, confirmed.
   */
  progress(status: number, options?: { sdp?: string | undefined; reliable?: boolean; headers?: HeaderLines }): Promise<boolean>
  /**
   * Incoming: 200. `sdp`: the answer, or the offer for an INVITE without one; optional if a reliable response had it. Resolves with true if
   * the far end confirmed it, with false if the session ended instead.
   */
  accept(options?: { sdp?: string | undefined; headers?: HeaderLines }): Promise<boolean>
  /** Incoming: 300 to 699. */
  reject(status: number, headers?: HeaderLines): void

  /**
   * Changes the session: a new offer by re-INVITE, or by UPDATE if the far end allows it. Several changes run one after the other; retries
   * after glare (491). `undefined`: the far end makes the offer (re-INVITE only). Before the answer only UPDATE in a reliable early dialog
   * is possible; otherwise the result is 491 without a request.
   */
  offer(
    sdp: string | undefined,
    options?: { method?: 'INVITE' | 'UPDATE'; headers?: HeaderLines },
  ): Promise<{ status: number; sdp: string | undefined }>
  /**
   * Transfers the far end to this URI. Resolves with the new call's final status, 202 if it stays unknown, or the status that rejected the
   * REFER.
   */
  refer(uri: string, options?: ReferOptions): Promise<number>
  /** Resolves with the response status. */
  info(contentType: string, body: string, headers?: HeaderLines): Promise<number>
  /** Any other request inside the dialog. */
  request(method: string, options?: { contentType?: string; body?: string; headers?: HeaderLines }): Promise<Response>

  /**
   * Sends CANCEL, BYE or a final response, depending on the state. `status` is the rejection (default 486); `reason` goes into a Reason
   * header: `Q.850;cause=16`. Resolves with the response of the far end, or on timeout.
   */
  end(options?: { status?: number; reason?: string; headers?: HeaderLines }): Promise<void>
  /** Another process resumes the session: ends it here without a message to the far end, and drops a pending BYE. */
  abandon(): void
}
