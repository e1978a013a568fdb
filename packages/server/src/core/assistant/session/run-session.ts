import { givenVariables, mergeVariables } from '@offhook/contract/assistant/variables.ts'
import type { Session, SessionEndReason } from '@offhook/contract/assistant/session.ts'
import { chooseAssistant, withAssistant } from '#core/account/assistants/assistant-flow.ts'
import { asSoundFlow } from '#core/account/flows/check-settings.ts'
import type { AssistantChoice, OpenSession } from '#core/kernel/ports/store/session.ts'
import { writeOrJournal } from '#core/kernel/work/write-with-retry.ts'
import type { FlowBefore, FlowCall, FlowRuntime } from '#core/kernel/ports/assistant.ts'
import type { Flow } from '#core/kernel/ports/store/assistant.ts'
import { StoreUnavailable } from '#core/kernel/ports/store/index.ts'
import type { Leg } from '#core/kernel/ports/telephony.ts'
import { LiveSession } from './live-session.ts'
import type { SessionContext, AssistantDeps } from './assistant-deps.ts'
import { SessionTimeline } from './endpoint/session-timeline.ts'
import type { Timeline } from '#core/telephone/timeline/timeline.ts'
import { readState } from './session-state.ts'
import { endedSession, openSession, writeSession } from './write-end.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { atMost } from '#core/kernel/work/waiting.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { askConsent } from './briefing.ts'

/** Runs a session from the answered call to its only session_end. */
const runSession = async (deps: AssistantDeps, call: FlowCall, leg: Leg, flow: Flow): Promise<void> => {
  const session = sessionOf(call, flow)
  const { id, account_id: accountId } = session
  const assistant = await assistantFor(deps, call, flow)
  const begun = { id, accountId, flowId: flow.id, session, startedAt: deps.clock.now(), owner: deps.leases.owner }
  const open = { ...begun, ...(assistant !== undefined && { assistant }) }
  return conduct(deps, { call, leg, flow, session }, open, async (live) => {
    const written = await opened(deps, open)
    await live.begin()
    return written
  })
}

/** Chooses a version of the flow's own assistant, if any. None while the database is unavailable. */
const assistantFor = async (deps: AssistantDeps, call: FlowCall, flow: Flow): Promise<AssistantChoice | undefined> => {
  const { accountId, callId, direction, from, to, draft = false } = call
  if (flow.settings.endpoint !== 'assistant' && !draft) return undefined
  const caller = direction === 'inbound' ? from : to
  try {
    return await deps.tasks.track(chooseAssistant(deps.store.read, flow, { accountId, callId, caller, draft }))
  } catch (error) {
    deps.onFailure(error, callId)
    return 'none'
  }
}

/** Resumes another process's session. Starts a new one if that process had not opened it. */
const resumeSession = async (deps: AssistantDeps, call: FlowCall, leg: Leg, flow: Flow, { aliveAt }: FlowBefore): Promise<void> => {
  const { sessions } = deps.store.read
  const [open, kept] = await deps.tasks.track(Promise.all([sessions.findOpen(call.sessionId), sessions.stateOf(call.sessionId)]))
  if (!open) return runSession(deps, call, leg, flow)
  const { id, session, startedAt } = open
  await conduct(deps, { call, leg, flow, session }, { ...open, owner: deps.leases.owner }, async (live) => {
    await deps.leases.hold(`session ${id}`, () => Promise.resolve())
    live.resume({ startedAt, aliveAt, state: readState(kept) })
    return true
  })
}

