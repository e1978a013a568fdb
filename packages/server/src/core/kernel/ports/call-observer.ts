import type { End } from './call-end.ts'
import type { SoundState } from './telephony.ts'
import type { IncomingTrace } from '../trace/tracer.ts'

/** What can be said about a call while it lasts and at its end. Numbers in it are personal data. */
export interface CallFacts {
  readonly callId: string
  /** Whom it concerns; grows while it is passed on. */
  readonly accountIds: readonly string[]
  readonly from: string | undefined
  readonly to: string
  readonly startedAt: number
  readonly answeredAt: number | undefined
  readonly endedAt: number | undefined
  readonly end: End | undefined
  /** When it was so. */
  readonly at: number
  /** Of the one who ordered it. */
  readonly trace: IncomingTrace | undefined
  /** What the phones in it speak: PCMA, opus … */
  readonly codecs: () => readonly string[]
}

/** `taken`: another process has it now, and says how it ends. `resumed`: this one has taken it. */
export type CallChange = 'started' | 'ringing' | 'answered' | 'transferred' | 'ended' | 'taken' | 'resumed'

/** Watches calls. It is not awaited, and what it throws is only logged. */
export interface CallObserver {
  changed(call: CallFacts, what: CallChange): void
  /** One of its phones is not heard, or does not hear us; or it is again. None for people outside. */
  sound?(callId: string, state: SoundState, phone: { accountId: string; deviceId: string } | undefined): void
}
