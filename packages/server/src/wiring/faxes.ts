import { deliverHere } from '#core/messages/fax/sending/deliver-here.ts'
import { FaxSender, type FaxSenderDeps } from '#core/messages/fax/sending/fax-sender.ts'
import type { FaxFiles } from '#core/kernel/ports/fax-papers.ts'
import type { MayRecord } from '#core/telephone/recordings/recording-room.ts'
import type { Log } from '#log/log-events.ts'

export interface OpenFaxesDeps extends Omit<FaxSenderDeps, 'files' | 'deliverHere' | 'onFailure'> {
  faxFiles: FaxFiles
  mayRecord: MayRecord
  log: Log
}

/** Sends faxes; they go by the time of calls. */
export const openFaxes = ({ log, faxFiles: files, mayRecord, ...parts }: OpenFaxesDeps): FaxSender =>
  new FaxSender({
    ...parts,
    files,
    deliverHere: deliverHere({ ...parts, files, mayRecord }),
    onFailure: (error, faxId) => log('fax_not_sent', { err: error, faxId }),
  })
