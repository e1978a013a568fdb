import { randomUUID } from 'node:crypto'
import type { Leases } from '#core/kernel/work/leases.ts'
import type { ArrivingFax, FaxBeingReceived, FaxIntake, FaxResult, FaxFiles } from '#core/kernel/ports/messages.ts'
import type { Fax } from '#core/kernel/ports/store/message.ts'
import { writeUntilDone, type RecordWriter } from '#core/kernel/work/write-with-retry.ts'
import { incomingFax } from '../state/new-fax.ts'
import { reasonOfReceived } from '../state/reasons.ts'
import { keepLater } from './keep-fax.ts'

interface FaxIntakeDeps extends RecordWriter {
  files: FaxFiles
  leases: Leases
  /** Called after a job was queued. */
  wake: () => void
}

/** Faxes received by calls of this node; another node stores their pages if this one crashes. */
export const faxIntake = (deps: FaxIntakeDeps): FaxIntake => ({
  async begin({ callId, ...known }: ArrivingFax): Promise<FaxBeingReceived> {
    const { clock, files, leases } = deps
    const fax = incomingFax({ ...known, id: randomUUID(), owner: leases.owner }, clock.now())
    const file = await files.pathOf({ accountId: fax.accountId, faxId: fax.id, kind: 'pages' })
    await leases.hold(leaseOf(fax), (tables) => tables.faxes.insert(fax))
    return { file, end: (result) => end(deps, callId, fax, result) }
  },
})

const leaseOf = ({ accountId, id }: Fax): string => `fax:${accountId}:${id}`

const end = async (deps: FaxIntakeDeps, callId: string, fax: Fax, result: FaxResult | undefined): Promise<void> => {
  const { leases, clock, files, wake } = deps
  const { accountId, id } = fax
  await files.written({ accountId, faxId: id, kind: 'pages' })
  const reason = result ? reasonOfReceived(result) : 'interrupted'
  await writeUntilDone(deps, callId, async (tables) => {
    const now = clock.now()
    if ((await tables.faxes.lock(accountId, id))?.owner !== leases.owner) return
    await tables.faxes.update(accountId, id, { ...factsOf(result), reason, owner: undefined }, now)
    await keepLater(tables, fax, now)
  })
  leases.release(leaseOf(fax))
  wake()
}

const factsOf = (result: FaxResult | undefined): Partial<Fax> => {
  if (!result) return {}
  const { pages, bitRate, errorCorrection, carriedBy, station } = result
  return { pages, bitRate, errorCorrection, carriedBy, station }
}
