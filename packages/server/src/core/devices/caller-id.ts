import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '../identity/caller.ts'
import type { Clock } from '../ports/clock.ts'
import type { Device } from '../ports/store/devices.ts'
import type { Tables } from '../ports/store/index.ts'
import type { AccountNumber } from '../ports/store/numbers.ts'
import { readNumber } from './create-device.ts'

export const anonymous = 'anonymous'

const canBeShown = ({ type, state }: AccountNumber): boolean => state === 'ACTIVE' && (type === 'LANDLINE' || type === 'MOBILE')

/** Only numbers that lead back to the account may be shown; an empty text goes back to the default. */
export const chooseCallerId = async (tables: Tables, clock: Clock, caller: UserCaller, deviceId: string, value: string): Promise<void> => {
  const { accountId, userId } = caller
  const wanted = value.trim()
  const callerId = wanted === '' ? null : wanted.toLowerCase() === anonymous ? anonymous : await ownNumber(tables, accountId, wanted)
  if (!(await tables.devices.update(accountId, deviceId, { callerId }))) throw new Problem('device_not_found')
  const entry = { at: clock.now(), actor: `user:${userId}`, action: 'device.set_caller_id', target: deviceId, detail: { callerId } }
  await tables.audit.append(accountId, entry)
}

const ownNumber = async (tables: Tables, accountId: string, written: string): Promise<string> => {
  const e164 = await readNumber(tables, accountId, 'value', written)
  const number = await tables.numbers.findByE164(accountId, e164)
  if (!number || !canBeShown(number)) throw new Problem('caller_id_not_owned')
  return e164
}

/**
 * What a call from this device shows now: the chosen number while it still is the account's and active, else the first number that
 * leads to the owner, else nothing.
 */
export const effectiveCallerId = async (tables: Tables, accountId: string, { callerId, owner }: Device): Promise<string> => {
  if (callerId === anonymous) return anonymous
  const chosen = callerId === undefined ? undefined : await tables.numbers.findByE164(accountId, callerId)
  if (chosen?.e164 !== undefined && canBeShown(chosen)) return chosen.e164
  const leading = await tables.numbers.listByUser(accountId, owner)
  return leading.find(canBeShown)?.e164 ?? anonymous
}
