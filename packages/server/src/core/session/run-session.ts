import type { Session, SessionEndReason } from '@offhook/contract/assistant/session.ts'
import { writeHoweverLong } from '../call/sure-write.ts'
import type { FlowCall } from '../ports/flow-runtime.ts'
import type { Flow } from '../ports/store/flows.ts'
import type { Leg } from '../ports/telephony.ts'
import { Dialogue } from './dialogue.ts'
import { Diary } from './diary.ts'
import type { AssistantParts } from './parts.ts'
import { writeEnd } from './write-end.ts'

/** The story of a session, from the answered call to its one and only session_end. */
export const runSession = async (parts: AssistantParts, call: FlowCall, leg: Leg, flow: Flow): Promise<void> => {
  const report = (error: unknown): void => parts.onFailure(error, call.callId)
  const session = sessionOf(call)
  const { id, account_id: accountId } = session
  const timeline = parts.timelines.openFor(flow, accountId, id)
  const dialogue = new Dialogue(parts, { call, leg, flow, session, diary: new Diary(timeline) })
  try {
    const open = { id, accountId, flowId: flow.id, session, startedAt: parts.clock.now(), owner: parts.leases.owner }
    await parts.leases.hold(`session ${id}`, (tables) => tables.sessions.open(open))
    await dialogue.begin()
  } catch (error) {
    report(error)
    call.hangUp('service_failure')
  }
  const reason = await Promise.race([call.over.then((end): SessionEndReason => end.reason), dialogue.transferred])
  const event = await dialogue.end(reason)
  const end = { id, flowId: flow.id, event, reason, at: parts.clock.now() }
  await writeHoweverLong(parts, id, (tables) => writeEnd(tables, end))
  parts.wake()
  await dialogue.close()
  timeline.release()
  parts.leases.release(`session ${id}`)
}

const sessionOf = ({ callId, accountId, direction, from, to }: FlowCall): Session => ({
  id: callId,
  account_id: accountId,
  phone_number: digits(to),
  direction,
  from_phone_number: digits(from),
  to_phone_number: digits(to),
})

/** Carriers also send what is no number, and browsers call flows that have none. */
const number = /^\+?\d+$/

/** Digits only, as the interface wants them. */
const digits = (e164: string | undefined): string => (e164 !== undefined && number.test(e164) ? e164.replace(/^\+/, '') : 'anonymous')
