import type { Account } from '#core/kernel/ports/store/account.ts'
import type { IncomingCall } from '#core/kernel/ports/telephony.ts'
import type { Call } from '#core/telephone/call/call.ts'
import type { Destination } from '../inbound/destination.ts'
import type { Request } from '../inbound/request.ts'
import { Search } from '../search/search.ts'
import type { RoutingContext } from '../search/routing-context.ts'
import { guideOutbound } from '../webhook-control/guided-inbound.ts'
import { planDestination } from '../plan/plan-place.ts'
import { maxHops, type DiversionHistory, type Outcome } from '../plan/plan.ts'
import { follow } from './follow.ts'

/** Finds the party a caller wants to reach. Resolves when the call was answered, or ended because it was not. */
export const connectCaller = async (
  context: RoutingContext,
  call: Call,
  request: Request,
  { diversions, hops }: IncomingCall,
): Promise<void> => {
  begin(call, request)
  const { caller, seenAs, own } = request
  const search = new Search(context, call, {
    waiting: caller,
    asking: own?.station,
    seenAs,
    onTaken: (callHandler) => call.answered(callHandler),
  })
  const outcome = await find(search, request, { diversions, hops })
  if (outcome === 'taken') return
  call.finish(search.endOf(outcome))
}

const begin = (call: Call, { own, seenAs, called }: Request): void => {
  if (!own) return call.started()
  const { number, name } = seenAs.inside
  const { accountId, deviceId, userId } = own.station
  const source = { number: number ?? deviceId, alias: name }
  call.started({ accountId, userId, source, target: { number: called, alias: '' }, connections: [...own.lines, deviceId] })
}

const find = async (search: Search, { destination, called, own }: Request, diverted: DiversionHistory): Promise<Outcome> => {
  if (typeof destination === 'string') return destination
  if (diverted.hops > maxHops && destination.kind !== 'emergency') return 'loop'
  if (!own) return seek(search, destination, { diverted })
  const { account, station, lines } = own
  const decision = await guideOutbound(search, { account, userId: station.userId, lines, destination, called })
  if (typeof decision === 'string') return decision
  return search.showing(decision.seenAs, () => seek(search, decision.destination, { payer: account, diverted }))
}

const seek = async (
  search: Search,
  destination: Destination,
  { payer, diverted }: { payer?: Account; diverted: DiversionHistory },
): Promise<Outcome> => {
  const { store, tasks } = search.context
  const plan = await tasks.track(planDestination(store.read, destination, payer, search.circumstances))
  return follow(search, plan, diverted, search.until)
}
