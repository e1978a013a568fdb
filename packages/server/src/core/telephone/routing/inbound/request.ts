import { type Station, newParty, type Party } from '#core/telephone/call/state/party.ts'
import type { Account, User } from '#core/kernel/ports/store/account.ts'
import type { Device } from '#core/kernel/ports/store/device.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Cause, IncomingCall, CallerIdentity } from '#core/kernel/ports/telephony.ts'
import { causeOf } from './causes.ts'
import { dialledByCarrier, dialledByDevice, type Destination } from './destination.ts'
import { fullName } from '#core/account/accounts/create-account.ts'
import { anonymous, effectiveCallerId } from '#core/account/devices/caller-id.ts'
import type { AccountNumber } from '#core/kernel/ports/store/number.ts'

/** A parsed inbound request: caller, destination and paying account. */
export interface Request {
  caller: Party
  seenAs: Identities
  /** The destination, or the cause of its absence. */
  destination: Destination | Cause
  /** Called number for the history, in normalized form. */
  called: string
  /** The calling phone and the paying account, if the phone belongs to an account here. */
  own: { station: Station; account: Account; device: Device; lines: string[] } | undefined
}

/** Undefined when the calling phone no longer exists. */
export const readRequest = (tables: Tables, country: string, incoming: IncomingCall): Promise<Request | undefined> => {
  const { origin } = incoming
  switch (origin.kind) {
    case 'device':
      return fromDevice(tables, incoming, origin)
    case 'web':
      return fromWeb(tables, incoming, origin)
    case 'trunk':
    default:
      return fromTrunk(tables, country, incoming)
  }
}

const fromTrunk = async (tables: Tables, country: string, { leg, caller: identity, dialled }: IncomingCall): Promise<Request> => {
  const destination = await dialledByCarrier(tables, country, dialled)
  const seenAs = { inside: identity, outside: identity }
  const caller = newParty({ leg, identity, role: 'caller' })
  return { caller, seenAs, destination, called: nameOf(destination, dialled), own: undefined }
}

const fromDevice = async (
  tables: Tables,
  { leg, caller: asked, dialled, shows }: IncomingCall,
  { accountId, deviceId }: { accountId: string; deviceId: string },
): Promise<Request | undefined> => {
  const [account, device] = await Promise.all([tables.accounts.find(accountId), tables.devices.find(accountId, deviceId)])
  if (!account || !device) return undefined
  const showing = shows === undefined ? device : { ...device, callerId: shows }
  const destination = await readDialled(tables, account, device, dialled)
  const seenAs = await identitiesOf(tables, account, showing, asked)
  const station = { accountId, deviceId, userId: device.owner }
  const lines = ((await tables.devices.phonelines(accountId, [deviceId])).get(deviceId) ?? []).slice(0, 1).map(({ id }) => id)
  const caller = newParty({ leg, station, trusted: true, identity: seenAs.outside, role: 'caller' })
  return { caller, seenAs, destination, called: nameOf(destination, dialled), own: { station, account, device, lines } }
}

/** The caller is a user but not a phone of the account: the call is handled like an external one. */
const fromWeb = async (
  tables: Tables,
  { leg }: IncomingCall,
  { accountId, userId, flowId, draft, pretends }: Extract<IncomingCall['origin'], { kind: 'web' }>,
): Promise<Request | undefined> => {
  const [user, flow] = await Promise.all([tables.users.find(accountId, userId), tables.flows.find(accountId, flowId)])
  if (!user || !flow) return undefined
  const [identity, numbers] = await Promise.all([identityOfUser(tables, accountId, user), tables.numbers.listByFlow(accountId, flowId)])
  const called = firstInService(numbers) ?? flowId
  const caller = newParty({ leg, identity, role: 'caller' })
  const destination: Destination = {
    kind: 'flow',
    accountId,
    flowId,
    called,
    userId,
    ...(draft && { draft }),
    ...(pretends && { pretends }),
  }
  return { caller, seenAs: { inside: identity, outside: identity }, destination, called, own: undefined }
}

/** Invalid or blocked numbers give a cause, not a fault. */
export const readDialled = async (tables: Tables, account: Account, device: Device, dialled: string): Promise<Destination | Cause> => {
  try {
    return await dialledByDevice(tables, account, device, dialled)
  } catch (error) {
    const cause = causeOf(error)
    if (cause === undefined) throw error
    return cause
  }
}

export const nameOf = (destination: Destination | Cause, dialled: string): string => {
  if (typeof destination === 'string') return dialled
  switch (destination.kind) {
    case 'emergency':
      return destination.dialled
    case 'outside':
      return destination.e164
    case 'short':
      return destination.digits
    case 'extension':
      return destination.called ?? destination.extension
    case 'flow':
    case 'messages':
    case 'unassigned':
    default:
      return destination.called
  }
}

/** Caller ID by audience. */
export interface Identities {
  /** For phones of the same account. */
  inside: CallerIdentity
  outside: CallerIdentity
}

/** Caller ID of a device. Trunks get a number of the account even when it is withheld. */
export const identitiesOf = async (
  tables: Tables,
  account: Account,
  device: Device,
  { withheld: requested }: { withheld: boolean },
): Promise<Identities> => {
  const [shown, user] = await Promise.all([effectiveCallerId(tables, account.id, device), tables.users.find(account.id, device.owner)])
  const hidden = shown === anonymous
  const number = hidden ? await numberOfOwner(tables, account.id, device.owner) : shown
  const withheld = hidden || requested
  const shy = requested || device.callerId === anonymous
  const name = user ? fullName(user) : ''
  return {
    inside: { number: number ?? device.id, name, withheld: shy },
    outside: { number, name: withheld ? '' : name, withheld },
  }
}

/** Identity of a user who calls without a phone of the account. */
const identityOfUser = async (tables: Tables, accountId: string, user: User): Promise<CallerIdentity> => ({
  number: await numberOfOwner(tables, accountId, user.id),
  name: fullName(user),
  withheld: false,
})

/** Identity of a party as phones of an account see it. */
export const seenInside = ({ identity }: Party): CallerIdentity =>
  identity.withheld ? { number: undefined, name: '', withheld: true } : identity

const numberOfOwner = async (tables: Tables, accountId: string, owner: string): Promise<string | undefined> =>
  firstInService(await tables.numbers.listByUser(accountId, owner))

const firstInService = (numbers: readonly AccountNumber[]): string | undefined =>
  numbers.find(({ e164, state }) => e164 !== undefined && state === 'ACTIVE')?.e164
