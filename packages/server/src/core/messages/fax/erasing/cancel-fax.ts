import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Fax } from '#core/kernel/ports/store/message.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { settle } from '../state/end-try.ts'
import { updateEntry } from '../state/fax-entry.ts'
import { cancelSending } from '../state/schedule-sending.ts'

/** Cancels pending faxes. The node that is sending one hangs up at its next poll. */
export const cancelFaxes = async (tables: Tables, clock: Clock, faxes: readonly Pick<Fax, 'accountId' | 'id'>[]): Promise<void> => {
  for (const { accountId, id } of faxes) {
    const fax = await tables.faxes.lock(accountId, id)
    if (fax) await cancel(tables, clock, fax)
  }
}

const cancel = async (tables: Tables, clock: Clock, fax: Fax): Promise<void> => {
  const { accountId, id, state } = fax
  const at = clock.now()
  if (state === 'SENDING') return tables.faxes.update(accountId, id, { reason: 'cancelled' }, at)
  if (state !== 'PENDING' && state !== 'SCHEDULED') return
  const change = { state: 'FAILED', reason: 'cancelled', dueAt: undefined } as const
  await tables.faxes.update(accountId, id, change, at)
  await cancelSending(tables, fax)
  await settle(tables, clock, { ...fax, ...change })
  await updateEntry(tables, { ...fax, ...change }, at)
}
