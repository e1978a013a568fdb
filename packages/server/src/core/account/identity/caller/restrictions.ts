import { Problem } from '@offhook/contract/problem.ts'
import { restrictions, type Restriction } from '@offhook/contract/restrictions.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { UserCaller } from './caller.ts'
import { bookedBy, refusal } from './permissions.ts'

interface RestrictionAnswer {
  restriction: string
  value: boolean
  target: string
}

/** Evaluates the same rules as the operations themselves. Names may be joined with commas. Without names it lists all. */
export const listRestrictions = async (
  store: Store,
  caller: UserCaller,
  { userId = caller.userId, restriction: names = restrictions }: { userId?: string; restriction?: readonly string[] },
): Promise<RestrictionAnswer[]> => {
  const asked = names.flatMap((list) => list.split(',').map((name) => name.trim()))
  for (const name of asked)
    if (!/^CAN_[A-Z0-9_]+$/.test(name)) throw Problem.field('restriction', `${name} is not the name of a restriction`)
  if (!(await store.read.users.find(caller.accountId, userId))) throw new Problem('user_not_found')
  const booked = await bookedBy(store, caller.accountId)
  const allowed = (name: string): boolean => isRestriction(name) && refusal(name, caller, userId, booked) === undefined
  return asked.map((name) => ({ restriction: name, value: allowed(sameAs[name] ?? name), target: userId }))
}

/** Older names. */
const sameAs: Record<string, Restriction> = Object.assign(Object.create(null), { CAN_SEND_SMS: 'CAN_ACCOUNT_SEND_WEB_SMS' })

/** Programs ask for restriction names of similar services; unknown names are not allowed. */
const isRestriction = (name: string): name is Restriction => (restrictions as readonly string[]).includes(name)
