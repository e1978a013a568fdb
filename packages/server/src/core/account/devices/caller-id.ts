import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '../identity/caller/caller.ts'
import { isOwn, readOwnNumber } from '../lines/fax-caller-id.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Device } from '#core/kernel/ports/store/device.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'

export const anonymous = 'anonymous'

/** Only numbers of the account may be shown; an empty text restores the default. */
export const chooseCallerId = async (tables: Tables, clock: Clock, caller: UserCaller, deviceId: string, value: string): Promise<void> => {
  const { accountId } = caller
  const wanted = value.trim()
  const callerId = wanted === '' ? null : wanted.toLowerCase() === anonymous ? anonymous : await readOwnNumber(tables, accountId, wanted)
  if (!(await tables.devices.update(accountId, deviceId, { callerId }))) throw new Problem('device_not_found')
  await auditByUser(tables, clock, caller, 'device.set_caller_id', deviceId, { callerId })
}

/**
 * Caller ID of a call from this device: the chosen number while it is an active number of the account, else the first number
 * routed to the owner, else anonymous.
 */
export const effectiveCallerId = async (tables: Tables, accountId: string, { callerId, owner }: Device): Promise<string> => {
  if (callerId === anonymous) return anonymous
  if (callerId !== undefined && (await isOwn(tables, accountId, callerId))) return callerId
  const leading = await tables.numbers.listByUser(accountId, owner)
  return leading.find(({ e164, state }) => e164 !== undefined && state === 'ACTIVE')?.e164 ?? anonymous
}
