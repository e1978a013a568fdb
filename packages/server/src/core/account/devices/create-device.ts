import { Problem } from '@offhook/contract/problem.ts'
import { accountCountryOf, readOutsideNumber, requireReachable } from '../lines/destination.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { DeviceType } from '#core/kernel/ports/store/device.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { randomCharacters } from '../identity/tokens/tokens.ts'

export const maxDevices = 100

interface DeviceInput {
  accountId: string
  userId: string
  type: DeviceType
  alias: string
  /** Number as entered. */
  number?: string
  actor: string
}

/** Adds a device that rings with all phone lines and groups of its user; the first device becomes the default. */
export const createDevice = async (tables: Tables, clock: Clock, vault: Vault, input: DeviceInput): Promise<string> => {
  const { accountId, userId, type, alias, actor } = input
  await tables.accounts.lock(accountId) // prevents concurrent requests from both taking the last allowed place
  const user = await tables.users.find(accountId, userId)
  if (!user) throw new Problem('user_not_found')
  const number = await externalNumber(tables, input, clock.now())
  if (type !== 'BROWSER' && (await tables.devices.count(accountId)) >= maxDevices) throw new Problem('device_limit_reached')
  const at = clock.now()
  const id = await tables.devices.insert(accountId, { owner: userId, alias, type, at, ...(number !== undefined && { number }) })
  if (type === 'REGISTER')
    await tables.devices.setSipCredentials(accountId, id, { username: accountId + id, passwordSealed: vault.seal(newSipPassword()) })
  for (const line of await tables.phonelines.list(accountId, userId)) await tables.phonelines.addDevice(accountId, line.id, id)
  for (const group of await tables.groups.listByMember(accountId, userId)) await tables.groups.addDevice(accountId, group.id, id)
  // The browser phone is created automatically and never becomes the default.
  if (user.defaultDevice === undefined && type !== 'BROWSER') await tables.users.setDefaultDevice(accountId, userId, id)
  await tables.audit.append(accountId, { at, actor, action: 'device.create', target: id, detail: { type, userId } })
  return id
}

const externalNumber = async (tables: Tables, { accountId, type, number }: DeviceInput, at: number): Promise<string | undefined> => {
  if (type === 'EXTERNAL') {
    if (number === undefined) throw Problem.field('number', 'is required for an EXTERNAL device')
    return readPhoneNumber(tables, accountId, number, at)
  }
  if (number !== undefined) throw Problem.field('number', 'is only possible for an EXTERNAL device')
  return undefined
}

/** Number of an external phone. It is called automatically, so premium and unreachable numbers are rejected. */
export const readPhoneNumber = async (tables: Tables, accountId: string, written: string, at: number): Promise<string> => {
  const account = await accountCountryOf(tables, accountId)
  const number = readOutsideNumber('number', written, account.country)
  await requireReachable(tables, account, 'number', number, at)
  return number
}

/** Letters and digits only, because people type it into phones; 24 of them cannot be guessed. */
export const newSipPassword = (): string => randomCharacters(24)
