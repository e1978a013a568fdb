import type { Clock } from '#core/kernel/ports/platform.ts'
import type { FaxFiles, OpenFaxFile } from '#core/kernel/ports/messages.ts'
import type { Fax } from '#core/kernel/ports/store/message.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { MayRecord } from '#core/telephone/recordings/recording-room.ts'
import type { LocalFaxline } from './fax-route.ts'
import { incomingFax } from '../state/new-fax.ts'
import { keepLater } from '../receiving/keep-fax.ts'

const chunkBytes = 256 * 1024

interface DeliverHereDeps {
  store: Store
  clock: Clock
  files: FaxFiles
  mayRecord: MayRecord
  /** Called after a job was queued. */
  wake: () => void
}

/** Delivers a fax to a local fax line by copying its pages, without a call. Idempotent. */
export const deliverHere =
  ({ store, clock, files, mayRecord, wake }: DeliverHereDeps) =>
  async (sent: Fax, { accountId, faxlineId, called }: LocalFaxline): Promise<void> => {
    const id = `in-${sent.id}`
    if (await store.read.faxes.find(accountId, id)) return
    // Equivalent to a number that does not answer.
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
