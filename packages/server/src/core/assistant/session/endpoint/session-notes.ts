import { mostNotes, type Action, type ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { ActionProblem } from '#core/kernel/ports/store/assistant/deliveries.ts'
import type { RepliedEvent } from './event-queue.ts'
import type { SessionTimeline } from './session-timeline.ts'

type Note = ActionOf<'note' | 'result'>

/** Nothing of it is heard, and nobody waits for it: it is only kept. */
export const isNote = (action: Action): action is Note => action.type === 'note' || action.type === 'result'

/** Why something else is not done that an endpoint wants when the session is over. */
export const afterTheEnd = 'the session is over: only notes and results are kept'

/** What came of a call, as its endpoint says. */
export type PublishedResult = Omit<ActionOf<'result'>, 'type' | 'session_id' | 'turn' | 'turn_token'>

export type OnResult = (of: { callId: string; accountId: string; flowId: string }, result: PublishedResult) => void

export interface SessionNotesDeps {
  timeline: SessionTimeline
  onResult: (result: PublishedResult) => void
  problem: (eventId: string, problem: ActionProblem) => void
}

/** What an endpoint wants to be kept of a call: as it comes, whatever turn it belongs to. */
export class SessionNotes {
  readonly #deps: SessionNotesDeps
  #kept = 0

  constructor(deps: SessionNotesDeps) {
    this.#deps = deps
  }

  /** Keeps them, and gives what is to be done. */
  take(actions: readonly Action[], replied: RepliedEvent): Action[] {
    for (const action of actions) if (isNote(action)) this.#keep(action, replied)
    return actions.filter((action) => !isNote(action))
  }

  #keep(action: Note, { eventId, turn }: RepliedEvent): void {
    const { timeline, onResult, problem } = this.#deps
    this.#kept += 1
    if (this.#kept > mostNotes) {
      const message = `only ${mostNotes} notes and results of a call are kept`
      return this.#kept === mostNotes + 1 ? problem(eventId, { index: -1, type: action.type, message }) : undefined
    }
    const place = { eventId, turn: action.turn ?? turn }
    if (action.type === 'note') return timeline.kept(place, action.name, action.data)
    const { type, session_id: _session, turn: _turn, turn_token: _token, ...result } = action
    timeline.kept(place, type, result)
    onResult(result)
  }
}
