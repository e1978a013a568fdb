import type { AssistantParty } from '#core/telephone/call/state/assistant-party.ts'
import type { Call } from '#core/telephone/call/call.ts'
import type { FlowBefore } from '#core/kernel/ports/assistant/flow-runtime.ts'
import type { Flow } from '#core/kernel/ports/store/assistant/flows.ts'
import type { Leg } from '#core/kernel/ports/telephony.ts'
import { AssistantCall } from './assistant-call.ts'
import type { RoutingContext } from '../search/routing-context.ts'
import type { Outcome, Plan, DiversionHistory, Step } from '../plan/plan.ts'
import type { Search } from '../search/search.ts'
import { pickUp } from '../search/pick-up.ts'

/** An assistant has the call until it is done with it. One that does not take it leaves the caller unanswered. */
export const runFlow = async (
  search: Search,
  { place, called }: Plan,
  diverted: DiversionHistory,
  { flowId, draft, pretends }: Omit<Extract<Step, { kind: 'flow' }>, 'kind'>,
): Promise<Outcome> => {
  const { call, waiting, context, seenAs } = search
  const accountId = place?.accountId
  if (accountId === undefined || !waiting) return 'unavailable'
  if (call.assisted) return 'loop'
  const { read } = context.store
  const [account, flow] = await context.tasks.track(Promise.all([read.accounts.find(accountId), read.flows.find(accountId, flowId)]))
  if (!account || !flow) return 'unavailable'
  if (call.end) return 'normal'
  const { number, withheld } = seenAs.outside
  const take = async (assistant: AssistantParty): Promise<void> => {
    search.taken({ kind: 'assistant', assistant })
    call.details.takenBy(accountId, flowId)
    await pickUp(waiting.leg)
  }
  const from = withheld ? undefined : number
  const session = new AssistantCall({
    context,
    call,
    account,
    flow,
    person: waiting,
    direction: 'inbound',
    from,
    to: called,
    diverted,
    pickUp: take,
    ...(draft && { draft }),
    ...(pretends && { pretends }),
  })
  await assist(context, call, session, { leg: waiting.leg, flow })
  return session.state === 'offered' ? 'unavailable' : 'taken'
}

/** The assistant does its work. When it is done the call is over, unless it was transferred. */
export const assist = async (
  context: RoutingContext,
  call: Call,
  session: AssistantCall,
  { leg, flow, before }: { leg: Leg; flow: Flow; before?: FlowBefore },
): Promise<void> => {
  await context.flows.run(session, leg, flow, before)
  if (session.state === 'talking') call.finish({ by: 'assistant', reason: 'assistant_hangup', cause: 'normal' })
}
