import type { Clock } from '../ports/clock.ts'
import type { FaxFiles } from '../ports/fax-papers.ts'
import type { Fax } from '../ports/store/faxes.ts'
import type { Store } from '../ports/store/index.ts'
import type { FaxPlace } from './fax-route.ts'
import { incomingFax } from './incoming-fax.ts'
import { keepLater } from './keep-fax.ts'

export interface DeliverHereParts {
  store: Store
  clock: Clock
  files: FaxFiles
  /** Something was put into the waiting tables. */
  wake: () => void
}

/** A fax to a fax line of this installation: its pages are copied, without any line between. However often this is done, it arrives once. */
export const deliverHere =
  ({ store, clock, files, wake }: DeliverHereParts) =>
  async (sent: Fax, { accountId, faxlineId, called }: FaxPlace): Promise<void> => {
    const id = `in-${sent.id}`
    if (await store.read.faxes.find(accountId, id)) return
    await copyPages(files, { accountId: sent.accountId, faxId: sent.id }, { accountId, faxId: id })
    const at = clock.now()
    const sender = sent.sender.startsWith('+') ? sent.sender : 'anonymous'
    await store.write(async (tables) => {
      const owner = (await tables.faxlines.find(accountId, faxlineId))?.owner
      const userId = owner?.startsWith('w') ? owner : undefined
      const fax = incomingFax({ accountId, id, userId, faxlineId, sender, recipient: called, owner: undefined }, at)
      if (await tables.faxes.insert(fax)) await keepLater(tables, fax, at)
    })
    wake()
  }

interface Name {
  accountId: string
  faxId: string
}

const copyPages = async (files: FaxFiles, from: Name, to: Name): Promise<void> => {
  const file = await files.open({ ...from, kind: 'pages' })
  if (!file) throw new Error('the pages of a fax are gone')
  try {
    await files.write({ ...to, kind: 'pages' }, await file.read(0, file.bytes))
  } finally {
    await file.close()
  }
}
