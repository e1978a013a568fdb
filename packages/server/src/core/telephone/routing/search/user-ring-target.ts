import type { Call } from '#core/telephone/call/call.ts'
import type { TransferRequest } from '#core/telephone/call/state/transfer-wish.ts'
import type { Station, Party } from '#core/telephone/call/state/party.ts'
import type { Account } from '#core/kernel/ports/store/account/accounts.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { CallerIdentity, Cause } from '#core/kernel/ports/telephony.ts'
import type { RoutingContext } from './routing-context.ts'
import { identitiesOf, seenInside, type Identities } from '../inbound/caller-identity.ts'
import { behindNumberOrExtension } from '../inbound/destination.ts'
import { maxHops, transferSeconds } from '../plan/plan.ts'
import type { DialTarget } from './ring-target.ts'

/** On whose behalf a transfer target is called. */
export interface Asker {
  station: Station | undefined
  /** The transferee, who will talk with the target; undefined when the asking party will. */
  waiting: Party | undefined
}

/** What a user wants, read like a number that a phone of the account dials. The account pays and must be allowed to. */
export const userRingTarget = async (
  context: RoutingContext,
  call: Call,
  input: TransferRequest,
  { station, waiting }: Asker,
): Promise<DialTarget | Cause> => {
  const { read } = context.store
  const { accountId, to, callerId } = input
  if (call.hops >= maxHops) return 'loop'
  const [account, destination] = await Promise.all([read.accounts.find(accountId), behindNumberOrExtension(read, accountId, to)])
  if (!account) return 'forbidden'
  const own = await ownIdentities(read, account, call, station)
  const shown: CallerIdentity | undefined = callerId === undefined ? undefined : { number: callerId, name: '', withheld: false }
  return {
    destination,
    payer: account,
    asking: { accountId, ...(station && { deviceId: station.deviceId }) },
    seenAs: { inside: waiting ? seenInside(waiting) : own.inside, outside: shown ?? own.outside },
    diverted: { diversions: [], hops: call.hops },
    seconds: transferSeconds,
    ...(context.transferBy === 'refer' && waiting && !shown && mayCallItself(call, waiting, accountId) && { refer: to }),
  }
}

/** Its own phone, or else the number of the account that the call has to do with. */
const ownIdentities = async (tables: Tables, account: Account, call: Call, station: Station | undefined): Promise<Identities> => {
  const device = station?.accountId === account.id ? await tables.devices.find(account.id, station.deviceId) : undefined
  if (device) return identitiesOf(tables, account, device, { withheld: false })
  const side = call.details.sides.find(({ accountId }) => accountId === account.id)
  const reached = side?.direction === 'INCOMING' ? side.target.number : side?.source.number
  const number = reached === undefined ? undefined : await tables.numbers.findByE164(account.id, reached)
  const identity = { number: number?.state === 'ACTIVE' ? reached : undefined, name: '', withheld: number?.state !== 'ACTIVE' }
  return { inside: identity, outside: identity }
}

/**
 * A phone that calls by itself pays by itself, learns whom it calls, shows its number, and is in another call then, which is not recorded:
 * only one of the account that asks, and only if it loses nothing by that.
 */
const mayCallItself = ({ recordings }: Call, { leg, station, trusted, identity }: Party, accountId: string): boolean =>
  leg.refers && trusted && station?.accountId === accountId && !identity.withheld && !recordings.isRunning(accountId)
