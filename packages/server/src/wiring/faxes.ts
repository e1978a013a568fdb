import type { Logger } from 'pino'
import { deliverHere } from '#core/messages/fax/sending/deliver-here.ts'
import { FaxDesk, type FaxDeskParts } from '#core/messages/fax/sending/fax-desk.ts'
import type { FaxFiles } from '#core/kernel/ports/fax-papers.ts'
import type { MayRecord } from '#core/telephone/recordings/recording-room.ts'

export interface OpenFaxesParts extends Omit<FaxDeskParts, 'files' | 'deliverHere' | 'onFailure'> {
  faxFiles: FaxFiles
  mayRecord: MayRecord
  logger: Logger
}

/** What sends faxes, at the time of calls. */
export const openFaxes = ({ logger, faxFiles: files, mayRecord, ...parts }: OpenFaxesParts): FaxDesk =>
  new FaxDesk({
    ...parts,
    files,
    deliverHere: deliverHere({ ...parts, files, mayRecord }),
    onFailure: (error, faxId) => logger.error({ err: error, faxId }, 'a fax could not be sent'),
  })
