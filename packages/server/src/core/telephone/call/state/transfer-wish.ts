import type { Party } from './party.ts'

/** Whom a user wants to take the call. */
export interface TransferRequest {
  accountId: string
  userId: string
  /** E.164, or an extension of the account. */
  to: string
  attended: boolean
  /** A number of the account that the transfer target sees. */
  callerId: string | undefined
}

/** A new party is being called because a user wants it. */
export interface PendingRequest {
  readonly wish: TransferRequest
  /** Resolves when they ring. */
  readonly rings: Promise<void>
}

/** One of two parties talks with a third one while the other waits. */
export interface Consulting {
  /** Who asked for it and has the say. */
  readonly accountId: string
  /** Who was called, as it was asked for. */
  readonly to: string
  readonly waiting: Party
  /** The two others talk, and the party that asked leaves. What is returned is to be done when it is the call's turn. */
  complete(): () => Promise<void>
  /** The third party leaves, and the two talk again. */
  callOff(): () => Promise<void>
  /** The phone of the waiting party, which was asked to call us, takes its own place. */
  replaceWaiting(guest: Party): void
  /** One of the three is gone. */
  left(party: Party): void
}
