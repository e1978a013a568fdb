import type { ActionProblem } from '#core/kernel/ports/store/session.ts'
import { type Action, type ActionType, mostNotes, type ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'
import type { Concealed, OutgoingEvent } from '#core/kernel/ports/assistant.ts'
import { concealEvent } from '#core/telephone/timeline/concealment.ts'
import type { Timeline } from '#core/telephone/timeline/timeline.ts'
import type { RepliedEvent } from './event-queue.ts'
import type { Said, Unclear, Spoken, TurnEnd } from '../conversation.ts'
import type { TurnTimes } from '../turn-times.ts'
import type { LiveTimelines } from '#core/telephone/timeline/live-timelines.ts'

type NotedTimeline = Pick<Timeline, 'note'> & Partial<Pick<Timeline, 'concealed'>>

/** Writes session events to the call's timeline. */
export class SessionTimeline {
  readonly #timeline: NotedTimeline
  #understood = ''

  constructor(timeline: NotedTimeline) {
    this.#timeline = timeline
  }

  /** Concealment in force now. */
  get concealed(): Concealed | undefined {
    return this.#timeline.concealed
  }

  voice(speaking: boolean, at: number, sample: number): void {
    this.#timeline.note({ kind: 'voice', speaking, sample }, at)
  }

  /** Partial transcript, which may still change. */
  understood(turn: number, text: string): void {
    if (text === '' || text === this.#understood) return
    this.#understood = text
    this.#timeline.note({ kind: 'heard', turn, text, final: false, typed: false })
  }

  said(turn: number, { text, typed, bargedIn, recogniser }: Said): void {
    this.#understood = ''
    this.#timeline.note({
      kind: 'heard',
      turn,
      text,
      final: true,
      typed: typed === true,
      bargedIn,
      ...(recogniser !== undefined && { recogniser }),
    })
  }

  unclear({ durationMs, guess, confidence }: Unclear): void {
    this.#understood = ''
    const text = guess === undefined ? undefined : { text: guess }
    this.#timeline.note({ kind: 'unclear', durationMs: Math.round(durationMs), ...text, ...(confidence !== undefined && { confidence }) })
  }

  filler(turn: number, text: string): void {
    this.#timeline.note({ kind: 'filler', turn, text })
  }

  backchannel(text: string): void {
    this.#understood = ''
    this.#timeline.note({ kind: 'backchannel', text })
  }

  ducked(ducked: boolean): void {
    this.#timeline.note({ kind: 'ducked', ducked })
  }

  pressed(digit: string): void {
    this.#timeline.note({ kind: 'key', digit })
  }

  event({ id: eventId, turn, body, concealed }: OutgoingEvent): void {
    this.#timeline.note({ kind: 'event', eventId, type: body.type, turn, body: concealed ? concealEvent(body, concealed) : body })
  }

  replied({ eventId, turn }: RepliedEvent, actions: readonly Action[], problems: readonly ActionProblem[]): void {
    for (const action of actions) this.#timeline.note({ kind: 'action', eventId, turn: action.turn ?? turn, action: readable(action) })
    for (const problem of problems) this.problem(eventId, problem)
  }

  /** A note from the endpoint. */
  kept({ eventId, turn }: RepliedEvent, name: string, data: unknown): void {
    this.#timeline.note({ kind: 'note', eventId, turn, name, ...(data !== undefined && { data }) })
  }

  problem(eventId: string | undefined, { index, type, message }: ActionProblem): void {
    const which = index < 0 ? type : `${type ?? 'action'} ${index}`
    this.#timeline.note({
      kind: 'problem',
      ...(eventId !== undefined && { eventId }),
      message: which === undefined ? message : `${which}: ${message}`,
    })
  }

  discarded(eventId: string, turn: number, action: ActionType, reason: 'superseded' | 'ended'): void {
    this.#timeline.note({ kind: 'discarded', eventId, turn, action, reason })
  }

  speaks({ eventId, text, ssml, startedAt }: Pick<Spoken, 'eventId' | 'text' | 'ssml' | 'startedAt'>): void {
    const words = text ?? ssml
    this.#timeline.note({ kind: 'speaks', eventId, ...(words !== undefined && { text: words }) }, startedAt)
  }

  spoke({ eventId, heardText, startedAt, durationMs: playedMs, completed, cutBy, protect }: Spoken): void {
    const text = heardText === undefined || heardText === '' ? undefined : { text: heardText }
    const how = { startedAt: Math.round(startedAt), playedMs, completed, ...(cutBy && { cutBy }), ...(protect && { protected: protect }) }
    this.#timeline.note({ kind: 'spoke', eventId, ...text, ...how })
  }

  /** A warm transfer's target is being briefed. */
  briefing(eventId: string, notified: Pick<TimelineEntryOf<'briefing'>, 'state' | 'by'>): void {
    this.#timeline.note({ kind: 'briefing', eventId, ...notified })
  }

  turn({ turn, ...times }: TurnTimes, end?: TurnEnd): void {
    const rounded = Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, Math.round(ms)]))
    this.#timeline.note({ kind: 'turn', turn, ...rounded, ...(end && { end: readableEnd(end) }) })
  }
}

const hundredths = (value: number): number => Math.round(value * 100) / 100

const readableEnd = ({
  rule,
  silenceMs,
  leastMs: minMs,
  mostMs: maxMs,
  probability,
  parts,
}: TurnEnd): NonNullable<TimelineEntryOf<'turn'>['end']> => ({
  rule,
  silenceMs: Math.round(silenceMs),
  leastMs: Math.round(minMs),
  mostMs: Math.round(maxMs),
  ...(probability !== undefined && { probability: hundredths(probability) }),
  ...(parts && { parts: Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, hundredths(value)])) }),
})

/** The timeline is for readers, so audio is shown as its length. */
const readable = (action: Action): unknown => {
  if (!('audio' in action) || typeof action.audio !== 'string') return action
  return { ...action, audio: `… ${action.audio.length} characters of Base64` }
}

type Note = ActionOf<'note' | 'result'>

/** Notes and results are only stored: they are silent and need no reply. */
export const isNote = (action: Action): action is Note => action.type === 'note' || action.type === 'result'

/** Reason for rejecting other actions after the end of the session. */
export const afterTheEnd = 'the session is over: only notes and results are kept'

/** Result of a call as reported by its endpoint. */
export type PublishedResult = Omit<ActionOf<'result'>, 'type' | 'session_id' | 'turn' | 'turn_token'>

export type OnResult = (of: { callId: string; accountId: string; flowId: string }, result: PublishedResult) => void

interface SessionNotesDeps {
  timeline: SessionTimeline
  onNote?: (name: string, data: unknown, turn: number) => void
  onResult: (result: PublishedResult) => void
  problem: (eventId: string, problem: ActionProblem) => void
}

/** Stores an endpoint's notes on arrival, whatever their turn. */
export class SessionNotes {
  readonly #deps: SessionNotesDeps
  #kept = 0

  constructor(deps: SessionNotesDeps) {
    this.#deps = deps
  }

  /** Stores notes and returns the other actions. */
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
    if (action.type === 'note') {
      this.#deps.onNote?.(action.name, action.data, place.turn)
      return timeline.kept(place, action.name, action.data)
    }
    const { type, session_id: _session, turn: _turn, turn_token: _token, ...result } = action
    timeline.kept(place, type, result)
    onResult(result)
  }
}

interface KeepAfterwardsDeps {
  timelines: Pick<LiveTimelines, 'note'>
  onResult: OnResult
}

/** Stores notes and results of an ended session, possibly of another process. `event`: the last one sent to the endpoint. */
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
