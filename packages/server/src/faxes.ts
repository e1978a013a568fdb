import type { Logger } from 'pino'
import { deliverHere } from './core/fax/deliver-here.ts'
import { FaxDesk, type FaxDeskParts } from './core/fax/fax-desk.ts'
import type { FaxFiles } from './core/ports/fax-papers.ts'
import type { MayRecord } from './core/recordings/recording-room.ts'

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
