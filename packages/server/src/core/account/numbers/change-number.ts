import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '../identity/caller/caller.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { AccountNumber } from '#core/kernel/ports/store/number/numbers.ts'
import { routeNumber } from './route.ts'
import { auditByUser } from '#core/kernel/audit/audit-by.ts'

export interface NumberChange {
  /** Empty or null takes the routing off. */
  endpointId?: string | null
  releaseForMnp?: boolean
  quickDial?: boolean
}

const mnpReleaseMs = 30 * 24 * 60 * 60 * 1000

export const changeNumber = async (tables: Tables, clock: Clock, caller: UserCaller, id: string, change: NumberChange): Promise<void> => {
  await tables.accounts.lock(caller.accountId) // so that what the number shall lead to is not deleted at the same moment
  const number = await tables.numbers.lock(caller.accountId, id)
  if (!number) throw new Problem('number_not_found')
  // What a number is cannot be changed; clients that send the present value back mean no harm.
  if (change.quickDial !== undefined && change.quickDial !== (number.type === 'QUICKDIAL'))
    throw Problem.field('quickDial', 'cannot be changed: quick dial numbers are added under /v1/numbers/quickdial')
  if (change.releaseForMnp !== undefined) await releaseForMnp(tables, clock, caller, number, change.releaseForMnp)
  if (change.endpointId === undefined) return
  await routeNumber(tables, number, change.endpointId)
  await auditByUser(tables, clock, caller, 'number.route', id, { endpointId: change.endpointId })
}

/** Opens or closes the window in which another mobile provider may take the number over. */
const releaseForMnp = async (tables: Tables, clock: Clock, caller: UserCaller, number: AccountNumber, open: boolean): Promise<void> => {
  // Clients that send the whole number back say so of numbers that were never released, too.
  if (!open && number.mnpReleasedUntil === undefined) return
  if (number.type !== 'MOBILE') throw Problem.field('releaseForMnp', 'is only possible for mobile numbers')
  if (open && number.state !== 'ACTIVE') throw new Problem('conflict', `A number that is ${number.state} cannot be released.`)
  const { accountId, id, e164 = '' } = number
  const at = clock.now()
  const until = open ? at + mnpReleaseMs : undefined
  await tables.numbers.setMnpRelease(accountId, id, until)
  await auditByUser(tables, clock, caller, open ? 'number.mnp_release' : 'number.mnp_close', id)
  if (until === undefined) return tables.jobs.cancel(mnpEndJob(id))
  await tables.jobs.schedule({ id: mnpEndJob(id), kind: 'mnp_release_end', payload: { accountId, numberId: id }, dueAt: until })
  const payload = { numberId: id, number: e164, until: new Date(until).toISOString() }
  await tables.appEvents.insert(accountId, { type: 'NUMBER', name: 'number_released_for_mnp', payload }, at)
}

const mnpEndJob = (numberId: string): string => `mnp-end:${numberId}`

/** Runs when a release is over; one that was renewed meanwhile stays. */
export const endMnpRelease = async (tables: Tables, clock: Clock, accountId: string, numberId: string): Promise<void> => {
  const number = await tables.numbers.lock(accountId, numberId)
  if (number?.mnpReleasedUntil === undefined || number.mnpReleasedUntil > clock.now()) return
  await tables.numbers.setMnpRelease(accountId, numberId, undefined)
}
