import type { Clock } from '#core/kernel/ports/clock.ts'
import type { FaxFiles, OpenFaxFile } from '#core/kernel/ports/fax-papers.ts'
import type { Fax } from '#core/kernel/ports/store/message/faxes.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { MayRecord } from '#core/telephone/recordings/recording-room.ts'
import type { LocalFaxline } from './fax-route.ts'
import { incomingFax } from '../state/new-fax.ts'
import { keepLater } from '../receiving/keep-fax.ts'

const chunkBytes = 256 * 1024

export interface DeliverHereDeps {
  store: Store
  clock: Clock
  files: FaxFiles
  mayRecord: MayRecord
  /** Something was put into the waiting tables. */
  wake: () => void
}

/** A fax to a fax line of this installation: its pages are copied, without any line between. However often this is done, it arrives once. */
export const deliverHere =
  ({ store, clock, files, mayRecord, wake }: DeliverHereDeps) =>
  async (sent: Fax, { accountId, faxlineId, called }: LocalFaxline): Promise<void> => {
    const id = `in-${sent.id}`
    if (await store.read.faxes.find(accountId, id)) return
    // As its number would not answer.
    if (await mayRecord(accountId)) throw new Error('the account of the fax line has no room')
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
    await files.write({ ...to, kind: 'pages' }, piecesOf(file))
  } finally {
    await file.close()
  }
}

async function* piecesOf(file: OpenFaxFile): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < file.bytes; at += chunkBytes) yield await file.read(at, Math.min(chunkBytes, file.bytes - at))
}
