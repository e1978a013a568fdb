import { deliverHere } from '#core/messages/fax/sending/deliver-here.ts'
import { FaxDesk, type FaxDeskParts } from '#core/messages/fax/sending/fax-desk.ts'
import type { FaxFiles } from '#core/kernel/ports/fax-papers.ts'
import type { MayRecord } from '#core/telephone/recordings/recording-room.ts'
import type { Log } from '#log/log-events.ts'

export interface OpenFaxesParts extends Omit<FaxDeskParts, 'files' | 'deliverHere' | 'onFailure'> {
  faxFiles: FaxFiles
  mayRecord: MayRecord
  log: Log
}

/** Sends faxes; they go by the time of calls. */
export const openFaxes = ({ log, faxFiles: files, mayRecord, ...parts }: OpenFaxesParts): FaxDesk =>
  new FaxDesk({
    ...parts,
    files,
    deliverHere: deliverHere({ ...parts, files, mayRecord }),
    onFailure: (error, faxId) => log('fax_not_sent', { err: error, faxId }),
  })
