import type { RoutingRules } from '@offhook/contract/v1/routing.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** A call must not come back to where these rules send it away from. What still does, by changes made elsewhere, ends after a few hops. */
export const refuseLoop = async (tables: Tables, accountId: string, target: string, routing: RoutingRules): Promise<void> => {
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

/** Where calls may go on to, inside the account. A flow that takes a call by a rule is not asked for its own rules. */
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
