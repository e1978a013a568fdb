import type { Overflow, RoutingRule, RoutingRules } from '@offhook/contract/v1/routing.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { auditByUser } from '#core/kernel/audit/audit-by.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { UserCaller } from '../identity/caller/caller.ts'
import { accountCountryOf, readDestination, type AccountCountry } from '../lines/destination.ts'
import { scheduleOf } from './change-schedule.ts'
import { refuseLoop } from './refuse-loop.ts'
import { targetOf, type Target } from './targets.ts'

/** The account's lock keeps what the rules lead to from going, and two rules from leading to each other. */
export const setRouting = async (tables: Tables, clock: Clock, caller: UserCaller, id: string, input: RoutingRules): Promise<void> => {
  const { accountId } = caller
  await tables.accounts.lock(accountId)
  const target = await targetOf(tables, accountId, id)
  const account = await accountCountryOf(tables, accountId)
  const routing = {
    rules: await readRules(tables, account, target, input.rules),
    overflow: await readOverflow(tables, account, target, input.overflow),
  }
  await refuseLoop(tables, accountId, id, routing)
  if (routing.rules.length + routing.overflow.length === 0) await tables.routingRules.remove(accountId, id)
  else await tables.routingRules.put(accountId, id, routing)
  await auditByUser(tables, clock, caller, 'routing.set', id, routing)
}

const readRules = async (
  tables: Tables,
  account: AccountCountry,
  target: Target,
  rules: readonly RoutingRule[],
): Promise<RoutingRule[]> => {
  const read: RoutingRule[] = []
  for (const [index, { scheduleId, when, action, to }] of rules.entries()) {
    await scheduleOf(tables, account.accountId, scheduleId)
    read.push({ scheduleId, when, action, ...(await readTo(tables, account, target, { field: `rules/${index}/to`, action, to })) })
  }
  return read
}

const readOverflow = async (
  tables: Tables,
  account: AccountCountry,
  target: Target,
  overflow: readonly Overflow[],
): Promise<Overflow[]> => {
  const read: Overflow[] = []
  const kinds = new Set<string>()
  for (const [index, { after, action, to }] of overflow.entries()) {
    const field = `overflow/${index}/after`
    if (target.kind === 'flow' && after !== 'UNREACHABLE')
      throw Problem.field(field, 'is UNREACHABLE for a flow: it neither rings nor is busy')
    const kind = typeof after === 'number' ? 'seconds' : after
    if (kinds.has(kind)) throw Problem.field(field, 'is there twice')
    kinds.add(kind)
    read.push({ after, action, ...(await readTo(tables, account, target, { field: `overflow/${index}/to`, action, to })) })
  }
  return read
}

interface Input {
  field: string
  action: RoutingRule['action']
  to: string | undefined
}

/** Where an action leads to, in the one form that is kept. */
const readTo = async (tables: Tables, account: AccountCountry, target: Target, { field, action, to }: Input): Promise<{ to?: string }> => {
  const { accountId } = account
  switch (action) {
    case 'FLOW': {
      if (to === undefined) throw Problem.field(field, 'is required')
      if (!(await tables.flows.find(accountId, to))) throw new Problem('flow_not_found')
      return { to }
    }
    case 'VOICEMAIL': {
      if (to === undefined && target.kind === 'flow') throw Problem.field(field, 'is required: a flow has no voicemail of its own')
      if (to !== undefined && !(await tables.voicemails.find(accountId, to))) throw Problem.field(field, 'is no voicemail of this account')
      return to === undefined ? {} : { to }
    }
    case 'FORWARD': {
      if (to === undefined || to === 'voicemail') throw Problem.field(field, 'is a number or an extension')
      return { to: await readDestination(tables, account, field, to) }
    }
    case 'RING':
    case 'ANNOUNCE':
    case 'REFUSE':
    default:
      if (to !== undefined) throw Problem.field(field, 'is not for this action')
      return {}
  }
}
