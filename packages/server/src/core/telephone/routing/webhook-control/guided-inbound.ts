import { randomUUID } from 'node:crypto'
import { fullName } from '#core/account/accounts/full-name.ts'
import type { DescribableCall, DescribableUser } from '#core/kernel/ports/call-guide.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { User } from '#core/kernel/ports/store/account/users.ts'
import type { Cause } from '#core/kernel/ports/telephony.ts'
import { askGuide, type Guided } from './guided-call.ts'
import { dialInstead } from './guided-dial.ts'
import type { Place, Plan, DiversionHistory } from '../plan/plan.ts'
import type { Search } from '../search/search.ts'

/** A call has come to an extension of an account and no phone rings yet: the account's own software may have another plan, or reject it. */
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
  // The party that forwarded or transferred it is not hung up on.
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
  // An account whose software knows the call already, or that got it from another extension, knows it by a call id of its own.
  const callId = forwardedBy || call.details.notified.has(accountId) ? randomUUID() : call.id
  if (callId !== call.id) context.calls.alias(call.id, accountId, callId)
  const from = withheld ? undefined : number
  // Names of extensions mean nothing to others.
  const diversion = [forwardedBy ? forwardedBy.number : diverted.diversions[0]].find((by) => by?.startsWith('+'))
  return { callId, origCallId: call.id, accountId, direction: 'in', from, to: plan.called, lines, users, diversion }
}

/** Whose phones would ring; if none would, whose line it is. */
const usersAt = async (tables: Tables, { steps }: Plan, { accountId, userId }: Place): Promise<DescribableUser[]> => {
  const phones = steps.flatMap((step) => (step.kind === 'ring' ? step.phones : []))
  const rung = phones.flatMap((phone) => {
    if (phone.kind === 'device') return phone.accountId === accountId ? phone.userId : []
    return (phone.kind === 'outside' && phone.device?.userId) || []
  })
  const ids = new Set(rung.length > 0 ? rung : [userId])
  return (await tables.users.list(accountId)).filter(({ id }) => ids.has(id)).map(describableUser)
}

export const describableUser = (user: User): DescribableUser => ({ id: user.id, name: fullName(user) })

/** A device stands for the phone lines that it rings with. */
const linesOf = async (tables: Tables, { accountId, extension }: Place): Promise<string[]> => {
  if (/^[pg]\d+$/.test(extension)) return [extension]
  if (!/^[exy]\d+$/.test(extension)) return []
  return ((await tables.devices.phonelines(accountId, [extension])).get(extension) ?? []).map(({ id }) => id)
}
