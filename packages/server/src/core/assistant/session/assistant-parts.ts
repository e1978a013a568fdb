import type { Leases } from '#core/kernel/work/leases.ts'
import type { RecordWriter } from '#core/kernel/work/write-with-retry.ts'
import type { Endpoints } from '#core/kernel/ports/assistant/endpoint.ts'
import type { Tracer } from '#core/kernel/trace/tracer.ts'
import type { LiveTimelines } from '#core/telephone/timeline/live-timelines.ts'
import type { OnResult } from './endpoint/session-notes.ts'
import type { SessionStates } from './state/session-states.ts'
import type { Conversation, ConversationObserver, ConversationDeps } from './conversation/conversation.ts'
import type { TurnTimes } from './conversation/turn-times.ts'

/** What every session uses. */
export interface AssistantDeps extends RecordWriter {
  endpoints: Endpoints
  leases: Leases
  timelines: Pick<LiveTimelines, 'openFor'>
  openConversation: (
    on: Pick<ConversationDeps, 'leg' | 'flow' | 'language' | 'wantsInterim' | 'media'>,
    observer: ConversationObserver,
  ) => Conversation
  /** Where it is noted how to go on with a session; undefined where no other process could. */
  states?: Pick<SessionStates, 'changed' | 'forget' | 'flush'> | undefined
  /** What came of a call, as its endpoint says; told again, the later one counts. */
  onResult?: OnResult | undefined
  /** Something was put into the outbox. */
  wake: () => void
  /** Undefined: no traces are wanted. */
  tracer?: Tracer | undefined
  /** Only for the log. */
  onTurn?: (callId: string, times: TurnTimes) => void
}
