import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { isEmergency } from '#core/account/numbers/emergency.ts'
import { parseNumber, type PhoneNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import type { Party } from '#core/kernel/ports/orders.ts'
import type { Account } from '#core/kernel/ports/store/account/accounts.ts'
import type { Device } from '#core/kernel/ports/store/device/devices.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** One side of a call as it was written; whether it is allowed is asked later. */
export interface Side {
  party: Party
  /** E.164 in another network that has to be paid for to reach it. */
  costs?: string
  premium?: true
}

/** The phone that rings first, and the device that stands for it. */
export interface CallingSide extends Side {
  device?: Device
  deviceMissing?: true
  /** Users whose device or phone line this is. */
  owners: string[]
}

const inside = (id: string): Side => ({ party: { kind: 'extension', id } })

const extensionId = /^[a-y](?:0|[1-9]\d{0,8})$/
const quickDial = /^(\d{2,5})\*?$/

/** Where users hear their messages. It cannot be a quick dial number; without this it might be read as a local number. */
export const voicemailAccess = '50000'

/** A callee as it was written: an emergency number, an extension, a quick dial number (`44` or `44*`) or a phone number. */
export const readCallee = async (tables: Tables, account: Account, callee: string, device: Device | undefined): Promise<Side> => {
  const dialled = callee.trim()
  if (isEmergency(dialled, account.country)) return { party: { kind: 'emergency', dialled } }
  if (extensionId.test(dialled)) return calledExtension(tables, account, dialled)
  const short = quickDial.exec(dialled)?.[1]
  const shortcut = short === undefined ? undefined : await tables.numbers.findQuickDial(account.id, short)
  if (shortcut?.endpointId !== undefined) return inside(shortcut.endpointId)
  const number = parseNumber(dialled, account.country) ?? withLocalPrefix(dialled, account.country, device)
  if (!number) throw new Problem('callee_invalid')
  return outside(tables, number)
}

const calledExtension = async (tables: Tables, account: Account, id: string): Promise<Side> => {
  const extension = await tables.extensions.find(account.id, id)
  if (!extension || !['e', 'y', 'x', 'p', 'g'].includes(extension.kind))
    throw new Problem('callee_invalid', 'callee is not an extension that can be called.')
  return extension.kind === 'x' ? externalDevice(tables, account, id, await tables.devices.find(account.id, id)) : inside(id)
}

/** A phone of some other network that is listed as a device: reaching it costs like any number there. */
const externalDevice = async (tables: Tables, account: Account, id: string, device: Device | undefined): Promise<Side> => {
  const number = device?.external?.number
  if (number === undefined) return inside(id)
  const parsed = parseNumber(number, account.country)
  return parsed ? { ...(await outside(tables, parsed)), ...inside(id) } : { ...inside(id), costs: number }
}

/** A device may have an area code for numbers that are dialled without one. */
const withLocalPrefix = (dialled: string, country: string, device: Device | undefined): PhoneNumber | undefined =>
  device?.localPrefixActive && /^[1-9]/.test(dialled) ? parseNumber(device.localPrefix + dialled, country) : undefined

/** What is in service here, for this account or another one, is reached without a carrier, so it costs nothing. */
export const outside = async (tables: Tables, { e164, premium }: PhoneNumber): Promise<Side> => {
  const onNet = await tables.numbers.findCallable(e164)
  return { party: { kind: 'number', e164 }, ...(!onNet && { costs: e164 }), ...(premium && { premium }) }
}

/** A device or phone line, or a phone number together with a device. */
export const readCaller = async (
  tables: Tables,
  account: Account,
  { caller, deviceId }: { caller: string; deviceId?: string },
): Promise<CallingSide> => {
  const written = caller.trim()
  const named = deviceId === undefined ? undefined : await tables.devices.find(account.id, deviceId)
  const stands = {
    ...(named && { device: named }),
    ...(deviceId !== undefined && !named && { deviceMissing: true as const }),
    owners: named ? [named.owner] : [],
  }
  if (extensionId.test(written)) return callingExtension(tables, account, written, stands)
  const number = parseNumber(written, account.country)
  if (!number) throw new Problem('caller_invalid')
  if (deviceId === undefined) throw new Problem('device_id_missing')
  return { ...stands, ...(await outside(tables, number)) }
}

const callingExtension = async (tables: Tables, account: Account, id: string, stands: Omit<CallingSide, 'party'>): Promise<CallingSide> => {
  if (id.startsWith('p')) {
    const phoneline = await tables.phonelines.find(account.id, id)
    if (!phoneline) throw new Problem('caller_invalid')
    return { ...stands, ...inside(id), owners: [...stands.owners, phoneline.owner] }
  }
  const device = await tables.devices.find(account.id, id)
  if (!device) throw new Problem('caller_invalid')
  return { device, ...stands, ...(await externalDevice(tables, account, id, device)), owners: [...stands.owners, device.owner] }
}

/** Whether this user may start a call from there; what is unknown is said before what is forbidden. */
export const requireOwnCaller = (user: UserCaller, { deviceMissing, owners }: CallingSide): void => {
  if (deviceMissing) throw Problem.field('deviceId', 'is no device of the account', 'device_not_found')
  if (!user.admin && owners.some((owner) => owner !== user.userId))
    throw new Problem('call_not_allowed', 'Only an administrator can start calls with a caller or deviceId that belongs to another user.')
}
