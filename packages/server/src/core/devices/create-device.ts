import { Problem } from '@offhook/contract/problem.ts'
import { parseNumber } from '../numbers/phone-number.ts'
import type { Clock } from '../ports/clock.ts'
import type { DeviceType } from '../ports/store/devices.ts'
import type { Tables } from '../ports/store/index.ts'
import type { Vault } from '../ports/vault.ts'
import { newSipPassword } from './sip-password.ts'

export const mostDevices = 100

export interface DeviceWish {
  accountId: string
  userId: string
  type: DeviceType
  alias: string
  /** As somebody wrote it. */
  number?: string
  actor: string
}

/** Adds a device that rings with all phone lines of its user; the first one becomes the user's default. */
export const createDevice = async (tables: Tables, clock: Clock, vault: Vault, wish: DeviceWish): Promise<string> => {
  const { accountId, userId, type, alias, actor } = wish
  const user = await tables.users.find(accountId, userId)
  if (!user) throw new Problem('user_not_found')
  const number = await externalNumber(tables, wish)
  await tables.accounts.lock(accountId) // so that two at once cannot both be the last one allowed
  if ((await tables.devices.count(accountId)) >= mostDevices) throw new Problem('device_limit_reached')
  const at = clock.now()
  const id = await tables.devices.insert(accountId, { owner: userId, alias, type, at, ...(number !== undefined && { number }) })
  if (type === 'REGISTER')
    await tables.devices.setSipCredentials(accountId, id, { username: accountId + id, passwordSealed: vault.seal(newSipPassword()) })
  for (const line of await tables.phonelines.list(accountId, userId)) await tables.phonelines.addDevice(accountId, line.id, id)
  if (user.defaultDevice === undefined) await tables.users.setDefaultDevice(accountId, userId, id)
  await tables.audit.append(accountId, { at, actor, action: 'device.create', target: id, detail: { type, userId } })
  return id
}

const externalNumber = async (tables: Tables, { accountId, type, number }: DeviceWish): Promise<string | undefined> => {
  if (type === 'EXTERNAL') {
    if (number === undefined) throw Problem.field('number', 'is required for an EXTERNAL device')
    return readNumber(tables, accountId, 'number', number)
  }
  if (number !== undefined) throw Problem.field('number', 'is only possible for an EXTERNAL device')
  return undefined
}

/** The E.164 form of what was written in `field`. */
export const readNumber = async (tables: Tables, accountId: string, field: string, written: string): Promise<string> => {
  const account = await tables.accounts.find(accountId)
  if (!account) throw new Problem('account_not_found')
  const parsed = parseNumber(written, account.country)
  if (!parsed) throw Problem.field(field, 'is not a valid phone number', 'number_invalid')
  return parsed.e164
}
