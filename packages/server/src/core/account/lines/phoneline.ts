import { Problem } from '@offhook/contract/problem.ts'
import type { RemovalDeps } from '#core/kernel/ports/account.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Phoneline } from '#core/kernel/ports/store/line.ts'
import type { AccountNumber } from '#core/kernel/ports/store/number.ts'

const maxLines = 50

/** Creates a line with a voicemail; all devices of its user ring with it. */
export const createPhoneline = async (
  tables: Tables,
  clock: Clock,
  accountId: string,
  { owner, alias }: { owner: string; alias: string },
): Promise<string> => {
  const at = clock.now()
  await tables.accounts.lock(accountId) // includes devices that are added concurrently
  if ((await tables.phonelines.list(accountId, owner)).length >= maxLines)
    throw new Problem('conflict', `A user has at most ${maxLines} phone lines.`)
  const id = await tables.phonelines.create(accountId, { owner, alias, at })
  await tables.voicemails.create(accountId, { owner: id, alias: `Voicemail ${alias}`, at })
  for (const device of await tables.devices.listByOwner(accountId, owner)) await tables.phonelines.addDevice(accountId, id, device.id)
  return id
}

/** The account lock prevents a number or forwarding from being routed here concurrently. */
export const deletePhoneline = async (tables: Tables, clock: Clock, accountId: string, line: Phoneline): Promise<void> => {
  await tables.accounts.lock(accountId)
  await retireEndpoint(tables, accountId, line.id)
  await tables.phonelines.remove(accountId, line.id, clock.now())
  // After the line, because its own forwardings may point to its voicemail.
  await removeVoicemails(tables, clock, accountId, line.id)
}

export const removeVoicemails = async (tables: Tables, clock: Clock, accountId: string, owner: string): Promise<void> => {
  for (const { id } of await tables.voicemails.listByOwner(accountId, owner)) {
    await retireEndpoint(tables, accountId, id)
    await tables.voicemails.remove(accountId, id, clock.now())
  }
}

export const removeFaxlines = async (tables: Tables, { clock, cleanups }: RemovalDeps, accountId: string, owner: string): Promise<void> => {
  for (const { id } of await tables.faxlines.listByOwner(accountId, owner)) {
    await retireEndpoint(tables, accountId, id)
    await cleanups.faxlineGoes(tables, accountId, id)
    await tables.faxlines.remove(accountId, id, clock.now())
  }
}

/** Such a number never rings, whatever its routing, and cannot be rerouted. */
const isOver = ({ state }: AccountNumber): boolean => state === 'DEACTIVATED' || state === 'PORTED_OUT'

/** Call before removing an extension: rejects while numbers, forwardings or rules point to it, and removes its other references. */
export const retireEndpoint = async (tables: Tables, accountId: string, endpoint: string): Promise<void> => {
  const numbers = await tables.numbers.listByEndpoint(accountId, endpoint)
  if (!numbers.every(isOver)) throw new Problem('endpoint_in_use', `Numbers still lead to ${endpoint}; route them elsewhere first.`)
  const [line] = await tables.phonelines.forwardedFrom(accountId, endpoint)
  if (line !== undefined) throw new Problem('endpoint_in_use', `The phone line ${line} still forwards to ${endpoint}.`)
  const [ruled] = await tables.routingRules.listLeadingTo(accountId, endpoint)
  if (ruled !== undefined) throw new Problem('endpoint_in_use', `The rules of ${ruled} still lead to ${endpoint}.`)
  await tables.routingRules.remove(accountId, endpoint)
  for (const { id } of numbers) await tables.numbers.setRouting(accountId, id, {})
  await tables.notifications.removeByEndpoint(accountId, endpoint)
  await leaveWhitelist(tables, accountId, endpoint)
}

/** A list that becomes empty stays a list: an empty list must not mean all calls. */
const leaveWhitelist = async (tables: Tables, accountId: string, endpoint: string): Promise<void> => {
  const setting = await tables.pushSettings.find(accountId)
  if (!setting?.whitelist?.includes(endpoint)) return
  await tables.pushSettings.save(accountId, { ...setting, whitelist: setting.whitelist.filter((id) => id !== endpoint) })
}
