/** A call as it is told to an account's own software (svcio). Numbers are E.164, or an extension where no number leads there. */
export interface DescribableCall {
  /** Works in /v2 for the account that is told. */
  readonly callId: string
  /** Of the first call, when this one came out of it by a transfer or a forwarding. */
  readonly origCallId: string
  readonly accountId: string
  readonly direction: 'in' | 'out'
  /** Undefined when it is withheld or unknown. */
  readonly from: string | undefined
  readonly to: string
  /** Phone lines and groups that it concerns: they decide whether, and where, it is told. */
  readonly lines: readonly string[]
  /** In: whose phones would ring. Out: who calls. */
  readonly users: readonly DescribableUser[]
  /** Who passed it on, the latest one. */
  readonly diversion: string | undefined
}

export interface DescribableUser {
  readonly id: string
  readonly name: string
}

/** What the account's software wants to happen. */
export type Verb =
  /** Instead of what would have happened: up to five numbers, of which the first to answer gets the call, or the voicemail. */
  | { kind: 'dial'; numbers: readonly string[]; voicemail: boolean; callerId: string | undefined; anonymous: boolean }
  | { kind: 'play'; url: string }
  /** `timeoutMs` counts from the end of the sound. The keys go to `onData`, whose answer is again a Guidance. */
  | { kind: 'gather'; onData: string; maxDigits: number; timeoutMs: number; play: string | undefined }
  | { kind: 'reject'; reason: 'rejected' | 'busy' }
  | { kind: 'hangup' }

export interface CallGuidance {
  /** Undefined: the call goes on as it would have. */
  readonly verb: Verb | undefined
  /** Where it wants to be told that the call was answered … */
  readonly onAnswer: string | undefined
  /** … and that it is over. */
  readonly onHangup: string | undefined
}

/** Asks an account's own software how a call goes on. Never throws: without a valid reply in time the call goes on. */
export interface CallGuide {
  /** Whether the account follows calls in this direction. One small read, so that the calls of all other accounts cost nothing more. */
  listens(accountId: string, direction: DescribableCall['direction']): Promise<boolean>
  /** Undefined when the account does not follow this call. */
  begin(call: DescribableCall, signal: AbortSignal): Promise<CallGuidance | undefined>
  /** Keys that were gathered; empty when none was pressed. */
  keys(call: DescribableCall, gathered: { onData: string; digits: string }, signal: AbortSignal): Promise<CallGuidance | undefined>
  /** A WAV file of Play (mono, 16 bit, 8 kHz); undefined when it cannot be had. */
  sound(call: DescribableCall, url: string, signal: AbortSignal): Promise<Uint8Array | undefined>
}

/** How an account's software follows a call. Kept with the call, so that it survives the process that carries it. */
export interface Followed {
  readonly call: DescribableCall
  onAnswer: string | undefined
  onHangup: string | undefined
  /** Who took it, if it was taken: not yet told as long as `onAnswer` is there. */
  answered: { number: string; userId: string | undefined } | undefined
}

/** For accounts that have no software of their own. */
export const noGuide: CallGuide = {
  listens: () => Promise.resolve(false),
  begin: () => Promise.resolve(undefined),
  keys: () => Promise.resolve(undefined),
  sound: () => Promise.resolve(undefined),
}

/** Why a call is over, in the words of the notifications. */
export type HangupCause = 'normalClearing' | 'busy' | 'cancel' | 'noAnswer' | 'congestion' | 'notFound' | 'forwarded'
