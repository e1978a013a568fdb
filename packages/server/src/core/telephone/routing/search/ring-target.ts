import type { Call } from '#core/telephone/call/call.ts'
import type { TransferRequest } from '#core/telephone/call/state/transfer-request.ts'
import type { Station, Party } from '#core/telephone/call/state/party.ts'
import type { Account } from '#core/kernel/ports/store/account.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { CallerIdentity, Cause } from '#core/kernel/ports/telephony.ts'
import type { RoutingContext, DialTarget } from './routing-context.ts'
import { identitiesOf, seenInside, type Identities } from '../inbound/request.ts'
import { behindNumberOrExtension } from '../inbound/destination.ts'
import { maxHops, transferSeconds } from '../plan/plan.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { isLimit } from '../inbound/causes.ts'

/** The requester of a transfer. */
interface Asker {
  station: Station | undefined
  /** The transferee, who will talk with the target; undefined when the requesting party will. */
  waiting: Party | undefined
}

/** Reads a user's transfer request like a number dialled by a phone of the account. The account pays and must be allowed to. */
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

/** Identity of its own phone, else of the account's number in this call. */
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
 * A phone that calls the target itself pays itself, learns the target, shows its own number, and leaves the recorded call:
 * only for phones of the requesting account that lose nothing by it.
 */
const mayCallItself = ({ recordings }: Call, { leg, station, trusted, identity }: Party, accountId: string): boolean =>
  leg.refers && trusted && station?.accountId === accountId && !identity.withheld && !recordings.isRunning(accountId)

const words: Partial<Record<Cause, string>> = {
  busy: 'They are talking to somebody else.',
  do_not_disturb: 'They have “Do not disturb” on.',
  no_answer: 'Nobody answered.',
  rejected: 'They declined the call.',
  anonymity_refused: 'They do not accept calls from withheld numbers.',
  not_found: 'Nobody has this number.',
  unavailable: 'Their phone cannot be reached.',
  unreachable: 'Their phone does not respond.',
  loop: 'This call was passed on too often.',
  not_acceptable: 'Their phone has no audio codec in common.',
  overloaded: 'No line is free.',
}

/** Problem for a user whose transfer failed. */
export const transferProblem = (cause: Cause): Problem => {
  if (cause === 'payment_required') return new Problem('insufficient_funds')
  if (isLimit(cause)) return new Problem(cause)
  if (cause === 'forbidden') return new Problem('destination_blocked')
  if (cause === 'normal') return new Problem('call_not_in_state', 'The call is over.')
  return new Problem('transfer_failed', words[cause])
}
