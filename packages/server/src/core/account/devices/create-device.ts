import { Problem } from '@offhook/contract/problem.ts'
import { accountCountryOf, readOutsideNumber } from '../lines/destination.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { DeviceType } from '#core/kernel/ports/store/device/devices.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import { newSipPassword } from './sip-password.ts'

export const maxDevices = 100

export interface DeviceInput {
  accountId: string
  userId: string
  type: DeviceType
  alias: string
  /** As it was typed in. */
  number?: string
  actor: string
}

/** Adds a device that rings with all phone lines of its user and in the groups they are in; the first one becomes the default. */
export const createDevice = async (tables: Tables, clock: Clock, vault: Vault, input: DeviceInput): Promise<string> => {
  const { accountId, userId, type, alias, actor } = input
  await tables.accounts.lock(accountId) // so that two at once cannot both be the last one allowed
  const user = await tables.users.find(accountId, userId)
  if (!user) throw new Problem('user_not_found')
  const number = await externalNumber(tables, input)
  if (type !== 'BROWSER' && (await tables.devices.count(accountId)) >= maxDevices) throw new Problem('device_limit_reached')
  const at = clock.now()
  const id = await tables.devices.insert(accountId, { owner: userId, alias, type, at, ...(number !== undefined && { number }) })
  if (type === 'REGISTER')
    await tables.devices.setSipCredentials(accountId, id, { username: accountId + id, passwordSealed: vault.seal(newSipPassword()) })
  for (const line of await tables.phonelines.list(accountId, userId)) await tables.phonelines.addDevice(accountId, line.id, id)
  for (const group of await tables.groups.listByMember(accountId, userId)) await tables.groups.addDevice(accountId, group.id, id)
  // The browser's phone comes by itself, and is not chosen for anybody.
  if (user.defaultDevice === undefined && type !== 'BROWSER') await tables.users.setDefaultDevice(accountId, userId, id)
  await tables.audit.append(accountId, { at, actor, action: 'device.create', target: id, detail: { type, userId } })
  return id
}

const externalNumber = async (tables: Tables, { accountId, type, number }: DeviceInput): Promise<string | undefined> => {
  if (type === 'EXTERNAL') {
    if (number === undefined) throw Problem.field('number', 'is required for an EXTERNAL device')
    return readPhoneNumber(tables, accountId, number)
  }
  if (number !== undefined) throw Problem.field('number', 'is only possible for an EXTERNAL device')
  return undefined
}

/** Where an external phone is. It is called automatically, so it must not be a premium number. */
export const readPhoneNumber = async (tables: Tables, accountId: string, written: string): Promise<string> =>
  readOutsideNumber('number', written, (await accountCountryOf(tables, accountId)).country)
