import { Problem } from '@offhook/contract/problem.ts'
import { removeDevice } from '../devices/delete-device.ts'
import { revokeUser } from '../identity/tokens/grants.ts'
import type { RemovalDeps } from '#core/kernel/ports/account/clean-ups.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { AccountNumber } from '#core/kernel/ports/store/number/numbers.ts'

/** No user logs in any more, every token and SIM card is void, and its numbers no longer ring anywhere and can be given to others. */
export const closeAccount = async (tables: Tables, { clock, cleanUps: cleanups }: RemovalDeps, accountId: string): Promise<void> => {
  const at = clock.now()
  await tables.accounts.lock(accountId)
  const users = await tables.users.list(accountId)
  if (!(await tables.accounts.close(accountId, at))) throw new Problem('account_not_found')
  await cleanups.accountCloses(tables, accountId)
  await tables.invitations.removeByAccount(accountId)
  await tables.portingDocuments.removeByAccount(accountId)
  for (const { id } of await tables.devices.list(accountId)) await removeDevice(tables, clock, accountId, id)
  for (const user of users) {
    await revokeUser(tables, accountId, user)
    await tables.emailChanges.removeByUser(accountId, user.id)
    await tables.users.disable(accountId, user.id, at)
  }
  for (const { id } of await tables.numbers.list(accountId)) {
    // Locked, because another carrier may be asking for it at this moment.
    const number = await tables.numbers.lock(accountId, id)
    if (number) await retire(tables, number)
  }
}

const retire = async (tables: Tables, { accountId, id, e164, state }: AccountNumber): Promise<void> => {
  if (state === 'PORTING_IN' || (e164 !== undefined && (await tables.portings.isLeaving(e164))))
    throw new Problem('conflict', 'A number of the account is being ported; finish or cancel that first.')
  if (state === 'ACTIVE' || state === 'ADDRESS_PENDING') await tables.numbers.setState(accountId, id, 'DEACTIVATED')
}
