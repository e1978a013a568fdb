import { atMost } from '#core/kernel/work/at-most.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { FlowCall, FlowRuntime } from '#core/kernel/ports/assistant/flow-runtime.ts'
import type { Flow } from '#core/kernel/ports/store/assistant/flows.ts'
import type { Leg } from '#core/kernel/ports/telephony.ts'
import type { AssistantDeps } from './assistant-parts.ts'
import { resumeSession, runSession } from './run-session.ts'

/** Runs assistants on calls: their endpoints decide what is said. */
export const assistant = (deps: AssistantDeps): FlowRuntime => ({
  async run(call, leg, flow, before) {
    if (before) return resumeSession(deps, call, leg, flow, before)
    if (!(await stillRings(deps.clock, call, leg, flow))) return
    await call.answer()
    if (flow.settings.recording) call.record().catch((error: unknown) => deps.onFailure(error, call.callId))
    await runSession(deps, call, leg, flow)
  },
})

/** Rings for as long as the flow's settings say. False when the caller hung up meanwhile. */
const stillRings = async (clock: Clock, call: FlowCall, leg: Leg, { settings }: Flow): Promise<boolean> => {
  const seconds = call.direction === 'inbound' ? (settings.answerAfterSeconds ?? 0) : 0
  if (seconds === 0) return true
  leg.ring()
  const left = call.over.then(() => false)
  return atMost(clock, seconds * 1000, left, true)
}
