import type { Session } from '@offhook/contract/assistant/session.ts'
import type { FlowCall } from '#core/kernel/ports/assistant/flow-runtime.ts'
import type { Flow } from '#core/kernel/ports/store/assistant/flows.ts'
import type { Leg } from '#core/kernel/ports/telephony.ts'
import type { SessionTimeline } from './endpoint/session-timeline.ts'
import type { SessionState } from './state/session-state.ts'

/** What a session is about. */
export interface SessionContext {
  call: FlowCall
  leg: Leg
  flow: Flow
  session: Session
  timeline: SessionTimeline
}

/** A session in the process that had it before. */
export interface SessionBefore {
  startedAt: number
  /** When that process was alive for the last time. */
  aliveAt: number
  /** Undefined when nothing was noted. */
  state: SessionState | undefined
}
