import type { Leases } from '#core/kernel/work/leases.ts'
import type { RecordWriter } from '#core/kernel/work/write-with-retry.ts'
import type { FaxFiles, FaxPrinter } from '#core/kernel/ports/fax-papers.ts'
import type { Fax } from '#core/kernel/ports/store/message/faxes.ts'
import type { Telephony } from '#core/kernel/ports/telephony.ts'
import type { LocalFaxline } from './fax-route.ts'

/** What sending faxes needs. */
export interface SendingDeps extends RecordWriter {
  telephony: Telephony
  files: FaxFiles
  printer: FaxPrinter
  leases: Leases
  /** For a number that is in service here: no modem, no call. The same fax may come twice and arrives once. */
  deliverHere: (fax: Fax, faxline: LocalFaxline) => Promise<void>
  /** Something was put into the waiting tables. */
  wake: () => void
}
