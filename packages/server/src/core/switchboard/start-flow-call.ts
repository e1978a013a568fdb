import { Problem } from '@offhook/contract/problem.ts'
import type { Call } from '../call/call.ts'
import { settleSurely } from '../call/close-books.ts'
import { endBySearch, serviceFailure } from '../call/end.ts'
import { orderedMeter, type Meter } from '../call/meter.ts'
import { parseNumber } from '../numbers/phone-number.ts'
import type { CallOrder } from '../ports/line.ts'
import type { Account } from '../ports/store/accounts.ts'
import type { Flow } from '../ports/store/flows.ts'
import { AssistantCall } from './assistant-call.ts'
import type { Board } from './board.ts'
import { behindNumber, type Destination } from './destination.ts'
import { follow } from './follow.ts'
import { planDestination } from './plan-destination.ts'
import { ringSeconds, type Outcome, type Plan } from './plan.ts'
import { assist } from './run-flow.ts'
import { Search } from './search.ts'
import { trunksInOrder } from './trunk-choice.ts'

const noTrail = { diversions: [], hops: 0 }

/** A call that an assistant is about to make. */
export interface FlowOrder {
  order: CallOrder
  account: Account
  flow: Flow
  destination: Destination
  /** E.164: who is called. */
  to: string
  /** E.164: what they see. */
  from: string
  /** Whose money was reserved when the call was ordered. */
  meter: Meter
}

/** Throws a Problem when the call cannot even be tried. */
export const readFlowOrder = async (board: Board, order: CallOrder): Promise<FlowOrder> => {
  const { caller, callee, accountId, sessionId, callerId } = order
  const { read } = board.store
  if (caller.kind !== 'flow' || callee.kind !== 'number' || callerId === undefined) throw new Problem('line_unavailable')
  const [account, flow] = await Promise.all([read.accounts.find(accountId), read.flows.find(accountId, caller.id)])
  if (!account || !flow) throw new Problem('flow_not_found')
  if (parseNumber(callee.e164, '')?.premium) throw new Problem('destination_blocked')
  const destination = await behindNumber(read, callee.e164)
  if (destination.kind === 'outside' && (await trunksInOrder(read, board.telephony, { emergency: false })).length === 0)
    throw new Problem('line_unavailable', 'No carrier can be reached at the moment.')
  const meter = await orderedMeter(board, { accountId, sessionId }, (error) => board.onFailure(error, sessionId))
  return { order, account, flow, destination, to: callee.e164, from: callerId, meter }
}

/** Calls somebody; the assistant comes when they have answered. The only phone in the call is theirs. */
export const carryFlowCall = async (board: Board, call: Call, wish: FlowOrder): Promise<void> => {
  const { account, flow, from, to, meter } = wish
  begin(call, wish)
  let unused: Meter | undefined = meter
  call.atTheEnd(async () => (unused ? settleSurely(board, call.id, [unused]) : undefined))
  const search = new Search(board, call, {
    waiting: undefined,
    asking: { accountId: account.id },
    seenAs: { inside: { number: from, name: flow.name, withheld: false }, outside: { number: from, name: '', withheld: false } },
    onTaken: (_by, party) => {
      if (party?.meter === meter) unused = undefined
      meter.start()
      call.host = account.id
      call.assisted = true
      call.answered('assistant')
    },
  })
  const outcome = await seek(search, wish)
  if (outcome !== 'taken') return call.finish(search.faulty && outcome === 'failed' ? serviceFailure : endBySearch(outcome))
  const [person] = call.parties
  if (call.end || !person) return
  const session = new AssistantCall({ board, call, account, flow, person, direction: 'outbound', from, to, trail: noTrail })
  await assist(board, call, session, { leg: person.leg, flow })
}

const begin = (call: Call, { order, flow, from, to }: FlowOrder): void => {
  const { accountId, userId, deviceId } = order
  call.nextSession() // the first one is paid for by the order
  const connections = deviceId === undefined ? [flow.id] : [flow.id, deviceId]
  const [source, target] = [
    { number: from, alias: flow.name },
    { number: to, alias: '' },
  ]
  call.story.outgoing({ accountId, userId, source, target, connections })
  call.show(accountId)
  call.tell('started')
}

const seek = async (search: Search, wish: FlowOrder): Promise<Outcome> => {
  const { store, tasks, clock } = search.board
  const plan = await tasks.track(planDestination(store.read, wish.destination, wish.account, search.circumstances))
  return follow(search, paidAhead(plan, wish), noTrail, clock.now() + ringSeconds * 1000)
}

/** Who is called outside is paid for by the order, once. What happens behind a number that is in service here is not its business. */
const paidAhead = (plan: Plan, { destination, account, to, meter }: FlowOrder): Plan => {
  if (destination.kind !== 'outside') return plan
  const phones = [{ kind: 'outside', payer: account, e164: to, held: meter } as const]
  return { ...plan, steps: [{ kind: 'ring', phones, seconds: ringSeconds, ifNone: 'unavailable' }] }
}
