import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { emergencyBehindNine, isEmergency } from '#core/account/numbers/emergency.ts'
import { limitsOf } from '#core/money/limits.ts'
import { parseNumber, type PhoneNumber, kindOf } from '#core/kernel/phone-numbers/phone-number.ts'
import { isTownService, shortNumberCost } from '#core/kernel/phone-numbers/short-numbers.ts'
import type { Party } from '#core/kernel/ports/calls.ts'
import type { Account } from '#core/kernel/ports/store/account.ts'
import type { Device } from '#core/kernel/ports/store/device.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { isShortNumberOpen, isOpen, rateOf } from '#core/money/rates.ts'
import type { priceKinds, priceServices } from '@offhook/contract/v1/balance/usage.ts'
import type { Rate } from '#core/kernel/ports/store/money.ts'

/** One side of a requested call; permissions are checked later. */
export interface Side {
  party: Party
  /** Set for an external, and therefore charged, destination: E.164, or a short number of the account's country. */
  costs?: string
  premium?: true
}

/** The phone that rings first, and its device. */
export interface CallingSide extends Side {
  device?: Device
  deviceMissing?: true
  /** Users who own the device or phone line. */
  owners: string[]
}

const inside = (id: string): Side => ({ party: { kind: 'extension', id } })

const extensionId = /^[a-y](?:0|[1-9]\d{0,8})$/
const quickDial = /^(\d{2,5})\*?$/

/** Voicemail access number. It cannot be a quick dial number; without this rule it might be read as a local number. */
export const voicemailAccess = '50000'

/** Reads a callee: emergency number, extension, quick dial number (`44` or `44*`), phone number or short number. */
export const readCallee = async (tables: Tables, account: Account, callee: string, device: Device | undefined): Promise<Side> => {
  const dialled = callee.trim()
  if (isEmergency(dialled, account.country)) return { party: { kind: 'emergency', dialled } }
  if (extensionId.test(dialled)) return calledExtension(tables, account, dialled)
  const short = quickDial.exec(dialled)?.[1]
  const shortcut = short === undefined ? undefined : await tables.numbers.findQuickDial(account.id, short)
  if (shortcut?.endpointId !== undefined) return inside(shortcut.endpointId)
  const number = parseNumber(dialled, account.country) ?? localNumber(dialled, account.country, device)
  if (number) return outside(tables, number)
  const takeover = emergencyBehindNine(dialled, account.country)
  if (takeover !== undefined) return { party: { kind: 'emergency', dialled: takeover } }
  return shortNumber(tables, account, dialled)
}

/** A number without area code, unless it is a national short number. */
const localNumber = (dialled: string, country: string, device: Device | undefined): PhoneNumber | undefined => {
  const digits = withoutSpaces(dialled)
  const isNational = shortNumberCost(digits, country) !== undefined && !isTownService(digits, country)
  return isNational ? undefined : withLocalPrefix(dialled, country, device)
}

/** A short number from the metadata, or one the operator has opened. */
const shortNumber = async (tables: Tables, { id, country }: Account, dialled: string): Promise<Side> => {
  const digits = withoutSpaces(dialled)
  const isKnown = shortNumberCost(digits, country) !== undefined
  if (!isKnown && !(await isLetOut(tables, id, country, digits))) throw new Problem('callee_invalid')
  return { party: { kind: 'short', digits }, costs: digits }
}

const isLetOut = async (tables: Tables, accountId: string, country: string, digits: string): Promise<boolean> =>
  /^[1-9]\d{1,5}$/.test(digits) && isShortNumberOpen(digits, country, await limitsOf(tables, accountId))

const withoutSpaces = (dialled: string): string => dialled.replace(/^tel:/i, '').replaceAll(/[ ()./-]/g, '')

const calledExtension = async (tables: Tables, account: Account, id: string): Promise<Side> => {
  const extension = await tables.extensions.find(account.id, id)
  if (!extension || !['e', 'y', 'x', 'p', 'g'].includes(extension.kind))
    throw new Problem('callee_invalid', 'callee is not an extension that can be called.')
  return extension.kind === 'x' ? externalDevice(tables, account, id, await tables.devices.find(account.id, id)) : inside(id)
}

/** An external phone listed as a device: charged like any number in its network. */
const externalDevice = async (tables: Tables, account: Account, id: string, device: Device | undefined): Promise<Side> => {
  const number = device?.external?.number
  if (number === undefined) return inside(id)
  const parsed = parseNumber(number, account.country)
  return parsed ? { ...(await outside(tables, parsed)), ...inside(id) } : { ...inside(id), costs: number }
}

/** A device may have an area code for numbers dialled without one. */
const withLocalPrefix = (dialled: string, country: string, device: Device | undefined): PhoneNumber | undefined =>
  device?.localPrefixActive && /^[1-9]/.test(dialled) ? parseNumber(device.localPrefix + dialled, country) : undefined

/** Numbers in service here, of any account, are reached without a trunk and cost nothing. */
export const outside = async (tables: Tables, { e164, premium }: PhoneNumber): Promise<Side> => {
  const onNet = await tables.numbers.findCallable(e164)
  return { party: { kind: 'number', e164 }, ...(!onNet && { costs: e164 }), ...(premium && { premium }) }
}

/** Reads a caller: a device or phone line, or a phone number together with a device. */
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

/** Checks that the user may start a call from there; reports unknown devices before missing permission. */
export const requireOwnCaller = (user: UserCaller, { deviceMissing, owners }: CallingSide): void => {
  if (deviceMissing) throw Problem.field('deviceId', 'is no device of the account', 'device_not_found')
  if (!user.admin && owners.some((owner) => owner !== user.userId))
    throw new Problem('call_not_allowed', 'Only an administrator can start calls with a caller or deviceId that belongs to another user.')
}

interface Price {
  kind: (typeof priceKinds)[number]
  to?: string
  country?: string
  rate?: Rate
}

interface PriceRequest {
  to: string
  service: (typeof priceServices)[number]
  at: number
}

/** Price of reaching a number, by the same rules as an actual call, without a reservation. */
export const priceOf = async (tables: Tables, account: Account, { to, service, at }: PriceRequest): Promise<Price> => {
  if (to.trim() === voicemailAccess) return { kind: 'ON_NET' }
  const { party, costs, premium } = await readSide(tables, account, to)
  if (party.kind === 'emergency') return { kind: 'EMERGENCY' }
  if (costs === undefined) return { kind: 'ON_NET', ...(party.kind === 'number' && { to: party.e164 }) }
  const { country } = party.kind === 'short' ? account : kindOf(costs)
  const there = { to: costs, ...(country !== undefined && { country }) }
  const rate = await rateOf(tables, account, service, costs, at)
  if (premium || !rate || rate.blocked) return { kind: 'BLOCKED', ...there }
  const { opened } = await limitsOf(tables, account.id)
  if (!isOpen(costs, account.country, opened)) return { kind: 'CLOSED', ...there }
  const isFree = rate.connectFee + rate.ratePerMinute + rate.perUnit === 0
  return { kind: isFree ? 'FREE' : 'PAID', ...there, rate }
}

const readSide = async (tables: Tables, account: Account, to: string): Promise<Side> => {
  try {
    return await readCallee(tables, account, to, undefined)
  } catch (error) {
    if (error instanceof Problem && error.code === 'callee_invalid')
      throw Problem.field('to', 'is not a valid phone number', 'number_invalid')
    throw error
  }
}
