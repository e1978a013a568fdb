import type { ActionProblem } from '#core/kernel/ports/store/assistant/deliveries.ts'
import type { Action, ActionType } from '@offhook/contract/assistant/actions.ts'
import { basicEvents, mediaEvents, webSocketEvents, type AssistantEvent, type EventType } from '@offhook/contract/assistant/events.ts'
import type { Session, SessionEndReason } from '@offhook/contract/assistant/session.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import {
  EndpointUnavailable,
  type EndpointPiece,
  type EndpointReply,
  type EndpointChannel,
  type Endpoints,
  type NamedSession,
  type OutgoingEvent,
} from '#core/kernel/ports/assistant/endpoint.ts'
import type { Flow } from '#core/kernel/ports/store/assistant/flows.ts'
import { mediaOf } from '#core/account/flows/flow-media.ts'
import { AwaitedAnswer } from './awaited-answer.ts'
import { isNote, SessionNotes, type PublishedResult } from './session-notes.ts'
import type { SessionTimeline } from './session-timeline.ts'
import { EventQueue, type RepliedEvent, type QueuedEvent } from './event-queue.ts'

interface Discarded {
  eventId: string
  turn?: number
}

export interface SessionEndpointObserver {
  /** Actions to perform, and which event they reply to. */
  asks(actions: readonly Action[], replied: RepliedEvent): void
  /** Sound of the endpoint. */
  sounds(piece: EndpointPiece): void
  /** What came of the call. */
  onEvent(result: PublishedResult): void
  /** The caller hears nothing until an event that is told now was answered … */
  awaits(): void
  /** … and this is the answer, or there will be none. */
  settled(): void
  /** A webhook has answered a preview, perhaps with nothing; or could not be reached. */
  previewReplied(token: string, actions: readonly Action[], replied: RepliedEvent): void
  /** A turn of the caller is being sent … */
  turnSent(): void
  /** … and the endpoint has replied … */
  turnReplied(): void
  /** … or could not be reached. */
  turnFailed(): void
  /** It could not be told that a transfer was not taken. */
  transferUntold(): void
  /** The endpoint cannot be reached any more. */
  lost(): void
  /** Only for the log. */
  failure(error: unknown): void
  /** Another process that goes on needs to know something else than before. */
  changed(): void
}

/** Where the events of a session are. */
export interface SavedEndpoint {
  sequence: number
  turn: number
  /** The id of the event that was sent last. */
  latest: string
  /** Sent or about to be sent, and not known to have arrived. */
  open: readonly OutgoingEvent[]
}

/** After these the caller waits for an answer. */
const isAwaited = ({ type }: AssistantEvent): boolean =>
  ['session_start', 'user_speak', 'user_speech_unclear', 'transfer_failed'].includes(type)

const isTransient = ({ type }: AssistantEvent): boolean => (webSocketEvents as readonly EventType[]).includes(type)

/** More need not be sent again. */
const maxOpen = 16
/** More events are not sent between two times that it is noted where they are. */
const maxUnrecorded = 100

export interface SessionEndpointDeps {
  clock: Clock
  endpoints: Endpoints
  flow: Flow
  session: Session
  timeline: SessionTimeline
  /** Of the one who ordered the call. */
  trace: NamedSession['trace']
  observer: SessionEndpointObserver
}

/** The endpoint as one session sees it: takes events in order, gives actions with the turn that they belong to. */
export class SessionEndpoint {
  readonly #flow: Flow
  readonly #session: Session
  readonly #timeline: SessionTimeline
  readonly #observer: SessionEndpointObserver
  readonly #channel: EndpointChannel
  readonly #queue: EventQueue
  #sending: Promise<void> | undefined
  /** The turn of every event that was sent. */
  readonly #told = new Map<string, number>()
  /** The turn whose answer was there before it was over. */
  #answeredAhead: number | undefined
  /** Problems from before the first event, noted with it. */
  readonly #early: ActionProblem[] = []
  readonly #awaited: AwaitedAnswer
  readonly #notes: SessionNotes