/** `begin`: returns whether the session is in the store. */
const conduct = async (
  deps: AssistantDeps,
  on: Omit<SessionContext, 'timeline'>,
  open: OpenSession,
  begin: (live: LiveSession) => Promise<boolean>,
): Promise<void> => {
  const { call } = on
  const { id, accountId, assistant } = open
  const flow = asSoundFlow(withAssistant(on.flow, accountId, assistant))
  const timeline = deps.timelines.openFor(flow, accountId, call.callId)
  const live = new LiveSession(deps, { ...on, flow, timeline: new SessionTimeline(timeline) })
  let written = true
  try {
    written = await begin(live)
  } catch (error) {
    deps.onFailure(error, call.callId)
    call.hangUp('service_failure')
  }
  const over = call.over.then((end): SessionEndReason | 'taken' => (end.taken ? 'taken' : end.reason))
  const reason = await Promise.race([over, live.transferred])
  if (reason === 'taken') return release(deps, live, timeline, id)
  const event = await live.end(reason)
  const at = deps.clock.now()
  const { owner, startedAt } = open
  const counted = live.counted({ startedAt, at, reason, turns: event?.turn ?? 0 })
  const end = {
    id,
    owner,
    flowId: flow.id,
    event,
    reason,
    at,
    assistant,
    result: { accountId, startedAt, counted },
    disclosure: live.disclosed(reason),
  }
  const finished = { open: { ...open, session: live.session }, end, written }
  await writeOrJournal(
    deps,
    id,
    (tables) => writeSession(tables, finished),
    () => ({ kind: endedSession, id, payload: finished }),
  )
  deps.wake()
  await live.close()
  deps.states?.forget(id)
  timeline.release()
  deps.leases.release(`session ${id}`)
}

/** Another process takes over: this one sends and writes no more. */
const release = async ({ leases, states }: AssistantDeps, live: LiveSession, timeline: Timeline, id: string): Promise<void> => {
  states?.forget(id)
  await live.abandon()
  timeline.abandon()
  timeline.release()
  leases.release(`session ${id}`)
}

/** Returns false if the database is unavailable or its disk is full: the session runs anyway and is written as soon as possible. */
const opened = async ({ leases, onFailure }: AssistantDeps, open: OpenSession): Promise<boolean> => {
  try {
    await leases.hold(`session ${open.id}`, (tables) => openSession(tables, open))
    return true
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    onFailure(error, open.id)
    return false
  }
}

const sessionOf = (
  { callId, sessionId, accountId, direction, from, to, variables, correlationId }: FlowCall,
  { settings }: Flow,
): Session => ({
  id: sessionId,
  ...(sessionId !== callId && { call_id: callId }),
  account_id: accountId,
  phone_number: digits(to),
  direction,
  from_phone_number: digits(from),
  to_phone_number: digits(to),
  ...givenVariables(mergeVariables(settings.variables, variables)),
  ...(correlationId !== undefined && { correlation_id: correlationId }),
})

/** Carriers also send values that are not numbers, and flows called from a browser may have none. */
const number = /^\+?\d+$/

/** Digits only, as the interface requires. */
const digits = (e164: string | undefined): string => (e164 !== undefined && number.test(e164) ? e164.replace(/^\+/, '') : 'anonymous')

/** Runs assistants on calls: their endpoints decide what is said. */
export const assistant = (deps: AssistantDeps): FlowRuntime => ({
  async run(call, leg, flow, before) {
    if (before) return resumeSession(deps, call, leg, flow, before)
    if (!(await stillRings(deps.clock, call, leg, flow))) return
    await call.answer()
    if (flow.settings.recording) await record(deps, call, leg, flow)
    await runSession(deps, call, leg, flow)
  },
})

/** Speaks only after the recording notice or the caller's decision; does not wait if the caller need not know. */
const record = async (deps: AssistantDeps, call: FlowCall, leg: Leg, flow: Flow): Promise<void> => {
  const report = (error: unknown): void => {
    if (!(error instanceof Problem && error.code === 'recording_declined')) deps.onFailure(error, call.callId)
  }
  const rule = await call.recordingRule().catch(report)
  const recording = call.record(() => askConsent(deps, call, leg, flow)).catch(report)
  if (rule !== 'none') await recording
}

/** Rings for the flow's configured time. Returns false if the caller hung up. */
const stillRings = async (clock: Clock, call: FlowCall, leg: Leg, { settings }: Flow): Promise<boolean> => {
  const isRinging = call.direction === 'inbound' && !leg.answered
  const seconds = isRinging ? (settings.answerAfterSeconds ?? 0) : 0
  if (seconds === 0) return true
  leg.ring()
  const left = call.over.then(() => false)
  return atMost(clock, seconds * 1000, left, true)
}
