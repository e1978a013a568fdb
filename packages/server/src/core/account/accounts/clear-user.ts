import { removeDevice } from '../devices/delete-device.ts'
import { deletePhoneline, removeFaxlines } from '../lines/phoneline.ts'
import { retireEndpoint } from '../lines/retire-endpoint.ts'
import type { RemovalDeps } from '#core/kernel/ports/account/clean-ups.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/**
 * Takes away all that a user had, so that nothing rings, costs or is notified any more for a user who has left. Refused while numbers or
 * other people's forwardings lead to it. What the user shared with others stays.
 */
export const clearUser = async (tables: Tables, deps: RemovalDeps, accountId: string, userId: string): Promise<void> => {
  const { clock, cleanUps: cleanups } = deps
  for (const { id } of await tables.devices.listByOwner(accountId, userId)) await removeDevice(tables, clock, accountId, id)
  await removePhonelines(tables, clock, accountId, userId)
  await removeFaxlines(tables, deps, accountId, userId)
  await cleanups.userLeaves(tables, accountId, userId)
  for (const { id } of await tables.smsLines.list(accountId, userId)) {
    await retireEndpoint(tables, accountId, id)
    await tables.programs.removeLogin(accountId, id)
    await tables.smsLines.remove(accountId, id, clock.now())
  }
  await tables.groups.removeMember(accountId, userId)
  await tables.notifications.removeByUser(accountId, userId)
  await tables.leashes.removeByUser(accountId, userId)
  await tables.contacts.removePrivate(accountId, userId)
}

/** Lines of the same user may lead to each other; that keeps none of them. */
const removePhonelines = async (tables: Tables, clock: Clock, accountId: string, userId: string): Promise<void> => {
  const lines = await tables.phonelines.list(accountId, userId)
  for (const { id } of lines) {
    await tables.phonelines.removeForwardings(accountId, id)
    await tables.routingRules.remove(accountId, id)
  }
  for (const line of lines) await deletePhoneline(tables, clock, accountId, line)
}
