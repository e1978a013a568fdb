import type { SipClock, Transport } from '../transport/transport.ts'

/** RFC 3261 table 4, in milliseconds. */
export const T1 = 500
export const T2 = 4_000
export const T4 = 5_000
/** Timers B, F, H, J, L and M. */
export const transactionTimeout = 64 * T1
/** Timer D: milliseconds during which retransmitted final responses of an INVITE are acknowledged. */
export const timerD = 32_000
/** Milliseconds within which an INVITE needs a provisional response. */
export const tryingAfter = 200

/** Dependencies of a transaction. */
export interface TransactionContext {
  readonly clock: SipClock
  readonly transport: Transport
}

type Cancel = () => void

export const nothing: Cancel = () => {}

/** Sends after `first`, then doubles the wait up to `maxLength`, until cancelled. */
export const resend = (clock: SipClock, first: number, maxLength: number, send: () => void): Cancel => {
  let wait = first
  let cancel = nothing
  const again = (): void => {
    wait = Math.min(wait * 2, maxLength)
    cancel = clock.after(wait, again)
    send()
  }
  cancel = clock.after(first, again)
  return () => cancel()
}
