import type { Account } from '#core/kernel/ports/store/account.ts'
import type { Device } from '#core/kernel/ports/store/device.ts'
import type { CivicAddress } from '#core/kernel/ports/telephony.ts'
import { newParty } from '#core/telephone/call/state/party.ts'
import type { Identities, Request } from './inbound/request.ts'
import type { RoutingContext } from './search/routing-context.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { AccountNumber } from '#core/kernel/ports/store/number.ts'
import { Occupancy } from '#core/telephone/call/state/occupancy.ts'
import { behindNumberOrExtension, type Destination } from './inbound/destination.ts'
import type { Circumstances } from './plan/phones.ts'
import { planDestination } from './plan/plan-place.ts'
import { maxHops } from './plan/plan.ts'

type EmergencyDeps = Pick<RoutingContext, 'store' | 'clock' | 'onFailure'>

/** Caller information for the emergency services. */
interface EmergencyCaller {
  /** Never withheld. */
  seenAs: Identities
  /** Location of the phone, else of the number. */
  location: CivicAddress | undefined
}

/** Undefined when the lookup fails, which must not prevent the call. */
export const emergencyCaller = async (
  { store: { read }, clock, onFailure }: EmergencyDeps,
  account: Account,
  phone: Device,
  callId: string,
): Promise<EmergencyCaller | undefined> => {
  try {
    const callback = await callbackNumber(read, account, phone, clock.now())
    const addressId = phone.emergencyAddressId ?? callback?.addressId
    const location = addressId === undefined ? undefined : await read.addresses.find(account.id, addressId)
    const identity = { number: callback?.e164, name: '', withheld: false }
    return { seenAs: { inside: identity, outside: identity }, location }
  } catch (error) {
    onFailure(error, callId)
    return undefined
  }
}

/** Adds caller information to an emergency call; returns other requests unchanged. */
export const withEmergencyCaller = async (deps: EmergencyDeps, request: Request): Promise<Request> => {
  const { destination, own, caller } = request
  if (typeof destination === 'string' || destination.kind !== 'emergency' || !own) return request
  const { leg, station, trusted, role } = caller
  const found = await emergencyCaller(deps, own.account, own.device, leg.id)
  if (!found) return request
  const { seenAs, location } = found
  return {
    ...request,
    seenAs,
    caller: newParty({ leg, station, trusted, role, identity: seenAs.outside }),
    destination: { ...destination, ...(location && { location }) },
  }
}

interface NumberInService extends AccountNumber {
  e164: string
}

/** Each candidate costs a few database reads while the emergency call waits. */
const maxCandidates = 25

/** Extensions at which a phone can ring. */
const ringable = /^[pgexy]\d/

/**
 * Callback number for the emergency services: one of the caller's own, else one of the lines and groups the phone rings with, else any of the account;
 * numbers at the phone's location come first. Skips numbers that currently lead to an assistant, a fax machine, a mailbox or no destination.
 * Without a phone: a number at which any phone of the account can be called back.
 */
export const callbackNumber = async (
  tables: Tables,
  { id: accountId }: Account,
  phone: Device | undefined,
  now: number,
): Promise<NumberInService | undefined> => {
  const [numbers, lines] = await Promise.all([tables.numbers.list(accountId), phone ? linesOf(tables, accountId, phone.id) : []])
  const candidates = numbers
    .filter(isCandidate)
    .toSorted((one, other) => rank(one, phone, lines) - rank(other, phone, lines))
    .slice(0, maxCandidates)
  for (const number of candidates) {
    const destination = await behindNumberOrExtension(tables, accountId, number.e164)
    if (await ringsAtPhone(tables, destination, now)) return number
  }
  return undefined
}

const isCandidate = (number: AccountNumber): number is NumberInService =>
  number.e164 !== undefined && number.state === 'ACTIVE' && ringable.test(number.endpointId ?? '')

const linesOf = async (tables: Tables, accountId: string, deviceId: string): Promise<string[]> => {
  const [lines, groups] = await Promise.all([
    tables.devices.phonelines(accountId, [deviceId]),
    tables.devices.groups(accountId, [deviceId]),
  ])
  return [lines, groups].flatMap((attached) => attached.get(deviceId) ?? []).map(({ id }) => id)
}

/** Lowest is best. */
const rank = (number: NumberInService, phone: Device | undefined, lines: readonly string[]): number => {
  if (!phone) return 0
  const isOwn = number.endpointId === phone.id || number.endpointOwner === phone.owner
  const nearness = isOwn ? 0 : lines.includes(number.endpointId ?? '') ? 1 : 2
  const isElsewhere = phone.emergencyAddressId !== undefined && number.addressId !== phone.emergencyAddressId
  return nearness * 4 + (isElsewhere ? 2 : 0) + (number.e164 === phone.callerId ? 0 : 1)
}

/** A call from outside while every phone is free. Ignores DND, because a user who calls for help wants to be called back. */
const callFromOutside = (now: number): Circumstances => ({
  callerOf: () => ({ number: '112', name: '', withheld: false }),
  from: undefined,
  occupancy: new Occupancy(),
  turns: new Map(),
  now,
  ignoresDnd: true,
})

const ringsAtPhone = async (tables: Tables, destination: Destination, now: number, hops = 0): Promise<boolean> => {
  if (destination.kind === 'outside') return true
  const { place, steps } = await planDestination(tables, destination, undefined, callFromOutside(now))
  const [first] = steps
  if (first?.kind === 'ring') return first.phones.length > 0
  if (first?.kind !== 'forward' || !place || hops >= maxHops) return false
  return ringsAtPhone(tables, await behindNumberOrExtension(tables, place.accountId, first.to), now, hops + 1)
}
