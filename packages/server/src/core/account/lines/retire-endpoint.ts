import { Problem } from '@offhook/contract/problem.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { AccountNumber } from '#core/kernel/ports/store/number/numbers.ts'

/** Such a number rings nowhere, whatever it was routed to, and cannot be routed elsewhere. */
const isOver = ({ state }: AccountNumber): boolean => state === 'DEACTIVATED' || state === 'PORTED_OUT'

/** To be called before an extension is removed: nothing may lead to it any more, and what only speaks of it is forgotten. */
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
