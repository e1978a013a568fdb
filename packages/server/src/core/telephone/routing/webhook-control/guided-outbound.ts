import type { DescribableCall } from '#core/kernel/ports/call-guide.ts'
import type { Account } from '#core/kernel/ports/store/account/accounts.ts'
import type { Cause } from '#core/kernel/ports/telephony.ts'
import { behindNumber, type Destination } from '../inbound/destination.ts'
import { askGuide } from './guided-call.ts'
import { readNumbers, shownAs } from './guided-dial.ts'
import { describableUser } from './guided-inbound.ts'
import type { Search } from '../search/search.ts'
import type { Identities } from '../inbound/caller-identity.ts'

/** A user of an account is about to call. */
export interface OutboundCall {
  account: Account
  userId: string
  /** Phone lines that the caller belongs to. */
  lines: readonly string[]
  /** Whom, and the number or extension that stands in the history for it. */
  destination: Destination
  called: string
}

export interface OutboundDecision {
  destination: Destination
  /** How the caller is seen, if not as before. */
  seenAs?: Identities | undefined
  /** E.164 of the callee instead. */
  instead?: string
}

/**
 * Before a call is made for an account its own software may name another callee, another number to show, or reject it. The account must
 * have its side of the call's details. Emergency calls, and what cannot be called anyway, are not its business.
 */
export const guideOutbound = async (search: Search, outbound: OutboundCall): Promise<OutboundDecision | Cause> => {
  const { destination } = outbound
  if (!['extension', 'flow', 'outside'].includes(destination.kind)) return { destination }
  const { call } = search
  const steering = await askGuide(search, {
    accountId: outbound.account.id,
    direction: 'out',
    tellable: () => notifyOutbound(search, outbound),
    onFollowed: (followed) => call.details.follow(outbound.account.id, followed),
  })
  if (call.end) return 'normal'
  if (steering.kind === 'reject') return steering.cause
  if (steering.kind === 'go_on') return { destination }
  const { account } = outbound
  const { read } = search.context.store
  const [number] = readNumbers(steering.verb.numbers, account)
  if (number?.premium) return 'forbidden'
  const seenAs = await shownAs(read, account, steering.verb, search.seenAs)
  if (!number || number.e164 === outbound.called) return { destination, seenAs }
  call.details.forwarded(account.id, number.e164)
  return { destination: await behindNumber(read, number.e164), seenAs, instead: number.e164 }
}

const notifyOutbound = async (search: Search, { account, userId, lines, called }: OutboundCall): Promise<DescribableCall> => {
  const { id: callId } = search.call
  const user = await search.context.store.read.users.find(account.id, userId)
  const { inside, outside } = search.seenAs
  const { number, withheld } = outside.number === undefined ? inside : outside
  const from = withheld ? undefined : number
  const users = user ? [describableUser(user)] : []
  const ids = { callId, origCallId: callId, accountId: account.id }
  return { ...ids, direction: 'out', from, to: called, lines, users, diversion: undefined }
}
