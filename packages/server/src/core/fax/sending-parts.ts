import type { Leases } from '../call/leases.ts'
import type { Bookkeeping } from '../call/sure-write.ts'
import type { FaxFiles, FaxPrinter } from '../ports/fax-papers.ts'
import type { Fax } from '../ports/store/faxes.ts'
import type { Telephony } from '../ports/telephony.ts'
import type { FaxPlace } from './fax-route.ts'

/** What sending faxes needs. */
export interface SendingParts extends Bookkeeping {
  telephony: Telephony
  files: FaxFiles
  printer: FaxPrinter
  leases: Leases
  /** For a number that is in service here: no modem, no call. The same fax may come twice and arrives once. */
  deliverHere: (fax: Fax, place: FaxPlace) => Promise<void>
  /** Something was put into the waiting tables. */
  wake: () => void
}
