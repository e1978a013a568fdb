import { Problem } from '@offhook/contract/problem.ts'
import { releaseDevice, removeDevice } from '../devices/delete-device.ts'
import { revokeUser } from '../identity/tokens/grants.ts'
import type { RemovalDeps } from '#core/kernel/ports/account.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { AccountNumber } from '#core/kernel/ports/store/number.ts'

/** Ends service for the account and removes everything that only served it. */
export const closeAccount = async (tables: Tables, deps: RemovalDeps, accountId: string): Promise<void> => {
  const users = await tables.users.list(accountId)
  await endService(tables, deps, accountId)
  await tables.invitations.removeByAccount(accountId)
  for (const { id } of await tables.identityProviders.list(accountId)) await tables.identityProviders.remove(accountId, id)
  await tables.portingDocuments.removeByAccount(accountId)
  await tables.retentions.remove(accountId)
  await tables.ownRoles.removeAll(accountId)
  await tables.auditStreams.removeAll(accountId)
  await tables.recordingRules.removeOf(accountId)
  for (const { id } of await tables.devices.list(accountId)) await removeDevice(tables, deps.clock, accountId, id)
  for (const { id } of users) await tables.emailChanges.removeByUser(accountId, id)
}

/** Logs out every user, voids every token and SIM card, and retires the numbers so that they can be reassigned. */
export const endService = async (tables: Tables, { clock, cleanups }: RemovalDeps, accountId: string): Promise<void> => {
  const at = clock.now()
  await tables.accounts.lock(accountId)
  const users = await tables.users.list(accountId)
  if (!(await tables.accounts.close(accountId, at))) throw new Problem('account_not_found')
  await cleanups.accountCloses(tables, accountId)
  for (const { id } of await tables.devices.list(accountId)) await releaseDevice(tables, clock, accountId, id)
  for (const user of users) {
    await revokeUser(tables, accountId, user)
    await tables.users.disable(accountId, user.id, at)
  }
  for (const { id } of await tables.numbers.list(accountId)) {
    // Locked, because another carrier may request it concurrently.
    const number = await tables.numbers.lock(accountId, id)
    if (number) await retire(tables, number)
  }
}

const retire = async (tables: Tables, { accountId, id, e164, state }: AccountNumber): Promise<void> => {
  if (state === 'PORTING_IN' || (e164 !== undefined && (await tables.portings.isLeaving(e164))))
    throw new Problem('conflict', 'A number of the account is being ported; finish or cancel that first.')
  if (state === 'ACTIVE' || state === 'ADDRESS_PENDING') await tables.numbers.setState(accountId, id, 'DEACTIVATED')
}
