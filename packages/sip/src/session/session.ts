import type { HeaderLines } from '../message/build.ts'
import type { DialogState } from '../dialog/dialog.ts'
import type { DigestClient } from '../digest/digest-client.ts'
import type { Request, Response } from '../message/message.ts'
import type { NameAddr } from '../grammar/name-addr.ts'
import type { Flow } from '../transport/transport.ts'
import type { SavedTimer } from './session-timer.ts'

/** An INVITE that goes out. */
export interface InviteDraft {
  /** The Request-URI. */
  uri: string
  /** Header value without tag. The Request-URI in angle brackets unless given. */
  to?: string
  /** Header value without tag: `"Anna" <sip:anna@example.org>`. */
  from: string
  /** The user part of our Contact; the one of `from` unless given. */
  contactUser?: string
  /** Route header values, the first one is where it goes: `<sip:proxy.example.org;lr>`. */
  routes?: readonly string[]
  headers?: HeaderLines
  /** Our offer. Without it the far end makes one, see `SessionObserver.offered`. */
  sdp?: string | undefined
  /**
   * Answers challenges; one for all requests to the same peer, so that later ones need none. Inside the dialog it is used
   * only towards the host that the INVITE went to.
   */
  digest?: DigestClient | undefined
  /** The INVITE and everything in its dialog goes this way instead of where the URIs say: a registered phone. */
  flow?: Flow | undefined
  callId?: string
  /** 70 unless given. */
  maxForwards?: number
  /** How long to wait for the first response, even a 100; 32 s unless given. */
  silenceMs?: number | undefined
}

export interface Progress {
  /** 101 to 199. */
  status: number
  /** Our offer's answer, so that early media can flow (an offer in a reliable response goes to `offered` instead). */
  sdp: string | undefined
  /** Tells the branches of a forked call apart. */
  remoteTag: string | undefined
  response: Response
}

export interface SessionEnd {
  /** `network`: no response (408, 503), or the far end fell silent. */
  by: 'us' | 'peer' | 'network'
  /** The final response of an INVITE that was not answered with 2xx; ours or theirs. 487 when it was cancelled. */
  status?: number
  /** Value of the far end's Reason header. */
  reason?: string
  /** Where a 3xx points to. Never followed here. */
  contacts?: readonly NameAddr[]
  /** The message of the far end that ended it: the final response, the CANCEL or the BYE. */
  message?: Request | Response
}

/** `sdp` agrees, `status` refuses (488). */
export type OfferReply = { sdp: string; headers?: HeaderLines } | { status: number; headers?: HeaderLines }

export interface IncomingRefer {
  readonly request: Request
  /** What to call. Its `Replaces` header is taken out of the URI. */
  readonly referTo: NameAddr
  /** The Replaces value inside Refer-To, decoded. */
  readonly replaces: string | undefined
  /** The session of ours that Replaces names, if it is one. */
  readonly replaced: Session | undefined
  readonly referredBy: string | undefined
  /** 202, and a subscription unless the far end does not want one. */
  accept(): void
  reject(status: number, headers?: HeaderLines): void
  /** Reports the status of the new call to the transferor. The first one of 200 or above is the last. */
  notify(status: number, reason?: string): void
}

/** What happens in a session. Members are called in the order of events; none after `ended`. */
export interface SessionObserver {
  /** Outgoing, unanswered. */
  progress?(progress: Progress): void
  /** Outgoing. `sdp`: our offer's answer, also when it came earlier in a reliable response; undefined when we did not offer. */
  answered?(sdp: string | undefined, response: Response): void
  /**
   * The far end makes an offer (re-INVITE, UPDATE, PRACK, the response to an INVITE without one): agree with the answer.
   * Without `sdp` it wants an offer from us; its answer arrives at `acknowledged`. Refused with 488 when this is missing.
   */
  offered?(sdp: string | undefined, message: Request | Response): OfferReply | Promise<OfferReply>
  /** The answer to an offer that we made in a response. */
  acknowledged?(sdp: string, message: Request): void
  /** The session timer had our last offer repeated, and this is the answer; as a rule nothing has changed. */
  refreshed?(sdp: string): void
  /** The remote target has changed, and `trace` with it. */
  moved?(): void
  /** The status that INFO is answered with; 200 unless given, 469 or 415 when it makes no sense. */
  info?(request: Request): number | void
  /** Refused with 603 when this is missing. */
  referred?(refer: IncomingRefer): void
  /** Once. */
  ended?(end: SessionEnd): void
}

