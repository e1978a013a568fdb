import type { Action } from '@offhook/contract/assistant/actions.ts'
import type { EndpointPiece } from '#core/kernel/ports/assistant.ts'
import type { RepliedEvent } from './event-queue.ts'
import type { PublishedResult } from './session-timeline.ts'

/** Events of a session's endpoint. */
export interface EndpointEvents {
  /** Actions to perform, and the event they reply to. */
  asked: [actions: readonly Action[], replied: RepliedEvent]
  /** Audio from the endpoint. */
  endpointSound: [piece: EndpointPiece]
  /** Result of the call. */
  result: [result: PublishedResult]
  /** A note for the timeline. */
  noted: [name: string, data: unknown, turn: number]
  /** An event is being sent, and the caller hears silence until its answer. */
  awaiting: []
  /** The awaited answer arrived, or none will. */
  settled: []
  /** A webhook answered a preview, possibly without actions, or could not be reached. */
  previewReplied: [token: string, actions: readonly Action[], replied: RepliedEvent]
  /** A caller turn is being sent. */
  turnSent: []
  /** The endpoint replied to the turn. */
  turnReplied: []
  /** The endpoint could not be reached for the turn. */
  turnFailed: []
  /** A failed transfer could not be reported to the endpoint. */
  transferUntold: []
  /** The endpoint has changed the variables of the call. */
  variablesSet: []
  /** The endpoint is permanently unreachable. */
  endpointLost: []
  /** For the log only. */
  failed: [error: unknown]
  /** The state needed for a takeover has changed. */
  changed: []
}
