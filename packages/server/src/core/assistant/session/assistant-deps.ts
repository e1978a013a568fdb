import type { Emitter, Conversation, ConversationEvents, ConversationDeps } from './conversation.ts'
import type { Leases } from '#core/kernel/work/leases.ts'
import type { RecordWriter } from '#core/kernel/work/write-with-retry.ts'
import type { Endpoints, FlowCall } from '#core/kernel/ports/assistant.ts'
import type { Tracer } from '#core/kernel/trace/tracer.ts'
import type { LiveTimelines } from '#core/telephone/timeline/live-timelines.ts'
import type { OnResult, SessionTimeline } from './endpoint/session-timeline.ts'
import type { SessionStates, SessionState } from './session-state.ts'
import type { TurnTimes } from './turn-times.ts'
import type { Session } from '@offhook/contract/assistant/session.ts'
import type { Flow } from '#core/kernel/ports/store/assistant.ts'
import type { Leg } from '#core/kernel/ports/telephony.ts'

/** Dependencies shared by all sessions. */
export interface AssistantDeps extends RecordWriter {
  endpoints: Endpoints
  leases: Leases
  /** Undefined while this node certainly owns its sessions; otherwise it settles when it does. */
  silence?: () => Promise<void> | undefined
  timelines: Pick<LiveTimelines, 'openFor'>
  openConversation: (
    on: Pick<ConversationDeps, 'leg' | 'flow' | 'language' | 'wantsInterim' | 'callsOut' | 'media'>,
    events: Emitter<ConversationEvents>,
  ) => Conversation
  /** Stores session states for a takeover; undefined if no other process could take over. */
  states?: Pick<SessionStates, 'changed' | 'forget' | 'flush'> | undefined
  /** Receives the result reported by the endpoint; a later one replaces it. */
  onResult?: OnResult | undefined
  /** Called after an insert into the outbox. */
  wake: () => void
  /** Undefined if traces are disabled. */
  tracer?: Tracer | undefined
  /** For the log only. */
  onTurn?: (callId: string, times: TurnTimes) => void
  /** Notes of the prompt assistant, for metrics. */
  onNote?: (name: string, data: unknown) => void
}

/** Context of a session. */
export interface SessionContext {
  call: FlowCall
  leg: Leg
  flow: Flow
  session: Session
  timeline: SessionTimeline
}

/** A session taken over from another process. */
export interface SessionBefore {
  startedAt: number
  /** Time of that process's last sign of life. */
  aliveAt: number
  /** Undefined if no state was saved. */
  state: SessionState | undefined
}