  constructor({ clock, endpoints, flow, session, timeline, trace, observer }: SessionEndpointDeps) {
    this.#flow = flow
    this.#session = session
    this.#timeline = timeline
    this.#observer = observer
    const named: NamedSession = { id: session.id, accountId: session.account_id, ...(trace && { trace }) }
    this.#queue = new EventQueue(clock, named)
    this.#awaited = new AwaitedAnswer(clock, (event, why) => {
      this.#channel.note(event.id, [], why)
      this.#failed(event, new EndpointUnavailable(why), false)
    })
    this.#notes = new SessionNotes({
      timeline,
      onResult: (result) => observer.onEvent(result),
      problem: (eventId, problem) => this.note(eventId, problem),
    })
    this.#channel = endpoints.open(flow, named, {
      acts: (reply) => (reply.refused === undefined ? this.#saidSomething(reply) : this.#saidNonsense(reply, reply.refused)),
      repliedLate: (event, reply) => this.#tooLate(event, reply),
      sounds: (piece) => observer.sounds(piece),
      lost: () => observer.lost(),
    })
  }

  /** What another process needs to go on: where it is, and what may not have arrived. */
  get saved(): SavedEndpoint {
    const { sequence, turn, latest, open } = this.#queue
    const unanswered = this.#awaited.turn
    // Nobody will hold what answers a preview, and interim words are of no use later.
    const lasting = open.filter(({ body }) => body.type !== 'user_speak_preview' && body.type !== 'user_speak_partial')
    const again = unanswered && !open.includes(unanswered) ? [unanswered] : []
    return { sequence, turn, latest, open: [...again, ...lasting].slice(0, maxOpen) }
  }

  /** Goes on where another process was. Events that it sent, but did not come to note, have other numbers than those that follow. */
  resume({ sequence, turn, latest, open }: SavedEndpoint): void {
    this.#queue.resume({ sequence: sequence + maxUnrecorded, turn, open })
    this.#told.set(latest, turn)
    if (open.some(({ body }) => isAwaited(body))) this.#observer.awaits()
    if (open.length > 0) this.#sending ??= this.#sendAll()
  }

  get turn(): number {
    return this.#queue.turn
  }

  /** The turn that an event belongs to. */
  turnOf(eventId: string): number {
    return this.#told.get(eventId) ?? this.turn
  }

  /** The id of the event that was sent last. */
  get latest(): string {
    return this.#queue.latest
  }

  /** The endpoint knows more than the oldest form of the interface. */
  get knowsMore(): boolean {
    return (this.#flow.settings.extendedEvents ?? []).length > 0
  }

  /** Sound goes to it and comes from it. */
  get hasSound(): boolean {
    return mediaOf(this.#flow.settings) !== undefined
  }

  /** What the caller says. */
  hear(samples: Int16Array<ArrayBuffer>): void {
    this.#channel.sendSound(samples)
  }

  /** The flow's settings name this event, or every endpoint knows it. */
  wants(type: EventType): boolean {
    const { settings } = this.#flow
    if ((basicEvents as readonly EventType[]).includes(type)) return true
    if (this.hasSound && (mediaEvents as readonly EventType[]).includes(type)) return true
    if (type === 'machine_detected' && settings.answeringMachineDetection === 'event') return true
    return ((settings.extendedEvents ?? []) as readonly EventType[]).includes(type)
  }

  /** Of what was asked ahead of time the endpoint need not hear any more, unless it was sent: gives whether it was. */
  withdraw(signal: AbortSignal): boolean {
    return !this.#queue.withdraw(signal)
  }

  /** What an event was asked ahead of time for has come true: it belongs to this turn, which may wait behind it. */
  adopt(eventId: string): RepliedEvent {
    const { turn } = this
    this.#told.set(eventId, turn)
    this.#answeredAhead = turn
    this.#queue.amend(turn, (body) => (body.type === 'user_speak' ? { ...body, previewed: true } : body))
    this.#observer.settled()
    return { eventId, turn }
  }

  /**
   * Sends an event if the flow's settings want it, or if it was `asked` for by an action: a strict endpoint may not know the others.
   * `signal`: for what is asked ahead of time; its reply is not waited for any more.
   */
  notify(body: AssistantEvent, asked = false, signal?: AbortSignal): void {
    if (!asked && !this.wants(body.type)) return
    if (this.#told.size === 0 && body.type !== 'session_start') return // there is no session for it yet
    if (isTransient(body) && !this.#channel.duplex) return
    const put = this.#queue.put(body, signal)
    if (put === 'queued' && isAwaited(body) && this.#answeredAhead !== this.turn) this.#observer.awaits()
    if (put === 'queued') this.#sending ??= this.#sendAll()
    if (put === 'full') this.#observer.lost()
  }

  /** The endpoint sends actions when it likes. */
  get duplex(): boolean {
    return this.#channel.duplex
  }

  /** The caller has spoken: replies to earlier turns come too late. */
  nextTurn(): void {
    this.#awaited.impatient()
    this.#queue.nextTurn()
  }

  /** For the delivery log: with the event that it belongs to, else with the newest. */
  note(eventId: string | undefined, problem: ActionProblem): void {
    this.#timeline.problem(eventId, problem)
    this.#log(eventId, problem)
  }

  #log(eventId: string | undefined, problem: ActionProblem): void {
    if (this.#told.size === 0) this.#early.push(problem)
    else this.#channel.note(eventId ?? this.latest, [problem])
  }

  /** An action was not performed, because the caller had spoken again or the session was over. */
  discarded(action: ActionType, { eventId, turn = this.turnOf(eventId) }: Discarded, reason: 'superseded' | 'ended'): void {
    this.#timeline.discarded(eventId, turn, action, reason)
    this.#log(eventId, { index: -1, type: action, message: reason === 'ended' ? 'the session is over' : 'the caller had spoken again' })
    this.notify({ type: 'action_discarded', session: this.#session, action, turn, reason })
  }

  /** Resolves when all events but the end were sent, or cannot be. */
  async finish(): Promise<void> {
    this.#awaited.impatient()
    this.#queue.close()
    await this.#sending
  }

  /** The session_end event, if there was a session_start; events that still wait are dropped. */
  end(reason: SessionEndReason): OutgoingEvent | undefined {
    this.#queue.giveUp()
    if (this.#told.size === 0) return undefined
    const event = this.#queue.number({ type: 'session_end', session: this.#session, reason })
    this.#timeline.event(event)
    return event
  }

  /** Nothing more is sent. */
  abandon(): void {
    this.#awaited.impatient()
    this.#queue.close()
    this.#queue.giveUp()
  }

  close(): Promise<void> {
    return this.#channel.close()
  }

  async #sendAll(): Promise<void> {
    for (let next = this.#queue.next(); next; next = this.#queue.next()) await this.#send(next)
    this.#sending = undefined
  }

  async #send({ event, signal }: QueuedEvent): Promise<void> {
    const { id, turn, body } = event
    this.#timeline.event(event)
    this.#told.set(id, turn)
    if (body.type === 'user_speak') this.#observer.turnSent()
    if (this.#channel.duplex && this.#answeredAhead !== turn) this.#awaited.sent(event)
    this.#observer.changed()
    let reply: EndpointReply
    try {
      reply = await this.#channel.send(event, signal)
    } catch (error) {
      if (error === signal.reason) return this.#queue.letArrive()
      return this.#failed(event, error, signal.aborted)
    }
    this.#replied(event, reply)
  }

  #replied({ id: eventId, turn, body }: OutgoingEvent, reply: EndpointReply): void {
    if (this.#early.length > 0) this.#channel.note(eventId, this.#early.splice(0))
    if (isAwaited(body) && !this.#channel.duplex) this.#observer.settled()
    if (body.type === 'user_speak' && !this.#channel.duplex) this.#observer.turnReplied()
    if (isTransient(body)) return
    if (body.type === 'user_speak_preview') this.#answersPreview(body.turn_token, { eventId, turn }, reply)
    else if (body.type === 'user_speak' && body.previewed && !this.#channel.duplex) this.#discardAll({ eventId, turn }, reply)
    else this.#acts(reply, { eventId, turn })
  }

  #answersPreview(token: string, replied: RepliedEvent, reply: EndpointReply): void {
    const actions = this.#read(reply, replied)
    if (!this.#channel.duplex) this.#observer.previewReplied(token, actions, replied)
  }

  /** Over a WebSocket: sound is an answer, like whatever is to be done. */
  answered(): void {
    this.#observer.settled()
    if (this.#awaited.turn) this.#observer.turnReplied()
    this.#awaited.came()
  }

  /** Over a WebSocket. */
  #saidSomething(reply: EndpointReply): void {
    if (this.#isAnswer(reply)) this.answered()
    this.#acts(reply, { eventId: this.latest, turn: this.turn })
  }

  /** Over a WebSocket. */
  #saidNonsense({ problems }: EndpointReply, why: string): void {
    this.#timeline.replied({ eventId: this.latest, turn: this.turn }, [], problems)
    this.#awaited.cameUnreadable(why)
  }

  /** Notes are none, nor is that it has done with a turn that is over. */
  #isAnswer({ actions }: EndpointReply): boolean {
    const { turn } = this
    return actions.length === 0 || actions.some((action) => !isNote(action) && (action.type !== 'done' || (action.turn ?? turn) >= turn))
  }

  #acts(reply: EndpointReply, replied: RepliedEvent): void {
    this.#observer.asks(this.#read(reply, replied), replied)
    this.#observer.changed()
  }

  #failed({ id: eventId, turn, body }: OutgoingEvent, error: unknown, superseded: boolean): void {
    if (!(error instanceof EndpointUnavailable)) this.#observer.failure(error)
    if (superseded) return
    if (isAwaited(body)) this.#observer.settled()
    if (body.type === 'user_speak_preview') this.#observer.previewReplied(body.turn_token, [], { eventId, turn })
    if (body.type === 'session_start') this.#observer.lost()
    if (body.type === 'user_speak' || body.type === 'user_speech_unclear') this.#observer.turnFailed()
    if (body.type === 'transfer_failed') this.#observer.transferUntold()
  }

  /** The reply stands in the delivery log already. */
  #tooLate({ id, turn }: OutgoingEvent, reply: EndpointReply): void {
    this.#queue.arrived(id)
    this.#discardAll({ eventId: id, turn }, reply)
  }

  /** Gives what is to be done. That it has done with a turn matters only when it comes, unless that turn was asked about ahead of time. */
  #read({ actions, problems }: EndpointReply, replied: RepliedEvent): Action[] {
    const rest = this.#notes.take(actions, replied)
    this.#timeline.replied(replied, rest, problems)
    return rest.filter(({ type, turn_token: token }) => type !== 'done' || token !== undefined)
  }

  #discardAll({ eventId: id, turn }: RepliedEvent, reply: EndpointReply): void {
    for (const { type: action } of this.#read(reply, { eventId: id, turn })) {
      this.#timeline.discarded(id, turn, action, 'superseded')
      this.notify({ type: 'action_discarded', session: this.#session, action, turn, reason: 'superseded' })
    }
  }
}
