import type { Session, SessionEndReason } from '@offhook/contract/assistant/session.ts'
import { writeOrKeep } from '#core/kernel/work/sure-write.ts'
import type { FlowCall } from '#core/kernel/ports/assistant/flow-runtime.ts'
import type { Flow } from '#core/kernel/ports/store/assistant/flows.ts'
import { StoreUnavailable } from '#core/kernel/ports/store/index.ts'
import type { OpenSession } from '#core/kernel/ports/store/assistant/sessions.ts'
import type { Leg } from '#core/kernel/ports/telephony.ts'
import { LiveSession } from './live-session.ts'
import { SessionTimeline } from './endpoint/session-timeline.ts'
import type { Timeline } from '#core/telephone/timeline/timeline.ts'
import type { AssistantParts } from './assistant-parts.ts'
import { endedSession, writeSession } from './write-end.ts'

/** A session from the answered call to its one and only session_end. */
export const runSession = async (parts: AssistantParts, call: FlowCall, leg: Leg, flow: Flow): Promise<void> => {
  const report = (error: unknown): void => parts.onFailure(error, call.callId)
  const session = sessionOf(call)
  const { id, account_id: accountId } = session
  const timeline = parts.timelines.openFor(flow, accountId, id)
  const live = new LiveSession(parts, { call, leg, flow, session, timeline: new SessionTimeline(timeline) })
  const open = { id, accountId, flowId: flow.id, session, startedAt: parts.clock.now(), owner: parts.leases.owner }
  let written = true
  try {
    written = await opened(parts, open)
    await live.begin()
  } catch (error) {
    report(error)
    call.hangUp('service_failure')
  }
  const over = call.over.then((end): SessionEndReason | 'taken' => (end.taken ? 'taken' : end.reason))
  const reason = await Promise.race([over, live.transferred])
  if (reason === 'taken') return letGo(parts, live, timeline, id)
  const event = await live.end(reason)
  const end = { id, owner: open.owner, flowId: flow.id, event, reason, at: parts.clock.now() }
  const finished = { open, end, written }
  await writeOrKeep(
    parts,
    id,
    (tables) => writeSession(tables, finished),
    () => ({ kind: endedSession, id, payload: finished }),
  )
  parts.wake()
  await live.close()
  timeline.release()
  parts.leases.release(`session ${id}`)
}

/** Another process goes on with it: nothing is said or written about it here. */
const letGo = async ({ leases }: AssistantParts, live: LiveSession, timeline: Timeline, id: string): Promise<void> => {
  await live.abandon()
  timeline.abandon()
  timeline.release()
  leases.release(`session ${id}`)
}

/** False when the database is away or its disk is full: the session runs all the same, and is written as soon as that is possible. */
const opened = async ({ leases, onFailure }: AssistantParts, open: OpenSession): Promise<boolean> => {
  try {
    await leases.hold(`session ${open.id}`, (tables) => tables.sessions.open(open))
    return true
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    onFailure(error, open.id)
    return false
  }
}

const sessionOf = ({ callId, accountId, direction, from, to }: FlowCall): Session => ({
  id: callId,
  account_id: accountId,
  phone_number: digits(to),
  direction,
  from_phone_number: digits(from),
  to_phone_number: digits(to),
})

/** Carriers also send what is not a number, and flows that are called from a browser may have none. */
const number = /^\+?\d+$/

/** Digits only, as the interface wants them. */
const digits = (e164: string | undefined): string => (e164 !== undefined && number.test(e164) ? e164.replace(/^\+/, '') : 'anonymous')
