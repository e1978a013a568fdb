import type { Station } from '#core/telephone/call/state/party.ts'
import { newParty, type Party } from '#core/telephone/call/state/party.ts'
import type { Account } from '#core/kernel/ports/store/account/accounts.ts'
import type { Device } from '#core/kernel/ports/store/device/devices.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Cause, IncomingCall } from '#core/kernel/ports/telephony.ts'
import { emergencyIdentity, firstInService, identitiesOf, identityOfUser, type Identities } from './caller-identity.ts'
import { causeOf } from './causes.ts'
import { dialledByCarrier, dialledByDevice, type Destination } from './destination.ts'

/** Who calls whom, on whose account. */
export interface Request {
  caller: Party
  seenAs: Identities
  /** A destination, or why there is none. */
  destination: Destination | Cause
  /** For the history: what was called, in the one form that is kept. */
  called: string
  /** The phone that calls, if it is one of an account here, and who pays then. */
  own: { station: Station; account: Account; lines: string[] } | undefined
}

/** Undefined when the phone that calls does not exist any more. */
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
  const seenAs = await identitiesFor(tables, account, showing, destination, asked)
  const station = { accountId, deviceId, userId: device.owner }
  const lines = ((await tables.devices.phonelines(accountId, [deviceId])).get(deviceId) ?? []).slice(0, 1).map(({ id }) => id)
  const caller = newParty({ leg, station, trusted: true, identity: seenAs.outside, role: 'caller' })
  return { caller, seenAs, destination, called: nameOf(destination, dialled), own: { station, account, lines } }
}

/** Not one of the account's phones, although it is one of its users: what is done with the call is done as with that of a stranger. */
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

/** What may not be called, or is no number, is no fault of ours. */
export const readDialled = async (tables: Tables, account: Account, device: Device, dialled: string): Promise<Destination | Cause> => {
  try {
    return await dialledByDevice(tables, account, device, dialled)
  } catch (error) {
    const cause = causeOf(error)
    if (cause === undefined) throw error
    return cause
  }
}

const identitiesFor = async (
  tables: Tables,
  account: Account,
  device: Device,
  destination: Destination | Cause,
  asked: { withheld: boolean },
): Promise<Identities> => {
  if (typeof destination === 'string' || destination.kind !== 'emergency') return identitiesOf(tables, account, device, asked)
  const identity = await emergencyIdentity(tables, account, device)
  return { inside: identity, outside: identity }
}

export const nameOf = (destination: Destination | Cause, dialled: string): string => {
  if (typeof destination === 'string') return dialled
  switch (destination.kind) {
    case 'emergency':
      return destination.dialled
    case 'outside':
      return destination.e164
    case 'extension':
      return destination.called ?? destination.extension
    case 'flow':
    case 'messages':
    case 'unassigned':
    default:
      return destination.called
  }
}
