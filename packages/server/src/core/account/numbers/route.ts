import { Problem } from '@offhook/contract/problem.ts'
import type { ExtensionKind } from '#core/kernel/ports/store/line/extensions.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { AccountNumber, Routing } from '#core/kernel/ports/store/number/numbers.ts'

const callTargets: readonly ExtensionKind[] = ['p', 'g', 'f', 'v', 's']
const quickDialTargets: readonly ExtensionKind[] = ['p', 'g']

/** Puts a number through to an extension or flow of its account; an empty target takes it off. */
export const routeNumber = async (tables: Tables, number: AccountNumber, endpointId: string | null): Promise<void> => {
  if (number.state !== 'ACTIVE' && number.state !== 'ADDRESS_PENDING')
    throw new Problem('number_not_routable', `A number that is ${number.state} cannot be routed.`)
  const routing = await resolveTarget(tables, number, endpointId ?? '')
  if (number.type === 'QUICKDIAL') await requireOnlyQuickDial(tables, number.accountId, routing.endpointId ?? '', number.id)
  await tables.numbers.setRouting(number.accountId, number.id, routing)
}

/** A user, group or phone line can be reached by one quick dial, not by several. */
export const requireOnlyQuickDial = async (tables: Tables, accountId: string, endpointId: string, exceptId?: string): Promise<void> => {
  const there = await tables.numbers.listByEndpoint(accountId, endpointId)
  if (there.some(({ id, type }) => type === 'QUICKDIAL' && id !== exceptId)) throw new Problem('quickdial_per_routing')
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
