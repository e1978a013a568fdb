import { Problem } from '@offhook/contract/problem.ts'
import type { Call } from '#core/telephone/call/call.ts'
import { Meter } from '#core/telephone/call/money/meter.ts'
import { Prepaid } from '#core/telephone/call/money/prepaid.ts'
import { fundsOf, paidSeconds, release } from '#core/money/reservations.ts'
import type { CallOrder } from '#core/kernel/ports/calls.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { CallerIdentity } from '#core/kernel/ports/telephony.ts'
import type { RoutingContext } from '../search/routing-context.ts'
import type { Destination } from '../inbound/destination.ts'
import { follow } from '../answer/follow.ts'
import { guideOutbound, type OutboundCall } from '../webhook-control/guided-inbound.ts'
import { planDestination } from '../plan/plan-place.ts'
import { type Outcome, type Phone, type Plan, type DiversionHistory, requireCarriers } from '../plan/plan.ts'
import type { Search } from '../search/search.ts'

/** A validated originate request. */
export interface PreparedCall {
  /** Caller ID. */
  from: CallerIdentity
  /** Called number. */
  to: string
  carry: (call: Call) => Promise<void>
}

/** Reservation of an originate request. Undefined when this or another node already carries it out or has done so. */
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
  const held = { accountId, sessionId, paid: paidSeconds(reservation), funds: fundsOf(reservation), ordered: true } as const
  return new Prepaid(context, held, (error) => context.onFailure(error, sessionId))
}

/**
 * Releases the reservation of a failed request unless another node has claimed it, so that the request can be repeated.
 * Also when it is unknown whether the claim itself was written.
 */
export const returnCredit = async (context: RoutingContext, { accountId, sessionId }: CallOrder, claimant: string): Promise<void> => {
  const giving = context.store.write(async (tables) => {
    if (await tables.balances.claim(accountId, sessionId, claimant)) await release(tables, accountId, sessionId)
  })
  // A reservation that cannot be released now expires.
  await context.tasks.track(giving).catch((error: unknown) => context.onFailure(error, sessionId))
}

export type OrderedMeters = Partial<Record<'caller' | 'callee', Meter>>

/** Meters for the legs the request pays for. */
export const orderedMeters = (money: Prepaid, { paidLegs }: CallOrder): OrderedMeters =>
  Object.fromEntries(paidLegs.map((leg) => [leg, new Meter(money)]))

/** Legs at the account's cost use its reservation; forwardings of other accounts do not. */
export const paidBy = (phones: readonly Phone[], accountId: string, held: Meter | undefined): Phone[] =>
  phones.map((phone) => (held && phone.kind === 'outside' && phone.payer.id === accountId ? { ...phone, held } : phone))

/** Like `paidBy`, for the party called first. */
const planPaidBy = (plan: Plan, accountId: string, held: Meter | undefined): Plan => {
  const [first, ...others] = plan.steps
  if (first?.kind !== 'ring' || first.phones.length !== 1) return plan
  return { ...plan, steps: [{ ...first, phones: paidBy(first.phones, accountId, held) }, ...others] }
}

/** An originated call has no diversions. */
export const notDiverted: DiversionHistory = { diversions: [], hops: 0 }

/** Calls the callee. A callee replaced by the webhook has another price and does not use the reservation. */
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

/** Checked before any phone rings; a trunk that fails later ends the call. */
export const requireCarrier = async (
  { store, telephony }: RoutingContext,
  { destination, phones = [] }: { destination: Destination; phones?: readonly Phone[] },
): Promise<void> => {
  const emergency = destination.kind === 'emergency'
  const goesOut =
    emergency ||
    destination.kind === 'outside' ||
    destination.kind === 'short' ||
    (phones.length > 0 && phones.every(({ kind }) => kind === 'outside'))
  if (goesOut) await requireCarriers(store.read, telephony, { emergency })
}
