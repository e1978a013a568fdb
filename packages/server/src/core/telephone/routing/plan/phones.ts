import type { Occupancy } from '#core/telephone/call/state/occupancy.ts'
import type { Payer } from '#core/money/rates.ts'
import type { Device } from '#core/kernel/ports/store/device.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { CallerIdentity } from '#core/kernel/ports/telephony.ts'
import type { Phone } from './plan.ts'

/** Account, and optionally phone, that makes a call. */
export interface Asking {
  accountId: string
  /** The requesting phone, if any; it does not ring itself. */
  deviceId?: string
}

/** Circumstances of a call that decide which phones may ring. */
export interface Circumstances {
  /** Caller ID as this account sees it. */
  callerOf: (accountId: string) => CallerIdentity
  from: Asking | undefined
  occupancy: Occupancy
  turns: Map<string, number>
  /** Time of the call, for office hours. */
  now: number
  /** Set when only the routing of a number is evaluated, without a call. */
  ignoresDnd?: true
}

export interface Ringable {
  phones: Phone[]
  /** All phones have DND on. */
  undisturbed: boolean
}

/** Devices that may ring. An external device may belong to another account here. */
export const ringable = async (
  tables: Tables,
  payer: Payer,
  devices: readonly Device[],
  { from, ignoresDnd }: Pick<Circumstances, 'from' | 'ignoresDnd'>,
): Promise<Ringable> => {
  const others = devices.filter(({ id }) => from?.accountId !== payer.id || from.deviceId !== id)
  const awake = others.filter(({ dnd }) => ignoresDnd || !dnd)
  const phones = await Promise.all(awake.map((device) => phonesOf(tables, payer, device)))
  return { phones: phones.flat(), undisturbed: others.length > 0 && awake.length === 0 }
}

/** A mobile is called like a registered phone: a gateway to its network registers for it. */
export const phonesOf = async (tables: Tables, payer: Payer, { id, owner, external }: Device): Promise<Phone[]> => {
  if (!external) return [{ kind: 'device', accountId: payer.id, deviceId: id, userId: owner }]
  const device = { deviceId: id, userId: owner, showsCalled: external.incomingCallDisplay === 'CALLED_NUMBER' }
  return phonesAt(tables, payer, external.number, { device })
}

/**
 * Phones that ring for this number in parallel with others: an external phone, or the phones of a line or group that has the number here.
 * Ignores their forwardings, which would take the call away from all other phones.
 */
export const phonesAt = async (
  tables: Tables,
  payer: Payer,
  e164: string,
  extra: Pick<Phone & { kind: 'outside' }, 'device'> = {},
): Promise<Phone[]> => {
  const here = await tables.numbers.findCallable(e164)
  if (!here) return [{ kind: 'outside', payer, e164, ...extra }]
  return here.endpointId === undefined ? [] : phonesIn(tables, here.accountId, here.endpointId)
}

/** Registered phones of a line or group. */
export const phonesIn = async (tables: Tables, accountId: string, extension: string): Promise<Phone[]> => {
  const attached = extension.startsWith('g')
    ? await tables.groups.devices(accountId, extension)
    : await tables.phonelines.devices(accountId, extension)
  const ids = new Set(attached.map(({ id }) => id))
  const devices = (await tables.devices.list(accountId)).filter(({ id, dnd, external }) => ids.has(id) && !dnd && !external)
  return devices.map(({ id, owner }) => ({ kind: 'device', accountId, deviceId: id, userId: owner }))
}
