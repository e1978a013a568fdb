import type { Call } from '#core/telephone/call/call.ts'
import type { TransferWish } from '#core/telephone/call/state/handing-over.ts'
import type { Desk, Party } from '#core/telephone/call/state/party.ts'
import type { Account } from '#core/kernel/ports/store/account/accounts.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { CallerIdentity, Cause } from '#core/kernel/ports/telephony.ts'
import type { Board } from './board.ts'
import { identitiesOf, seenInside, type Identities } from '../arrive/caller-identity.ts'
import { behindNumberOrExtension } from '../arrive/destination.ts'
import { mostHops, transferSeconds } from '../plan/plan.ts'
import type { Aim } from './aim.ts'

/** In whose name somebody is called. */
export interface Asker {
  desk: Desk | undefined
  /** Will talk with whoever is called; undefined when that is the one who asks. */
  waiting: Party | undefined
}

/** What a user wants, read like a number that a phone of the account dials. The account pays and must be allowed to. */
export const aimOfUser = async (board: Board, call: Call, wish: TransferWish, { desk, waiting }: Asker): Promise<Aim | Cause> => {
  const { read } = board.store
  const { accountId, to, callerId } = wish
  if (call.hops >= mostHops) return 'loop'
  const [account, destination] = await Promise.all([read.accounts.find(accountId), behindNumberOrExtension(read, accountId, to)])
  if (!account) return 'forbidden'
  const own = await ownIdentities(read, account, call, desk)
  const shown: CallerIdentity | undefined = callerId === undefined ? undefined : { number: callerId, name: '', withheld: false }
  return {
    destination,
    payer: account,
    asking: { accountId, ...(desk && { deviceId: desk.deviceId }) },
    seenAs: { inside: waiting ? seenInside(waiting) : own.inside, outside: shown ?? own.outside },
    trail: { diversions: [], hops: call.hops },
    seconds: transferSeconds,
    ...(board.transferBy === 'refer' && waiting && !shown && mayCallItself(call, waiting, accountId) && { refer: to }),
  }
}

/** Its own phone, or else the number of the account that the call has to do with. */
const ownIdentities = async (tables: Tables, account: Account, call: Call, desk: Desk | undefined): Promise<Identities> => {
  const device = desk?.accountId === account.id ? await tables.devices.find(account.id, desk.deviceId) : undefined
  if (device) return identitiesOf(tables, account, device, { withheld: false })
  const side = call.story.sides.find(({ accountId }) => accountId === account.id)
  const reached = side?.direction === 'INCOMING' ? side.target.number : side?.source.number
  const number = reached === undefined ? undefined : await tables.numbers.findByE164(account.id, reached)
  const identity = { number: number?.state === 'ACTIVE' ? reached : undefined, name: '', withheld: number?.state !== 'ACTIVE' }
  return { inside: identity, outside: identity }
}

/**
 * A phone that calls by itself pays by itself, learns whom it calls, shows its number, and is in another call then, which nobody records:
 * only one of the account that asks, and only if it loses nothing by that.
 */
const mayCallItself = ({ recordings }: Call, { leg, desk, trusted, identity }: Party, accountId: string): boolean =>
  leg.refers && trusted && desk?.accountId === accountId && !identity.withheld && !recordings.isRunning(accountId)
