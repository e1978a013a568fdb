import { Problem } from '@offhook/contract/problem.ts'
import type { Call } from '#core/telephone/call/call.ts'
import { Meter } from '#core/telephone/call/money/meter.ts'
import { Prepaid } from '#core/telephone/call/money/prepaid.ts'
import { paidSeconds, release } from '#core/money/reservations.ts'
import type { CallOrder } from '#core/kernel/ports/orders.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { CallerIdentity } from '#core/kernel/ports/telephony.ts'
import type { RoutingContext } from '../search/routing-context.ts'
import type { Destination } from '../inbound/destination.ts'
import { follow } from '../answer/follow.ts'
import { guideOutbound, type OutboundCall } from '../webhook-control/guided-outbound.ts'
import { planDestination } from '../plan/plan-destination.ts'
import type { Outcome, Phone, Plan, DiversionHistory } from '../plan/plan.ts'
import type { Search } from '../search/search.ts'
import { requireCarriers } from '../plan/trunk-choice.ts'

/** An order that can be carried out. */
export interface PreparedCall {
  /** How the caller is seen. */
  from: CallerIdentity
  /** Who is called. */
  to: string
  carry: (call: Call) => Promise<void>
}

/** What was reserved for an order. Undefined when the order is known: this or another process carries it out or has done so. */
export const claimOrder = async (
  context: RoutingContext,
  { accountId, sessionId }: CallOrder,
  claimant: string,
): Promise<Prepaid | undefined> => {
  const claim = async ({ balances }: Tables) => ({
    claimed: await balances.claim(accountId, sessionId, claimant),
    reservation: await balances.findReservation(accountId, sessionId),
  })
  const { claimed, reservation } = await context.tasks.track(context.store.write(claim))
  if (!reservation || reservation.state === 'RELEASED') throw new Problem('conflict', 'The money for this call is no longer reserved.')
  if (!claimed) return undefined
  const held = { accountId, sessionId, paid: paidSeconds(reservation), ordered: true } as const
  return new Prepaid(context, held, (error) => context.onFailure(error, sessionId))
}

/**
 * Nothing came of an order: unless another process has claimed it, its money is free again, and the same order can be repeated.
 * Also when it is unknown whether the claim itself was written.
 */
export const returnCredit = async (context: RoutingContext, { accountId, sessionId }: CallOrder, claimant: string): Promise<void> => {
  const giving = context.store.write(async (tables) => {
    if (await tables.balances.claim(accountId, sessionId, claimant)) await release(tables, accountId, sessionId)
  })
  // What cannot be given back now comes back by itself.
  await context.tasks.track(giving).catch((error: unknown) => context.onFailure(error, sessionId))
}

export type OrderedMeters = Partial<Record<'caller' | 'callee', Meter>>

/** For the legs that the order pays for. */
export const orderedMeters = (money: Prepaid, { paidLegs }: CallOrder): OrderedMeters =>
  Object.fromEntries(paidLegs.map((leg) => [leg, new Meter(money)]))

/** Legs at the account's cost use what was reserved; what other accounts forward is none of the order's business. */
export const paidBy = (phones: readonly Phone[], accountId: string, held: Meter | undefined): Phone[] =>
  phones.map((phone) => (held && phone.kind === 'outside' && phone.payer.id === accountId ? { ...phone, held } : phone))

/** The same for the party that is called first. */
const planPaidBy = (plan: Plan, accountId: string, held: Meter | undefined): Plan => {
  const [first, ...others] = plan.steps
  if (first?.kind !== 'ring' || first.phones.length !== 1) return plan
  return { ...plan, steps: [{ ...first, phones: paidBy(first.phones, accountId, held) }, ...others] }
}

/** A call that we begin was not diverted. */
export const notDiverted: DiversionHistory = { diversions: [], hops: 0 }

/** Looks for the callee. Another callee than ordered has another price: that is not what was reserved. */
export const seekOrdered = async (
  search: Search,
  outbound: OutboundCall,
  { held, seconds = Infinity }: { held: Meter | undefined; seconds?: number },
): Promise<Outcome> => {
  const decision = await guideOutbound(search, outbound)
  if (typeof decision === 'string') return decision
  const { destination, seenAs, instead } = decision
  if (instead !== undefined) held?.stop()
  return search.showing(seenAs, async () => {
    const { account } = outbound
    const { store, tasks } = search.context
    const plan = await tasks.track(planDestination(store.read, destination, account, search.circumstances))
    const paid = instead === undefined ? planPaidBy(plan, account.id, held) : plan
    return follow(search, paid, notDiverted, Math.min(search.until, search.now + seconds * 1000))
  })
}

/** Said before anything rings; a carrier that fails later is the end of the call. */
export const requireCarrier = async (
  { store, telephony }: RoutingContext,
  { destination, phones = [] }: { destination: Destination; phones?: readonly Phone[] },
): Promise<void> => {
  const emergency = destination.kind === 'emergency'
  const goesOut = emergency || destination.kind === 'outside' || (phones.length > 0 && phones.every(({ kind }) => kind === 'outside'))
  if (goesOut) await requireCarriers(store.read, telephony, { emergency })
}
