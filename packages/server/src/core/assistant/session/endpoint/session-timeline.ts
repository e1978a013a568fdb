import type { ActionProblem } from '#core/kernel/ports/store/assistant/deliveries.ts'
import type { Action, ActionType } from '@offhook/contract/assistant/actions.ts'
import type { TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'
import type { OutgoingEvent } from '#core/kernel/ports/assistant/endpoint.ts'
import type { Timeline } from '#core/telephone/timeline/timeline.ts'
import type { RepliedEvent } from './event-queue.ts'
import type { Said, Unclear, Spoken, TurnEnd } from '../conversation/conversation.ts'
import type { TurnTimes } from '../conversation/turn-times.ts'

/** What happens in a session, noted in the timeline of its call. */
export class SessionTimeline {
  readonly #timeline: Pick<Timeline, 'note'>
  #understood = ''

  constructor(timeline: Pick<Timeline, 'note'>) {
    this.#timeline = timeline
  }

  voice(speaking: boolean, at: number, sample: number): void {
    this.#timeline.note({ kind: 'voice', speaking, sample }, at)
  }

  /** A partial transcript, which may still change. */
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

  event({ id: eventId, turn, body }: OutgoingEvent): void {
    this.#timeline.note({ kind: 'event', eventId, type: body.type, turn, body })
  }

  replied({ eventId, turn }: RepliedEvent, actions: readonly Action[], problems: readonly ActionProblem[]): void {
    for (const action of actions) this.#timeline.note({ kind: 'action', eventId, turn: action.turn ?? turn, action: readable(action) })
    for (const problem of problems) this.problem(eventId, problem)
  }

  /** What the endpoint wants to be kept. */
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

  /** The target of a warm transfer is asked. */
  briefing(eventId: string, notified: Pick<TimelineEntryOf<'briefing'>, 'state' | 'by'>): void {
    this.#timeline.note({ kind: 'briefing', eventId, ...notified })
  }

  turn({ turn, ...times }: TurnTimes, end?: TurnEnd): void {
    const rounded = Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, Math.round(ms)]))
    this.#timeline.note({ kind: 'turn', turn, ...rounded, ...(end && { end: readableEnd(end) }) })
  }
}

const hundredths = (value: number): number => Math.round(value * 100) / 100

const readableEnd = ({ rule, silenceMs, leastMs: minMs, mostMs: maxMs, probability, parts }: TurnEnd): NonNullable<TimelineEntryOf<'turn'>['end']> => ({
  rule,
  silenceMs: Math.round(silenceMs),
  leastMs: Math.round(minMs),
  mostMs: Math.round(maxMs),
  ...(probability !== undefined && { probability: hundredths(probability) }),
  ...(parts && { parts: Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, hundredths(value)])) }),
})

/** The timeline is for readers: sound is shown as its length. */
const readable = (action: Action): unknown => {
  if (!('audio' in action) || typeof action.audio !== 'string') return action
  return { ...action, audio: `… ${action.audio.length} characters of Base64` }
}
