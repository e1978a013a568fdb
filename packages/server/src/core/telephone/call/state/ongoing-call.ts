import type { End } from '#core/kernel/ports/call-end.ts'
import type { Party } from './party.ts'

/** What every part of a call sees of it; each names what it needs beyond that. */
export interface OngoingCall {
  readonly id: string
  readonly parties: readonly Party[]
  /** Undefined as long as it lasts. */
  readonly end: End | undefined
  readonly over: Promise<End>
  /** The first end is the true one. */
  finish(end: End): void
  /** For what also seems so to a process that stood still while another one took the call. */
  finishIfOurs(end: End): void
  /** For what may fail without any harm to the call. */
  attempt(work: () => void): void
}
