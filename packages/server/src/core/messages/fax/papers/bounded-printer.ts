import { Problem } from '@offhook/contract/problem.ts'
import type { FaxFiles, FaxPrinter } from '#core/kernel/ports/messages.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { MayRecord } from '#core/telephone/recordings/recording-room.ts'

interface BoundedPrinterDeps {
  store: Store
  files: FaxFiles
  printer: FaxPrinter
  mayRecord: MayRecord
}

/**
 * Renders documents of accounts within their storage quota. A fax counts once it is finished, when all its files
 * exist. A received fax is always stored, because its sender got a confirmation.
 */
export const boundedPrinter = ({ store, files, printer, mayRecord }: BoundedPrinterDeps): FaxPrinter => {
  const weigh = async ({ accountId, faxId }: { accountId: string; faxId: string }): Promise<void> => {
    const bytes = await files.bytesOf(accountId, faxId)
    await store.write((tables) => tables.faxes.weigh(accountId, faxId, bytes))
  }
  return {
    async render(fax, pdf) {
      const noRoom = await mayRecord(fax.accountId)
      if (noRoom === 'recording_disk_full') throw new Problem('unavailable', 'The disk has no room for more documents.')
      if (noRoom) throw new Problem('conflict', 'The account cannot keep more recordings and faxes; delete some first.')
      return printer.render(fax, pdf)
    },

    async bind(fax) {
      const bound = await printer.bind(fax)
      await weigh(fax)
      return bound
    },

    async report(fax, text) {
      await printer.report(fax, text)
      await weigh(fax)
    },
  }
}
