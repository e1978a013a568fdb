import type { SavedCall } from '#core/kernel/ports/store/call.ts'
import type { Leg, NotResumed, Resumed, ResumeOptions } from '#core/kernel/ports/telephony.ts'
import type { Call } from '#core/telephone/call/call.ts'
import type { Resumption } from '#core/telephone/call/takeover/call-takeover.ts'
import { readResumable, resumeCall, type ResumableCall } from '#core/telephone/call/takeover/resume-call.ts'
import { phone } from '#core/telephone/call/state/assistant-party.ts'
import { endByLeg, serviceFailure } from '#core/telephone/call/state/end.ts'
import type { RoutingContext } from './search/routing-context.ts'
import { AssistantCall, assist } from './answer/assistant-call.ts'

/** Reasons after which the phone still needs a BYE. */
const canBeNotified: readonly NotResumed[] = ['impossible', 'full']

/** A resumed call and its remaining work. */
interface TakenUp {
  call: Call
  work: () => Promise<void>
}

/** Creates the resumed call from its legs. */
type Begin = (legs: readonly Leg[]) => TakenUp

/** Resumes a call another node had until `aliveAt`: with all its phones, or not at all. */
export const resume = async (
  context: RoutingContext,
  saved: SavedCall,
  aliveAt: number,
  options: ResumeOptions = {},
): Promise<TakenUp | Resumption> => {
  const { dialogs } = saved.snapshot
  const resumable = await context.tasks.track(readResumable(context, saved))
  if (typeof resumable === 'string') return { goesOn: false, why: resumable, dialogs }
  const begin = resumable.course.taker === 'phone' ? talk(context, resumable) : await readAssistant(context, resumable, aliveAt)
  if (!begin) return { goesOn: false, why: 'its assistant is not there any more', dialogs }
  const resumed = await context.telephony.resume(dialogs, options)
  const legs = resumed.flatMap(({ leg }) => leg ?? [])
  return legs.length < dialogs.length ? notAll(resumable, legs, resumed) : begin(legs)
}

const talk =
  (context: RoutingContext, resumable: ResumableCall): Begin =>
  (legs) => ({ call: resumeCall(context, resumable, legs, () => phone), work: () => Promise.resolve() })

const notAll = ({ saved, course }: ResumableCall, legs: readonly Leg[], resumed: readonly Resumed[]): Resumption => {
  const { dialogs } = saved.snapshot
  const reasons = resumed.map((one) => (one.leg ? undefined : one.reason))
  const left = course.parties.find(({ dialog = -1 }) => reasons[dialog] === 'hung_up')
  const end = left ? endByLeg(left.role, { by: 'peer', cause: 'normal' }) : serviceFailure
  for (const leg of legs) void leg.hangUp(end.cause).catch(() => {})
  const why = reasons.filter((reason) => reason !== undefined).join(', ')
  return { goesOn: false, why, end, dialogs: dialogs.filter((_, at) => canBeNotified.some((reason) => reason === reasons[at])) }
}

interface Assisted {
  call: Call
  work: () => Promise<void>
}

/** Resumes a call of an assistant; undefined when its flow no longer exists. A changed flow runs in its current version. */
const readAssistant = async (
  context: RoutingContext,
  resumable: ResumableCall,
  aliveAt: number,
): Promise<((legs: readonly Leg[]) => Assisted) | undefined> => {
  const { assistant: saved, hops } = resumable.course
  if (!saved) return undefined
  const { read } = context.store
  const { id: partyId, accountId, flowId, direction, from, to, variables, correlationId, sessionId, muted } = saved
  const [account, flow] = await context.tasks.track(Promise.all([read.accounts.find(accountId), read.flows.find(accountId, flowId)]))
  if (!account || !flow) return undefined
  return (legs) => {
    const [leg] = legs
    let session: AssistantCall | undefined
    const call = resumeCall(context, resumable, legs, (resumed, [person]) => {
      if (!person) throw new Error('nobody talks with the assistant')
      const diverted = { diversions: [], hops }
      session = new AssistantCall({
        context,
        call: resumed,
        account,
        flow,
        person,
        direction,
        from,
        to,
        variables,
        correlationId,
        sessionId: sessionId ?? resumed.id,
        diverted,
        partyId,
      })
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
