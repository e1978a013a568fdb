import type { Leases } from '../call/leases.ts'
import type { Bookkeeping } from '../call/sure-write.ts'
import type { Endpoints } from '../ports/endpoint.ts'
import type { Flow } from '../ports/store/flows.ts'
import type { Leg } from '../ports/telephony.ts'
import type { LiveTimelines } from '../timeline/live-timelines.ts'
import type { Talk, TalkObserver } from './talk.ts'
import type { TurnTimes } from './turn-times.ts'

/** What every session uses. */
export interface AssistantParts extends Bookkeeping {
  endpoints: Endpoints
  leases: Leases
  timelines: Pick<LiveTimelines, 'openFor'>
  /** Mouth and ears on a leg. `language`: BCP 47. */
  openTalk: (on: { leg: Leg; flow: Flow; language: string }, observer: TalkObserver) => Talk
  /** Something was put into the outbox. */
  wake: () => void
  /** Only for the log. */
  onTurn?: (callId: string, times: TurnTimes) => void
}
