import type { Variables } from '@offhook/contract/assistant/variables.ts'
import type { IncomingTrace } from '../trace/tracer.ts'
import type { Cause } from './telephony.ts'
import type { SoundState, LegQuality } from './audio.ts'
import type { HeldTrunk } from './store/operate.ts'

/** One side of a call: an extension of the account, an external number, a short number of its country, the emergency services, or an assistant. */
export type Party =
  | { kind: 'extension'; id: string }
  | { kind: 'number'; e164: string }
  | { kind: 'short'; digits: string }
  | { kind: 'emergency'; dialled: string }
  | { kind: 'flow'; id: string }

export interface CallOrder {
  sessionId: string
  accountId: string
  userId: string
  /** Rings first; the callee is called when it answers. For a phone line only its registered and mobile devices ring, which are free. */
  caller: Party
  /** `messages`: callers listen to their own voicemail. */
  callee: Party | { kind: 'messages' }
  /** Legs with a reservation under `sessionId`, in this order; the others are free. */
  paidLegs: readonly ('caller' | 'callee')[]
  /** Device for billing and caller ID if the caller is not a device itself. */
  deviceId: string | undefined
  /** E.164 shown to the callee; undefined uses the device's setting. */
  callerId: string | undefined
  /** For the assistant that calls. */
  variables?: Variables | undefined
  /** The client's own name of the call. */
  correlationId?: string | undefined
  /** Trace context of the originator. */
  trace?: IncomingTrace | undefined
}

export interface FaxOrder {
  sessionId: string
  accountId: string
  userId: string
  faxlineId: string
  recipient: string
  /** A new document, or that of an earlier fax. */
  document: { filename: string; pdf: Uint8Array } | { resendOf: string }
}

export interface SmsOrder {
  sessionId: string
  accountId: string
  userId: string
  smsId: string
  sender: string
  recipient: string
  message: string
  /** Milliseconds since the epoch. */
  sendAt: number
}

/**
 * Executes calls, faxes and messages. Each method resolves when the order is accepted, not when it is done, and throws a Problem if it
 * cannot be. Idempotent by sessionId: an accepted order is not executed twice.
 */
export interface Orders {
  startCall(order: CallOrder): Promise<void>
  sendFax(order: FaxOrder): Promise<void>
  sendSms(order: SmsOrder): Promise<void>
}

/** Reason for the end of a call. Closed list: customers read these values. */
export type EndReason =
  | 'caller_hangup'
  | 'callee_hangup'
  | 'assistant_hangup'
  | 'api_hangup'
  | 'transferred'
  | 'no_answer'
  | 'busy'
  | 'rejected'
  | 'failed'
  | 'endpoint_unavailable'
  | 'max_duration'
  | 'silence_timeout'
  | 'media_timeout'
  | 'insufficient_funds'
  | 'service_shutdown'
  | 'service_failure'

export interface End {
  readonly by: 'caller' | 'callee' | 'assistant' | 'api' | 'network' | 'service'
  readonly reason: EndReason
  /** Cause sent to the phones that are still connected. */
  readonly cause: Cause
  /** Ended only in this process: another node took the call over, so no party is notified and no record is written. */
  readonly taken?: true
  /** The edge has asked another node for the call, which records it. */
  readonly elsewhere?: true
}

/** Facts about a call during the call and at its end. The numbers are personal data. */
export interface CallFacts {
  readonly callId: string
  /** Accounts involved; grows with forwardings and transfers. */
  readonly accountIds: readonly string[]
  readonly from: string | undefined
  readonly to: string
  readonly startedAt: number
  readonly answeredAt: number | undefined
  readonly endedAt: number | undefined
  readonly end: End | undefined
  /** Time of the change. */
  readonly at: number
  /** Trace context of the originator. */
  readonly trace: IncomingTrace | undefined
  /** Codecs of the phones: PCMA, opus … */
  readonly codecs: () => readonly string[]
}

/** `taken`: another node owns the call now and reports its end. `resumed`: this node took it over. */
export type CallChange = 'started' | 'ringing' | 'answered' | 'transferred' | 'ended' | 'taken' | 'resumed'

/** Observes calls. Not awaited; errors are only logged. */
export interface CallObserver {
  changed(call: CallFacts, what: CallChange): void
  /** Audio to or from a phone of the call fails or works again. `phone` is undefined for external parties. */
  sound?(callId: string, state: SoundState, phone: { accountId: string; deviceId: string } | undefined): void
}

/** Call as described to an account's own software (svcio). Numbers are E.164, or an extension if no number exists. */
export interface DescribableCall {
  /** Valid in /v2 for the notified account. */
  readonly callId: string
  /** Id of the first call, if this one results from a transfer or a forwarding. */
  readonly origCallId: string
  readonly accountId: string
  readonly direction: 'in' | 'out'
  /** Undefined if withheld or unknown. */
  readonly from: string | undefined
  readonly to: string
  /** Phone lines and groups involved: they decide whether and where the call is reported. */
  readonly lines: readonly string[]
  /** Inbound: users whose phones would ring. Outbound: the calling user. */
  readonly users: readonly DescribableUser[]
  /** Latest party that diverted the call. */
  readonly diversion: string | undefined
}

export interface DescribableUser {
  readonly id: string
  readonly name: string
}

