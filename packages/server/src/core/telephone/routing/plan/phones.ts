import type { Occupancy } from '#core/telephone/call/state/occupancy.ts'
import type { Payer } from '#core/money/rates.ts'
import type { Device } from '#core/kernel/ports/store/device/devices.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { CallerIdentity } from '#core/kernel/ports/telephony.ts'
import type { Phone } from './plan.ts'

/** On whose behalf a call is made. */
export interface Asking {
  accountId: string
  /** The phone that asks, if it is one: it does not ring itself. */
  deviceId?: string
}

/** Where a call comes from, as far as that decides who may ring. */
export interface Circumstances {
  /** Who calls, as this account sees it. */
  callerOf: (accountId: string) => CallerIdentity
  from: Asking | undefined
  occupancy: Occupancy
  turns: Map<string, number>
  /** The time of the call, by which office hours are asked. */
  now: number
}

export interface Ringable {
  phones: Phone[]
  /** None of the phones is to be disturbed. */
  undisturbed: boolean
}

/** Those of the devices that may ring. Where phones of other networks are, other accounts here may be behind. */
export const ringable = async (
  tables: Tables,
  payer: Payer,
  devices: readonly Device[],
  { from }: Pick<Circumstances, 'from'>,
): Promise<Ringable> => {
  const others = devices.filter(({ id }) => from?.accountId !== payer.id || from.deviceId !== id)
  const awake = others.filter(({ dnd }) => !dnd)
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
 * What rings when this number is called besides others: a phone in another network, or the phones of a line or group that has the number
 * here. Only those: where the others would forward the call to does not count, since that would take it away from all other phones.
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

/** The registered phones of a line or group. */
export const phonesIn = async (tables: Tables, accountId: string, extension: string): Promise<Phone[]> => {
  const attached = extension.startsWith('g')
    ? await tables.groups.devices(accountId, extension)
    : await tables.phonelines.devices(accountId, extension)
  const ids = new Set(attached.map(({ id }) => id))
  const devices = (await tables.devices.list(accountId)).filter(({ id, dnd, external }) => ids.has(id) && !dnd && !external)
  return devices.map(({ id, owner }) => ({ kind: 'device', accountId, deviceId: id, userId: owner }))
}
