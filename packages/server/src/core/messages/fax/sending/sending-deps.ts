import type { Leases } from '#core/kernel/work/leases.ts'
import type { RecordWriter } from '#core/kernel/work/write-with-retry.ts'
import type { FaxFiles, FaxPrinter } from '#core/kernel/ports/messages.ts'
import type { Fax } from '#core/kernel/ports/store/message.ts'
import type { Telephony } from '#core/kernel/ports/telephony.ts'
import type { LocalFaxline } from './fax-route.ts'

/** Dependencies for sending faxes. */
export interface SendingDeps extends RecordWriter {
  telephony: Telephony
  files: FaxFiles
  printer: FaxPrinter
  leases: Leases
  /** For a local number: no modem, no call. Idempotent per fax. */
  deliverHere: (fax: Fax, faxline: LocalFaxline) => Promise<void>
  /** Called after a job was queued. */
  wake: () => void
}