/** Action requested by the account's software. */
export type Verb =
  /** Replaces the default routing: up to five numbers, of which the first to answer gets the call, or the voicemail. */
  | { kind: 'dial'; numbers: readonly string[]; voicemail: boolean; callerId: string | undefined; anonymous: boolean }
  | { kind: 'play'; url: string }
  /** `timeoutMs` counts from the end of the sound. The digits go to `onData`, whose answer is again a CallGuidance. */
  | { kind: 'gather'; onData: string; maxDigits: number; timeoutMs: number; play: string | undefined }
  | { kind: 'reject'; reason: 'rejected' | 'busy' }
  | { kind: 'hangup' }

export interface CallGuidance {
  /** Undefined: the call continues with the default routing. */
  readonly verb: Verb | undefined
  /** URL to notify when the call is answered. */
  readonly onAnswer: string | undefined
  /** URL to notify when the call ends. */
  readonly onHangup: string | undefined
}

/** Asks an account's own software how to handle a call. Never throws: without a valid reply in time the call continues. */
export interface CallGuide {
  /** Whether the account follows calls in this direction. One small read, so that calls of other accounts cost no more. */
  listens(accountId: string, direction: DescribableCall['direction']): Promise<boolean>
  /** Undefined if the account does not follow this call. */
  begin(call: DescribableCall, signal: AbortSignal): Promise<CallGuidance | undefined>
  /** Gathered digits; empty if none was pressed. */
  keys(call: DescribableCall, gathered: { onData: string; digits: string }, signal: AbortSignal): Promise<CallGuidance | undefined>
  /** WAV file for `play` (mono, 16 bit, 8 kHz); undefined if it cannot be fetched. */
  sound(call: DescribableCall, url: string, signal: AbortSignal): Promise<Uint8Array | undefined>
}

/** State of the account software's interest in a call. Stored with the call, so that it survives a takeover. */
export interface Followed {
  readonly call: DescribableCall
  onAnswer: string | undefined
  onHangup: string | undefined
  /** Party that answered, if any; its notification is pending while `onAnswer` is set. */
  answered: { number: string; userId: string | undefined } | undefined
}

/** For accounts without software of their own. */
export const noGuide: CallGuide = {
  listens: () => Promise.resolve(false),
  begin: () => Promise.resolve(undefined),
  keys: () => Promise.resolve(undefined),
  sound: () => Promise.resolve(undefined),
}

/** Hangup cause as named in notifications. */
export type HangupCause = 'normalClearing' | 'busy' | 'cancel' | 'noAnswer' | 'congestion' | 'notFound' | 'forwarded'

/** Subscriber of BLF or MWI: the phone whose keys or message indicator show the state. */

export interface Watcher {
  accountId: string
  deviceId: string
  username: string
}

export type BlfKind = 'messages' | 'calls'

export interface BlfCall {
  id: string
  /** From the watched phone's perspective. */
  direction: 'incoming' | 'outgoing'
  state: 'ringing' | 'calling' | 'talking'
}

export type BlfState = { kind: 'messages'; fresh: number; heard: number } | { kind: 'calls'; calls: readonly BlfCall[] }

export interface BlfEntry {
  /** Undefined if the watcher may no longer see it. */
  state(): Promise<BlfState | undefined>
  /** Calls `changed` when the state may have changed. Returns the function that stops watching. */
  watch(changed: () => void): () => void
}

export interface BlfEntries {
  /** Extension that plays the voicemail messages. */
  readonly messageAccess: string
  /** Undefined if the watcher's account has no such name, or the watcher may not see it. */
  find(watcher: Watcher, kind: BlfKind, name: string): Promise<BlfEntry | undefined>
}

export interface TrunkState {
  /** Registered at the carrier. Always false for trunks that do not register. */
  registered: boolean
  /** Usable for outbound calls: it answers and, if required, is registered. */
  usable: boolean
  /** Running calls in both directions. */
  calls: number
  /** Time of the last change of `registered` or `usable`. */
  since: number
  /** Node that registers it, if there may be several. */
  registeredBy?: string
  /** Carrier's last rejection: `403 Forbidden`. */
  problem?: string
}

/** Current trunk states from the telephony adapter. */
export interface TrunkStates {
  /** All active trunks. */
  all(): { id: string; name: string; state: TrunkState }[]
  /** Undefined for inactive trunks, and shortly after they were added. */
  of(trunkId: string): TrunkState | undefined
  /** Addresses of its host. */
  hostsOf(trunkId: string): readonly string[]
}

/** `us`: this node registers it. Undefined: no node does yet. */
export type Holder = { us: true; owner?: string } | { us: false; owner: string; state: HeldTrunk } | undefined

/** Decides which node registers at a carrier: one at a time. */
export interface TrunkHolding {
  /** Sets the trunks to be registered; some node registers each from now on. */
  want(trunkIds: readonly string[]): void
  of(trunkId: string): Holder
  /** Stores the state known to this node, which registers the trunk. */
  note(trunkId: string, state: HeldTrunk): void
  /** Called when the result of `of` may have changed. */
  onChange(changed: () => void): void
  /** Other nodes may register immediately. */
  close(): Promise<void>
}

/** End of a trunk call, including calls that the carrier rejected. */
export interface TrunkCallEnd {
  trunkId: string
  direction: 'incoming' | 'outgoing'
  answered: boolean
  cause: Cause
  /** Undefined if no packet arrived. */
  quality: LegQuality | undefined
}