export interface ReferOptions {
  /** The new call shall replace this session of ours (attended transfer). */
  replaces?: Session
  /** Header value. */
  referredBy?: string
  headers?: HeaderLines
  /** The status of the new call, whenever the far end reports it. */
  notified?(status: number): void
}

/** What another process needs to go on with a session, beside its dialog. */
export interface SavedSession {
  direction: 'incoming' | 'outgoing'
  contactUser: string
  /** Where the latest message came from. */
  peer?: Pick<Flow, 'kind' | 'address' | 'port'>
  origin?: string
  allowsUpdate: boolean
  allowsRefer: boolean
  timer: SavedTimer
}

/** What another process needs to end a session (`UserAgent.endLost`) or to go on with it (`UserAgent.resume`) when this one is gone. */
export interface SessionTrace extends DialogState {
  /** Everything goes this way instead of where the URIs say. */
  flow?: Flow
  /** The address that the INVITE went to: no other gets credentials. */
  trusted?: string
  /** There when it is confirmed: without it a session can only be ended. */
  session?: SavedSession
}

/**
 * `calling`: not answered, no dialog yet. `early`: ringing or early media. `confirmed`: answered.
 * Incoming sessions begin as `calling` too.
 */
export type SessionState = 'calling' | 'early' | 'confirmed' | 'ended'

/** One call with one peer. Everything may be called at any time; after the end nothing has an effect. No promise is ever rejected. */
export interface Session {
  readonly id: string
  readonly direction: 'incoming' | 'outgoing'
  readonly state: SessionState
  readonly callId: string
  readonly localTag: string
  /** Unknown until the far end of an outgoing session answered. */
  readonly remoteTag: string | undefined
  /** The far end says that it takes UPDATE. */
  readonly peerAllowsUpdate: boolean
  /** The far end says that it takes REFER. */
  readonly peerAllowsRefer: boolean
  /** Where the latest message came from. */
  readonly peer: Flow | undefined
  /** The address that its messages set out from, which is not that of a proxy of ours; undefined as long as it is not known. */
  readonly origin: string | undefined
  /** Undefined when it is over, and as long as an outgoing one is not answered. */
  readonly trace: SessionTrace | undefined
  /** Resolves with the first thing that ended it. */
  readonly ended: Promise<SessionEnd>

  /** This observer takes the place of the one before. If the session has ended already, `ended` is called at once. */
  observe(observer: SessionObserver): void
  /** In-dialog requests go this way instead of where Contact and Record-Route say: phones behind NAT. */
  pin(flow: Flow): void

  /**
   * Incoming: 101 to 199. `reliable` is a wish (100rel); it is always so when the far end requires it.
   * Resolves with true when it went out and, if reliable, was confirmed.
   */
  progress(status: number, options?: { sdp?: string | undefined; reliable?: boolean; headers?: HeaderLines }): Promise<boolean>
  /**
   * Incoming: 200. `sdp`: the answer, or the offer for an INVITE without one; may be left out when a reliable response had it.
   * Resolves with true when the far end confirmed it, with false when the session ended instead.
   */
  accept(options?: { sdp?: string | undefined; headers?: HeaderLines }): Promise<boolean>
  /** Incoming: 300 to 699. */
  reject(status: number, headers?: HeaderLines): void

  /**
   * Changes the session: a new offer by re-INVITE, or by UPDATE if the far end allows it. Several are done one after the other;
   * glare (491) is waited out and retried. `undefined`: the far end shall offer (re-INVITE only).
   * Before the answer only UPDATE in a reliable early dialog fits; otherwise the result is 491 without a request.
   */
  offer(
    sdp: string | undefined,
    options?: { method?: 'INVITE' | 'UPDATE'; headers?: HeaderLines },
  ): Promise<{ status: number; sdp: string | undefined }>
  /** Transfers the far end to this URI. Resolves with the new call's final status, 202 if that stays unknown, or the status that rejected the REFER. */
  refer(uri: string, options?: ReferOptions): Promise<number>
  /** Resolves with the status of the response. */
  info(contentType: string, body: string, headers?: HeaderLines): Promise<number>
  /** Any other request inside the dialog. */
  request(method: string, options?: { contentType?: string; body?: string; headers?: HeaderLines }): Promise<Response>

  /**
   * CANCEL, BYE or a final response, whatever fits. `status` is the one to refuse with (486 unless given);
   * `reason` goes into a Reason header: `Q.850;cause=16`. Resolves with the response of the far end, or when none came in time.
   */
  end(options?: { status?: number; reason?: string; headers?: HeaderLines }): Promise<void>
  /** Another process goes on with it: ends here without a word to the far end, also when it was about to be told that it is over. */
  abandon(): void
}
