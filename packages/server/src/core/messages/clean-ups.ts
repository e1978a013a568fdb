import type { CleanUps } from '#core/kernel/ports/account.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { cancelFaxes } from './fax/erasing/cancel-fax.ts'
import { eraseFaxesOfAccount } from './fax/erasing/erase-fax.ts'
import { cancelScheduled } from './sms/sending/cancel-sms.ts'

/** Cancels pending messages of a removed user, account or fax line. */
export const messageCleanUps = (clock: Clock): CleanUps => ({
  userLeaves: (tables, accountId, userId) => cancelOf(tables, clock, accountId, userId),
  userPauses: (tables, accountId, userId) => cancelOf(tables, clock, accountId, userId),
  async accountCloses(tables, accountId) {
    await cancelFaxes(tables, clock, await tables.faxes.listUnsent(accountId, {}))
    await eraseFaxesOfAccount(tables, accountId, clock.now())
    await cancelScheduled(tables, accountId)
  },
  async faxlineGoes(tables, accountId, faxlineId) {
    await cancelFaxes(tables, clock, await tables.faxes.listUnsent(accountId, { faxlineId }))
  },
})

const cancelOf = async (tables: Tables, clock: Clock, accountId: string, userId: string): Promise<void> => {
  await cancelFaxes(tables, clock, await tables.faxes.listUnsent(accountId, { userId }))
  await cancelScheduled(tables, accountId, userId)
}
