import type { Action } from '@offhook/contract/assistant/actions.ts'
import type { OutgoingEvent } from '#core/kernel/ports/assistant/endpoint.ts'
import type { LiveTimelines } from '#core/telephone/timeline/live-timelines.ts'
import { SessionNotes, type OnResult } from './session-notes.ts'
import { SessionTimeline } from './session-timeline.ts'

export interface KeepAfterwardsDeps {
  timelines: Pick<LiveTimelines, 'note'>
  onResult: OnResult
}

/** Notes and results of a session that is over, perhaps in another process. `event`: the last one that the endpoint was told. */
export const keepAfterwards =
  ({ timelines, onResult }: KeepAfterwardsDeps) =>
  (
    { id: flowId }: { id: string },
    { id: eventId, accountId, sessionId: callId, turn }: OutgoingEvent,
    actions: readonly Action[],
  ): void => {
    const timeline = new SessionTimeline({ note: (event) => timelines.note(accountId, callId, event) })
    const notes = new SessionNotes({
      timeline,
      onResult: (result) => onResult({ callId, accountId, flowId }, result),
      problem: (about, problem) => timeline.problem(about, problem),
    })
    notes.take(actions, { eventId, turn })
  }
