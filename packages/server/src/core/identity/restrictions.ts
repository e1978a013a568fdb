import { Problem } from '@offhook/contract/problem.ts'
import { restrictions, type Restriction } from '@offhook/contract/restrictions.ts'
import type { Store } from '../ports/store/index.ts'
import type { UserCaller } from './caller.ts'
import { bookedBy, refusal } from './permissions.ts'

export interface RestrictionAnswer {
  restriction: Restriction
  value: boolean
  target: string
}

/** The same rule as the checks of every operation, asked beforehand. Without names it tells about all of them. */
export const tellRestrictions = async (
  store: Store,
  caller: UserCaller,
  { userId = caller.userId, restriction: names = restrictions }: { userId?: string; restriction?: readonly string[] },
): Promise<RestrictionAnswer[]> => {
  const wanted = names.map(requireKnown)
  if (!(await store.read.users.find(caller.accountId, userId))) throw new Problem('user_not_found')
  const booked = await bookedBy(store, caller.accountId)
  return wanted.map((restriction) => ({ restriction, value: refusal(restriction, caller, userId, booked) === undefined, target: userId }))
}

const requireKnown = (name: string): Restriction => {
  const known = restrictions.find((one) => one === name)
  if (!known) throw Problem.field('restriction', `${name} is not known`)
  return known
}
