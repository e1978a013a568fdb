import type { CleanUps } from '#core/kernel/ports/account/clean-ups.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import { cancelFaxes } from './fax/erasing/cancel-fax.ts'
import { eraseFaxesOfAccount } from './fax/erasing/erase-fax.ts'
import { cancelScheduled } from './sms/sending/cancel-sms.ts'

/** Nothing is sent any more in the name of a user, an account or a fax line that is gone. */
export const messageCleanUps = (clock: Clock): CleanUps => ({
  async userLeaves(tables, accountId, userId) {
    await cancelFaxes(tables, clock, await tables.faxes.listUnsent(accountId, { userId }))
    await cancelScheduled(tables, accountId, userId)
  },
  async accountCloses(tables, accountId) {
    await cancelFaxes(tables, clock, await tables.faxes.listUnsent(accountId, {}))
    await eraseFaxesOfAccount(tables, accountId, clock.now())
    await cancelScheduled(tables, accountId)
  },
  async faxlineGoes(tables, accountId, faxlineId) {
    await cancelFaxes(tables, clock, await tables.faxes.listUnsent(accountId, { faxlineId }))
  },
})
