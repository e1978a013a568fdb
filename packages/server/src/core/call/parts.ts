import type { CallObserver } from '../ports/call-observer.ts'
import type { Telephony, TransferAsked } from '../ports/telephony.ts'
import type { Call } from './call.ts'
import type { Calls } from './calls.ts'
import type { Occupancy } from './occupancy.ts'
import type { Party } from './party.ts'
import type { Bookkeeping } from './sure-write.ts'

/** What every call uses. */
export interface CallParts extends Bookkeeping {
  telephony: Telephony
  calls: Calls
  occupancy: Occupancy
  observers: readonly CallObserver[]
  /** A phone asks to be replaced by somebody else. Must not throw. */
  onTransfer: (call: Call, party: Party, asked: TransferAsked) => void
}
