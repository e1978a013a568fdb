import { languageOf } from '../call/say-goodbye.ts'
import type { FlowCall } from '../ports/flow-runtime.ts'
import { pickUp } from './connect.ts'
import type { Outcome, Plan } from './plan.ts'
import type { Search } from './search.ts'

/** An assistant has the call until it is done with it. One that does not take it leaves the caller unanswered. */
export const runFlow = async (search: Search, { place, called }: Plan, flowId: string): Promise<Outcome> => {
  const { call, waiting, board, seenAs } = search
  const accountId = place?.accountId
  const flow = accountId === undefined ? undefined : await board.store.read.flows.find(accountId, flowId)
  if (accountId === undefined || !flow) return 'unavailable'
  const session: FlowCall = {
    callId: call.id,
    accountId,
    direction: 'inbound',
    from: seenAs.outside.withheld ? undefined : seenAs.outside.number,
    to: called,
    language: await languageOf(call, accountId),
    answer: async () => {
      if (call.end || taken) return
      taken = true
      search.taken('assistant')
      call.story.takenBy(accountId, flowId)
      await pickUp(waiting.leg)
    },
  }
  let taken = false
  if (call.end) return 'normal'
  await board.flows.run(session, waiting.leg, flow)
  if (!taken) return 'unavailable'
  call.finish({ by: 'assistant', reason: 'assistant_hangup', cause: 'normal' })
  return 'taken'
}
