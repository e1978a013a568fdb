import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '../identity/caller/caller.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { AccountNumber, Routing } from '#core/kernel/ports/store/number.ts'
import { addQuickDial, hasQuickDial, removeQuickDial, requireOnlyQuickDial } from './quick-dials.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import type { ExtensionKind } from '#core/kernel/ports/store/line.ts'

interface NumberChange {
  /** Empty or null removes the routing. */
  endpointId?: string | null
  releaseForMnp?: boolean
  /** True gives the target of a number a quick dial; false removes a quick dial number. */
  quickDial?: boolean
}

const mnpReleaseMs = 30 * 24 * 60 * 60 * 1000

/** `effectId` becomes the id of a quick dial that the change adds. */
export const changeNumber = async (
  tables: Tables,
  clock: Clock,
  caller: UserCaller,
  { numberId: id, effectId }: { numberId: string; effectId: string },
  { endpointId, releaseForMnp: isReleased, quickDial }: NumberChange,
): Promise<void> => {
  await tables.accounts.lock(caller.accountId) // prevents the routing target from being deleted concurrently
  const number = await tables.numbers.lock(caller.accountId, id)
  if (!number) throw new Problem('number_not_found')
  const isQuickDial = number.type === 'QUICKDIAL'
  if (isQuickDial && quickDial === false) {
    if (endpointId !== undefined) throw Problem.field('quickDial', 'removes the quick dial number if it is false: leave out endpointId')
    return removeQuickDial(tables, clock, caller, id)
  }
  if (isReleased !== undefined) await releaseForMnp(tables, clock, caller, number, isReleased)
  if (endpointId !== undefined) {
    await routeNumber(tables, number, endpointId)
    await auditByUser(tables, clock, caller, 'number.route', id, { endpointId })
  }
  // Clients that send the whole number back also send false for numbers that are no quick dial.
  if (!isQuickDial && quickDial === true) await addQuickDialFor(tables, clock, caller, effectId, endpointId ?? number.endpointId ?? '')
}

/** A target that has a quick dial keeps it. */
const addQuickDialFor = async (tables: Tables, clock: Clock, caller: UserCaller, id: string, target: string): Promise<void> => {
  const kind = (await tables.extensions.find(caller.accountId, target))?.kind
  if (!kind || !quickDialTargets.includes(kind)) throw Problem.field('quickDial', 'needs a number that leads to a phone line or group')
  if (!(await hasQuickDial(tables, caller.accountId, target))) await addQuickDial(tables, clock, caller, id, { userId: target })
}

/** Opens or closes the window in which another mobile provider may take the number over. */
const releaseForMnp = async (tables: Tables, clock: Clock, caller: UserCaller, number: AccountNumber, open: boolean): Promise<void> => {
  // Clients that send the whole number back also send false for numbers that were never released.
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

/** Runs when a release expires; skips a release that was renewed. */
export const endMnpRelease = async (tables: Tables, clock: Clock, accountId: string, numberId: string): Promise<void> => {
  const number = await tables.numbers.lock(accountId, numberId)
  if (number?.mnpReleasedUntil === undefined || number.mnpReleasedUntil > clock.now()) return
  await tables.numbers.setMnpRelease(accountId, numberId, undefined)
}

const callTargets: readonly ExtensionKind[] = ['p', 'g', 'f', 'v', 's']
const quickDialTargets: readonly ExtensionKind[] = ['p', 'g']

/** Routes a number to an extension or flow of its account; an empty target removes the routing. */
export const routeNumber = async (tables: Tables, number: AccountNumber, endpointId: string | null): Promise<void> => {
  if (number.state !== 'ACTIVE' && number.state !== 'ADDRESS_PENDING')
    throw new Problem('number_not_routable', `A number that is ${number.state} cannot be routed.`)
  const routing = await resolveTarget(tables, number, endpointId ?? '')
  if (number.type === 'QUICKDIAL') await requireOnlyQuickDial(tables, number.accountId, routing.endpointId ?? '', number.id)
  await tables.numbers.setRouting(number.accountId, number.id, routing)
}

const resolveTarget = async (tables: Tables, { accountId, type }: AccountNumber, target: string): Promise<Routing> => {
  const quickDial = type === 'QUICKDIAL'
  if (target === '') {
    if (quickDial) throw Problem.field('endpointId', 'is required for a quick dial number')
    return {}
  }
  const extension = await tables.extensions.find(accountId, target)
  if (extension && (quickDial ? quickDialTargets : callTargets).includes(extension.kind)) {
    if (extension.kind === 's' && type !== 'MOBILE')
      throw Problem.field('endpointId', 'is an SMS extension, which only a mobile number can lead to')
    return { endpointId: target }
  }
  if (!quickDial && (await tables.flows.find(accountId, target))) return { flowId: target }
  const allowed = quickDial ? 'phone line or group' : 'phone line, group, fax line, voicemail, SMS extension or flow'
  throw Problem.field('endpointId', `is no ${allowed} of this account`)
}
