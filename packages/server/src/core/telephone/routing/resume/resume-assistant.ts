import type { Leg } from '#core/kernel/ports/telephony.ts'
import type { Call } from '#core/telephone/call/call.ts'
import { resumeCall, type ResumableCall } from '#core/telephone/call/takeover/resume-call.ts'
import type { RoutingContext } from '../search/routing-context.ts'
import { AssistantCall } from '../answer/assistant-call.ts'
import { assist } from '../answer/run-flow.ts'

interface Assisted {
  call: Call
  work: () => Promise<void>
}

/** How to go on with a call that an assistant has; undefined when its flow is not there any more. A flow that was changed is as it is now. */
export const readAssistant = async (
  context: RoutingContext,
  resumable: ResumableCall,
  aliveAt: number,
): Promise<((legs: readonly Leg[]) => Assisted) | undefined> => {
  const { assistant: saved, hops } = resumable.course
  if (!saved) return undefined
  const { read } = context.store
  const { id: partyId, accountId, flowId, direction, from, to, muted } = saved
  const [account, flow] = await context.tasks.track(Promise.all([read.accounts.find(accountId), read.flows.find(accountId, flowId)]))
  if (!account || !flow) return undefined
  return (legs) => {
    const [leg] = legs
    let session: AssistantCall | undefined
    const call = resumeCall(context, resumable, legs, (resumed, [person]) => {
      if (!person) throw new Error('nobody talks with the assistant')
      const diverted = { diversions: [], hops }
      session = new AssistantCall({ context, call: resumed, account, flow, person, direction, from, to, diverted, partyId })
      if (muted) session.party.mute(true)
      if (person.held) session.party.wait('hold', true)
      return { kind: 'assistant', assistant: session.party }
    })
    const work = async (): Promise<void> => {
      if (session && leg) await assist(context, call, session, { leg, flow, before: { aliveAt } })
    }
    return { call, work }
  }
}
