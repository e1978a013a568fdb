import type { Party } from './party.ts'

/** Transfer requested by a user. */
export interface TransferRequest {
  accountId: string
  userId: string
  /** E.164, or an extension of the account. */
  to: string
  attended: boolean
  /** Number of the account shown to the transfer target. */
  callerId: string | undefined
}

/** A requested transfer whose target is being called. */
export interface PendingRequest {
  readonly wish: TransferRequest
  /** Resolves when the target rings. */
  readonly rings: Promise<void>
}

/** Consultation: one of two parties talks with a third while the other waits. */
export interface Consulting {
  /** Account that started it and controls it. */
  readonly accountId: string
  /** Consulted party, as requested. */
  readonly to: string
  readonly waiting: Party
  /** Connects the two others; the requesting party leaves. The returned function runs in the call's turn. */
  complete(): () => Promise<void>
  /** Drops the third party and reconnects the original two. The returned function runs in the call's turn. */
  callOff(): () => Promise<void>
  /** Replaces the waiting party by its own phone, which was referred to us. */
  replaceWaiting(guest: Party): void
  /** One of the three parties is gone. */
  left(party: Party): void
}
