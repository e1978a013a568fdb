import { mergeVariables, type Variables } from '@offhook/contract/assistant/variables.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Call } from '#core/telephone/call/call.ts'
import type { Prepaid } from '#core/telephone/call/money/prepaid.ts'
import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import type { CallOrder } from '#core/kernel/ports/calls.ts'
import type { Account } from '#core/kernel/ports/store/account.ts'
import type { Flow } from '#core/kernel/ports/store/assistant.ts'
import { AssistantCall, assist } from '../answer/assistant-call.ts'
import type { RoutingContext } from '../search/routing-context.ts'
import { behindNumber, type Destination } from '../inbound/destination.ts'
import { requireCarrier, notDiverted, orderedMeters, seekOrdered, type PreparedCall, type OrderedMeters } from './orders.ts'
import { ringSeconds } from '../plan/plan.ts'
import { Search } from '../search/search.ts'

/** A call an assistant is about to originate. */
interface FlowOrder {
  order: CallOrder
  account: Account
  flow: Flow
  destination: Destination
  /** E.164 number of the callee. */
  to: string
  /** E.164 number shown to the callee. */
  from: string
  /** Merged from the call's and the number's. */
  variables: Variables
  /** Reservation of the originate request. */
  money: Prepaid
  meters: OrderedMeters
}

/** Throws a Problem when the call cannot even be attempted. */
export const readFlowOrder = async (context: RoutingContext, order: CallOrder, money: Prepaid): Promise<PreparedCall> => {
  const { caller, callee, accountId, callerId } = order
  const { read } = context.store
  if (caller.kind !== 'flow' || callee.kind !== 'number' || callerId === undefined) throw new Problem('line_unavailable')
  const [account, flow] = await Promise.all([read.accounts.find(accountId), read.flows.find(accountId, caller.id)])
  if (!account || !flow) throw new Problem('flow_not_found')
  if (parseNumber(callee.e164, '')?.premium) throw new Problem('destination_blocked')
  const [destination, number] = await Promise.all([behindNumber(read, callee.e164), read.numbers.findByE164(accountId, callerId)])
  await requireCarrier(context, { destination })
  const meters = orderedMeters(money, order)
  const variables = mergeVariables(number?.variables, order.variables)
  const input = { order, account, flow, destination, to: callee.e164, from: callerId, variables, money, meters }
  const from = { number: callerId, name: flow.name, withheld: false }
  return { from, to: input.to, carry: (call) => carryFlowCall(context, call, input) }
}

/** Calls the callee; the assistant joins at the answer. The callee's is the only phone in the call. */
const carryFlowCall = async (context: RoutingContext, call: Call, input: FlowOrder): Promise<void> => {
  const { account, flow, from, to, variables } = input
  const { correlationId } = input.order
  begin(call, input)
  let session: AssistantCall | undefined
  const search = new Search(context, call, {
    waiting: undefined,
    asking: { accountId: account.id },
    seenAs: { inside: { number: from, name: flow.name, withheld: false }, outside: { number: from, name: '', withheld: false } },
    onTaken: (_, person) => {
      if (!person) return
      session = new AssistantCall({
        context,
        call,
        account,
        flow,
        person,
        direction: 'outbound',
        from,
        to,
        variables,
        correlationId,
        diverted: notDiverted,
      })
      call.answered({ kind: 'assistant', assistant: session.party })
    },
  })
  const outbound = { account, userId: input.order.userId, lines: [], destination: input.destination, called: to }
  const outcome = await seekOrdered(search, outbound, { held: input.meters.callee, seconds: ringSeconds })
  if (outcome !== 'taken') return call.finish(search.endOf(outcome))
  const [person] = call.parties
  if (call.end || !person || !session) return
  await assist(context, call, session, { leg: person.leg, flow })
}

const begin = (call: Call, { order, flow, from, to, money }: FlowOrder): void => {
  const { accountId, userId, deviceId, correlationId } = order
  call.expenses.owe(money)
  const connections = deviceId === undefined ? [flow.id] : [flow.id, deviceId]
  const source = { number: from, alias: flow.name }
  call.started({ accountId, userId, source, target: { number: to, alias: '' }, connections, correlationId })
}
