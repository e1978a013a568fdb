import { randomUUID } from 'node:crypto'
import { fullName } from '#core/account/accounts/create-account.ts'
import type { DescribableCall, DescribableUser } from '#core/kernel/ports/calls.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { User, Account } from '#core/kernel/ports/store/account.ts'
import type { Cause } from '#core/kernel/ports/telephony.ts'
import { askGuide, type Guided } from './guided-call.ts'
import { dialInstead, readNumbers, shownAs } from './guided-dial.ts'
import type { Place, Plan, DiversionHistory } from '../plan/plan.ts'
import type { Search } from '../search/search.ts'
import { behindNumber, type Destination } from '../inbound/destination.ts'
import type { Identities } from '../inbound/request.ts'

/** Asks the webhook of the called account before any phone rings; it may change the plan or reject the call. */
export const guideInbound = async (search: Search, plan: Plan, diverted: DiversionHistory): Promise<Guided | Cause> => {
  const { place } = plan
  if (!place || isFax(place)) return { plan }
  const steering = await askGuide(search, {
    accountId: place.accountId,
    direction: 'in',
    tellable: () => notifyInbound(search, plan, place, diverted),
    onFollowed: (followed) => search.follows(followed),
  })
  if (search.call.end) return 'normal'
  if (steering.kind === 'go_on') return { plan }
  // The forwarding or transferring party is not hung up.
  if (steering.kind === 'reject') return steering.cause === 'normal' && search.forwardedBy ? 'rejected' : steering.cause
  return (await dialInstead(search, plan, place, steering.verb)) ?? { plan }
}

const isFax = ({ extension }: Place): boolean => /^f\d+$/.test(extension)

const notifyInbound = async (search: Search, plan: Plan, place: Place, diverted: DiversionHistory): Promise<DescribableCall> => {
  const { call, context, forwardedBy } = search
  const { accountId } = place
  const { read } = context.store
  const [users, lines] = await Promise.all([usersAt(read, plan, place), linesOf(read, place)])
  const { number, withheld } = search.circumstances.callerOf(accountId)
  // An account that already knows the call, or gets it from another extension, gets its own call id.
  const callId = forwardedBy || call.details.notified.has(accountId) ? randomUUID() : call.id
  if (callId !== call.id) context.calls.alias(call.id, accountId, callId)
  const from = withheld ? undefined : number
  // Extension names are not shown to others.
  const diversion = [forwardedBy ? forwardedBy.number : diverted.diversions[0]].find((by) => by?.startsWith('+'))
  return { callId, origCallId: call.id, accountId, direction: 'in', from, to: plan.called, lines, users, diversion }
}

/** Users whose phones would ring; if none, the owner of the line. */
const usersAt = async (tables: Tables, { steps }: Plan, { accountId, userId }: Place): Promise<DescribableUser[]> => {
  const phones = steps.flatMap((step) => (step.kind === 'ring' ? step.phones : []))
  const rung = phones.flatMap((phone) => {
    if (phone.kind === 'device') return phone.accountId === accountId ? phone.userId : []
    return (phone.kind === 'outside' && phone.device?.userId) || []
  })
  const ids = new Set(rung.length > 0 ? rung : [userId])
  return (await tables.users.list(accountId)).filter(({ id }) => ids.has(id)).map(describableUser)
}

const describableUser = (user: User): DescribableUser => ({ id: user.id, name: fullName(user) })

/** A device represents the phone lines it rings with. */
const linesOf = async (tables: Tables, { accountId, extension }: Place): Promise<string[]> => {
  if (/^[pg]\d+$/.test(extension)) return [extension]
  if (!/^[exy]\d+$/.test(extension)) return []
  return ((await tables.devices.phonelines(accountId, [extension])).get(extension) ?? []).map(({ id }) => id)
}

/** A call a user of an account is about to make. */
export interface OutboundCall {
  account: Account
  userId: string
  /** Phone lines of the caller. */
  lines: readonly string[]
  /** Destination, and the called number or extension for the history. */
  destination: Destination
  called: string
}

interface OutboundDecision {
  destination: Destination
  /** Caller ID, if changed. */
  seenAs?: Identities | undefined
  /** E.164 number of the new callee. */
  instead?: string
}

/**
 * Asks the webhook before an outbound call; it may change the callee or the caller ID, or reject the call. The account must already have its
 * side of the call's details. Emergency calls and destinations that cannot be called are not asked about.
 */
export const guideOutbound = async (search: Search, outbound: OutboundCall): Promise<OutboundDecision | Cause> => {
  const { destination } = outbound
  if (!['extension', 'flow', 'outside', 'short'].includes(destination.kind)) return { destination }
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
