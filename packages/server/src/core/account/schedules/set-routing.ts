import type { Overflow, RoutingRule, RoutingRules } from '@offhook/contract/v1/routing.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { UserCaller } from '../identity/caller/caller.ts'
import { accountCountryOf, readDestination, requireReachable, type AccountCountry } from '../lines/destination.ts'
import { scheduleOf } from './change-schedule.ts'
import { targetOf, type Target } from './targets.ts'

/** The account lock prevents the deletion of routing targets and two rules that point to each other. */
export const setRouting = async (tables: Tables, clock: Clock, caller: UserCaller, id: string, input: RoutingRules): Promise<void> => {
  const { accountId } = caller
  await tables.accounts.lock(accountId)
  const target = await targetOf(tables, accountId, id)
  const room = { account: await accountCountryOf(tables, accountId), at: clock.now() }
  const routing = {
    rules: await readRules(tables, room, target, input.rules),
    overflow: await readOverflow(tables, room, target, input.overflow),
  }
  await refuseLoop(tables, accountId, id, routing)
  if (routing.rules.length + routing.overflow.length === 0) await tables.routingRules.remove(accountId, id)
  else await tables.routingRules.put(accountId, id, routing)
  await auditByUser(tables, clock, caller, 'routing.set', id, routing)
}

/** Account and time of the change: prices depend on both. */
interface Room {
  account: AccountCountry
  at: number
}

const readRules = async (tables: Tables, room: Room, target: Target, rules: readonly RoutingRule[]): Promise<RoutingRule[]> => {
  const read: RoutingRule[] = []
  for (const [index, { scheduleId, when, action, to }] of rules.entries()) {
    await scheduleOf(tables, room.account.accountId, scheduleId)
    read.push({ scheduleId, when, action, ...(await readTo(tables, room, target, { field: `rules/${index}/to`, action, to })) })
  }
  return read
}

const readOverflow = async (tables: Tables, room: Room, target: Target, overflow: readonly Overflow[]): Promise<Overflow[]> => {
  const read: Overflow[] = []
  const kinds = new Set<string>()
  for (const [index, { after, action, to }] of overflow.entries()) {
    const field = `overflow/${index}/after`
    if (target.kind === 'flow' && after !== 'UNREACHABLE')
      throw Problem.field(field, 'is UNREACHABLE for a flow: it neither rings nor is busy')
    const kind = typeof after === 'number' ? 'seconds' : after
    if (kinds.has(kind)) throw Problem.field(field, 'is there twice')
    kinds.add(kind)
    read.push({ after, action, ...(await readTo(tables, room, target, { field: `overflow/${index}/to`, action, to })) })
  }
  return read
}

interface Input {
  field: string
  action: RoutingRule['action']
  to: string | undefined
}

/** Destination of an action in canonical form. */
const readTo = async (tables: Tables, { account, at }: Room, target: Target, { field, action, to }: Input): Promise<{ to?: string }> => {
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
      const destination = await readDestination(tables, account, field, to)
      await requireReachable(tables, account, field, destination, at)
      return { to: destination }
    }
    case 'RING':
    case 'ANNOUNCE':
    case 'REFUSE':
    default:
      if (to !== undefined) throw Problem.field(field, 'is not for this action')
      return {}
  }
}

/** Rejects rules that route a call back to their own target. Loops created by changes elsewhere end after a few hops. */
const refuseLoop = async (tables: Tables, accountId: string, target: string, routing: RoutingRules): Promise<void> => {
  const seen = new Set(await Promise.all(destinationsOf(routing).map((to) => placeOf(tables, accountId, to))))
  for (const place of seen) {
    if (place === target) throw new Problem('routing_loop')
    for (const to of await reachedFrom(tables, accountId, place)) seen.add(await placeOf(tables, accountId, to))
  }
}

const destinationsOf = ({ rules, overflow }: RoutingRules): string[] =>
  [...rules, ...overflow].flatMap(({ action, to }) => ((action === 'FORWARD' || action === 'FLOW') && to !== undefined ? [to] : []))

/** A number of the account stands for itself, because it may have rules. */
const placeOf = async (tables: Tables, accountId: string, to: string): Promise<string> =>
  to.startsWith('+') ? ((await tables.numbers.findByE164(accountId, to))?.id ?? to) : to

/** Places inside the account that calls may reach from here. A flow that takes a call by a rule does not apply its own rules. */
const reachedFrom = async (tables: Tables, accountId: string, place: string): Promise<string[]> => {
  const [rules, number, forwardings] = await Promise.all([
    tables.routingRules.find(accountId, place),
    tables.numbers.find(accountId, place),
    place.startsWith('p') ? tables.phonelines.listForwardings(accountId, place) : [],
  ])
  const forwarded = forwardings.filter(({ active }) => active).map(({ destination }) => destination)
  const ruled = rules ? destinationsOf(rules).filter((to) => isPlace(to)) : []
  return [...ruled, ...forwarded, ...(number?.endpointId === undefined ? [] : [number.endpointId])]
}

const isPlace = (to: string): boolean => to.startsWith('+') || /^[a-y]\d+$/.test(to)
