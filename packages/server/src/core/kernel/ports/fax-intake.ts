import type { FaxResult } from './fax-transport.ts'

/** A fax that a fax line of an account is about to receive. */
export interface ArrivingFax {
  /** The call that brings it. */
  callId: string
  accountId: string
  userId: string | undefined
  faxlineId: string
  /** A number, or `anonymous`. */
  sender: string
  /** The number that was called. */
  recipient: string
}

export interface FaxBeingReceived {
  /** Path of the TIFF that its pages are written to. */
  readonly file: string
  /** Nothing more comes: the pages that came are kept. Undefined when the fax machine never answered. */
  end(result: FaxResult | undefined): Promise<void>
}

/** Where faxes go that come in by a call. */
export interface FaxIntake {
  /** Resolves when it is written that the fax comes. Until then no page may be confirmed: a confirmed page must not be lost. */
  begin(fax: ArrivingFax): Promise<FaxBeingReceived>
}
