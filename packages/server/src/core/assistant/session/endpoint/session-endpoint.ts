import type { Emitter } from '../conversation.ts'
import type { ActionProblem } from '#core/kernel/ports/store/session.ts'
import type { Action, ActionOf, ActionType } from '@offhook/contract/assistant/actions.ts'
import { basicEvents, mediaEvents, webSocketEvents, type AssistantEvent, type EventType } from '@offhook/contract/assistant/events.ts'
import type { Session, SessionEndReason } from '@offhook/contract/assistant/session.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import {
  EndpointUnavailable,
  type EndpointReply,
  type EndpointChannel,
  type Endpoints,
  type NamedSession,
  type OutgoingEvent,
} from '#core/kernel/ports/assistant.ts'
import type { Flow } from '#core/kernel/ports/store/assistant.ts'
import { mediaOf } from '#core/account/flows/check-settings.ts'
import { tooManyVariables, withVariables } from '../session-variables.ts'
import type { EndpointEvents } from './endpoint-events.ts'
import { AwaitedAnswer, EventQueue, type RepliedEvent, type QueuedEvent } from './event-queue.ts'
import { isNote, SessionNotes, type SessionTimeline } from './session-timeline.ts'

interface Discarded {
  eventId: string
  turn?: number
}

/** Event state of a session, for a takeover. */
export interface SavedEndpoint {
  sequence: number
  turn: number
  /** Id of the last sent event. */
  latest: string
  /** Sent or queued, but not known to have arrived. */
  open: readonly OutgoingEvent[]
}

/** Events after which the caller waits for an answer. */
const isAwaited = ({ type }: AssistantEvent): boolean =>
  ['session_start', 'user_speak', 'user_speech_unclear', 'transfer_failed'].includes(type)

const isTransient = ({ type }: AssistantEvent): boolean => (webSocketEvents as readonly EventType[]).includes(type)

/** Maximum events to resend. */
const maxOpen = 16
/** Maximum events sent between two saved states. */
const maxUnrecorded = 100

interface SessionEndpointDeps {
  clock: Clock
  endpoints: Endpoints
  /** See AssistantDeps. */
  silence?: (() => Promise<void> | undefined) | undefined
  flow: Flow
  session: Session
  timeline: SessionTimeline
  /** Trace of the call's originator. */
  trace: NamedSession['trace']
  events: Emitter<EndpointEvents>
}

/** The endpoint of one session: takes events in order and returns actions with their turn. */
export class SessionEndpoint {
  readonly #silence: () => Promise<void> | undefined
  readonly #flow: Flow
  #session: Session
  readonly #timeline: SessionTimeline
  readonly #events: Emitter<EndpointEvents>
  readonly #channel: EndpointChannel
  readonly #queue: EventQueue
  #sending: Promise<void> | undefined
  /** Turn of every sent event. */
  readonly #told = new Map<string, number>()
  /** Turn that was answered by its preview. */
  #answeredAhead: number | undefined
  /** Problems from before the first event; logged with it. */
  readonly #early: ActionProblem[] = []
  readonly #awaited: AwaitedAnswer
  readonly #notes: SessionNotes

  constructor({ clock, endpoints, silence = () => undefined, flow, session, timeline, trace, events }: SessionEndpointDeps) {
    this.#silence = silence
    this.#flow = flow
    this.#session = session
    this.#timeline = timeline
    this.#events = events
    const named: NamedSession = { id: session.id, accountId: session.account_id, ...(trace && { trace }) }
    this.#queue = new EventQueue(clock, named)
    this.#awaited = new AwaitedAnswer(clock, (event, why) => {
      this.#channel.note(event.id, [], why)
      this.#failed(event, new EndpointUnavailable(why), false)
    })
    this.#notes = new SessionNotes({
      timeline,
      onNote: (name, data, turn) => events.emit('noted', name, data, turn),
      onResult: (result) => events.emit('result', result),
      problem: (eventId, problem) => this.note(eventId, problem),
    })
    this.#channel = endpoints.open(flow, named, {
      acts: (reply) => (reply.refused === undefined ? this.#saidSomething(reply) : this.#saidNonsense(reply, reply.refused)),
      repliedLate: (event, reply) => this.#tooLate(event, reply),
      sounds: (piece) => events.emit('endpointSound', piece),
      lost: () => events.emit('endpointLost'),
    })
  }

  /** State for a takeover: position, and events that may not have arrived. */
  get saved(): SavedEndpoint {
    const { sequence, turn, latest, open } = this.#queue
    const unanswered = this.#awaited.turn
    // Excludes previews, because their answers are not held after a takeover; interim words, which are useless later; and card digits, which are never stored.
    const lasting = open.filter(
      ({ body, concealed }) => !concealed && body.type !== 'user_speak_preview' && body.type !== 'user_speak_partial',
    )
    const again = unanswered && !unanswered.concealed && !open.includes(unanswered) ? [unanswered] : []
    return { sequence, turn, latest, open: [...again, ...lasting].slice(0, maxOpen) }
  }

  /** Resumes after a takeover. Skips numbers that the other process may have sent but not saved. */
  resume({ sequence, turn, latest, open }: SavedEndpoint): void {
    this.#queue.resume({ sequence: sequence + maxUnrecorded, turn, open })
    this.#told.set(latest, turn)
    if (open.some(({ body }) => isAwaited(body))) this.#events.emit('awaiting')
    if (open.length > 0) this.#sending ??= this.#sendAll()
  }

  /** Contains the current variables. */
  get session(): Session {
    return this.#session
  }

  get turn(): number {
    return this.#queue.turn
  }

  /** Turn of an event. */
  turnOf(eventId: string): number {
    return this.#told.get(eventId) ?? this.turn
  }

  /** Id of the last sent event. */
  get latest(): string {
    return this.#queue.latest
  }

  /** The endpoint supports more than the oldest version of the interface. */
  get knowsMore(): boolean {
    return (this.#flow.settings.extendedEvents ?? []).length > 0
  }

  /** True if audio is exchanged with the endpoint. */
  get hasSound(): boolean {
    return mediaOf(this.#flow.settings) !== undefined
  }

  /** Sends caller audio. */
  hear(samples: Int16Array<ArrayBuffer>): void {
    if (!this.#silence()) this.#channel.sendSound(samples)
  }

  /** True if the flow's settings name this event or every endpoint knows it. */
  wants(type: EventType): boolean {
    const { settings } = this.#flow
    if ((basicEvents as readonly EventType[]).includes(type)) return true
    if (this.hasSound && (mediaEvents as readonly EventType[]).includes(type)) return true
    if (type === 'machine_detected' && settings.answeringMachineDetection === 'event') return true
    return ((settings.extendedEvents ?? []) as readonly EventType[]).includes(type)
  }

  /** Withdraws an unsent preview; returns whether it was already sent. */
  withdraw(signal: AbortSignal): boolean {
    return !this.#queue.withdraw(signal)
  }

  /** The previewed turn is confirmed: its event now belongs to this turn, which may still be queued behind it. */
  adopt(eventId: string): RepliedEvent {
    const { turn } = this
    this.#told.set(eventId, turn)
    this.#answeredAhead = turn
    this.#queue.amend((body) => (body.type === 'user_speak' ? { ...body, previewed: true } : body), turn)
    this.#events.emit('settled')
    return { eventId, turn }
  }

  /**
   * Sends an event if the flow's settings want it, or if an action requested it (`asked`): a strict endpoint may not know the others. `signal`:
   * for previews; aborted when the reply is no longer awaited.
   */
  notify(body: AssistantEvent, asked = false, signal?: AbortSignal): void {
    if (!asked && !this.wants(body.type)) return
    if (this.#told.size === 0 && body.type !== 'session_start') return // no session for it yet
    if (isTransient(body) && !this.#channel.duplex) return
    const put = this.#queue.put({ ...body, session: this.#session }, signal, this.#timeline.concealed)
    if (put === 'queued' && isAwaited(body) && this.#answeredAhead !== this.turn) this.#events.emit('awaiting')
    if (put === 'queued') this.#sending ??= this.#sendAll()
    if (put === 'full') this.#events.emit('endpointLost')
  }

  /** True if the endpoint may send actions at any time. */
  get duplex(): boolean {
    return this.#channel.duplex
  }

  /** The caller has spoken: replies to earlier turns are too late. */
  nextTurn(): void {
    this.#awaited.impatient()
    this.#queue.nextTurn()
  }

  /** Records a problem in the delivery log, with its event or else the newest. */
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

  /** Resolves when all events except session_end were sent or have failed. */
  async finish(): Promise<void> {
    this.#awaited.impatient()
    this.#queue.close()
    await this.#sending
  }

  /** Returns the session_end event if there was a session_start; drops queued events. */
  end(reason: SessionEndReason): OutgoingEvent | undefined {
    this.#queue.giveUp()
    if (this.#told.size === 0) return undefined
    const event = this.#queue.number({ type: 'session_end', session: this.#session, reason })
    this.#timeline.event(event)
    return event
  }

  /** Stops sending. */
  abandon(): void {
    this.#awaited.impatient()
    this.#queue.close()
    this.#queue.giveUp()
  }

  close(): Promise<void> {
    return this.#channel.close()
  }

  async #sendAll(): Promise<void> {
    for (;;) {
      const silence = this.#silence()
      if (silence) await silence // if another node owns the session meanwhile, the queue is empty afterwards
      const next = this.#queue.next()
      if (!next) break
      await this.#send(next)
    }
    this.#sending = undefined
  }

  async #send({ event, signal }: QueuedEvent): Promise<void> {
    const { id, turn, body } = event
    this.#timeline.event(event)
    this.#told.set(id, turn)
    if (body.type === 'user_speak') this.#events.emit('turnSent')
    if (this.#channel.duplex && this.#answeredAhead !== turn) this.#awaited.sent(event)
    this.#events.emit('changed')
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
    if (isAwaited(body) && !this.#channel.duplex) this.#events.emit('settled')
    if (body.type === 'user_speak' && !this.#channel.duplex && !reply.unspeakable) this.#events.emit('turnReplied')
    if (isTransient(body)) return
    if (body.type === 'user_speak_preview') this.#answersPreview(body.turn_token, { eventId, turn }, reply)
    else if (body.type === 'user_speak' && body.previewed && !this.#channel.duplex) this.#discardAll({ eventId, turn }, reply)
    else this.#acts(reply, { eventId, turn })
    if (reply.unspeakable && body.type === 'user_speak' && !this.#channel.duplex) this.#saidNothing(eventId, reply.unspeakable)
  }

  /** Webhook: the caller would hear silence. */
  #saidNothing(eventId: string, why: string): void {
    this.#channel.note(eventId, [], why)
    this.#events.emit('turnFailed')
  }

  #answersPreview(token: string, replied: RepliedEvent, reply: EndpointReply): void {
    const actions = this.#read(reply, replied)
    if (!this.#channel.duplex) this.#events.emit('previewReplied', token, actions, replied)
  }

  /** WebSocket: audio counts as an answer, like any action. */
  answered(): void {
    this.#events.emit('settled')
    if (this.#awaited.turn) this.#events.emit('turnReplied')
    this.#awaited.came()
  }

  /** WebSocket. */
  #saidSomething(reply: EndpointReply): void {
    if (reply.unspeakable && this.#awaited.turn) this.#awaited.cameUnreadable(reply.unspeakable)
    else if (this.#isAnswer(reply)) this.answered()
    this.#acts(reply, { eventId: this.latest, turn: this.turn })
  }

  /** WebSocket. */
  #saidNonsense({ problems }: EndpointReply, why: string): void {
    this.#timeline.replied({ eventId: this.latest, turn: this.turn }, [], problems)
    this.#awaited.cameUnreadable(why)
  }

  /** Notes, variables and pauses of the recording do not count, nor does `done` for a past turn. */
  #isAnswer({ actions }: EndpointReply): boolean {
    const { turn } = this
    return (
      actions.length === 0 ||
      actions.some(
        (action) =>
          !isNote(action) &&
          action.type !== 'recording' &&
          action.type !== 'set_variables' &&
          (action.type !== 'done' || (action.turn ?? turn) >= turn),
      )
    )
  }

  #acts(reply: EndpointReply, replied: RepliedEvent): void {
    this.#events.emit('asked', this.#read(reply, replied), replied)
    const discarded = { session: this.#session, action: 'speak', turn: replied.turn, reason: 'unspeakable' } as const
    if (reply.unspeakable) this.notify({ type: 'action_discarded', ...discarded })
    this.#events.emit('changed')
  }

  #failed({ id: eventId, turn, body }: OutgoingEvent, error: unknown, superseded: boolean): void {
    if (!(error instanceof EndpointUnavailable)) this.#events.emit('failed', error)
    if (superseded) return
    if (isAwaited(body)) this.#events.emit('settled')
    if (body.type === 'user_speak_preview') this.#events.emit('previewReplied', body.turn_token, [], { eventId, turn })
    if (body.type === 'session_start') this.#events.emit('endpointLost')
    if (body.type === 'user_speak' || body.type === 'user_speech_unclear') this.#events.emit('turnFailed')
    if (body.type === 'transfer_failed') this.#events.emit('transferUntold')
  }

  /** The reply is already in the delivery log. */
  #tooLate({ id, turn }: OutgoingEvent, reply: EndpointReply): void {
    this.#queue.arrived(id)
    this.#discardAll({ eventId: id, turn }, reply)
  }

  /** Returns the actions to perform. `done` is handled on arrival, unless it belongs to a preview. */
  #read({ actions, problems }: EndpointReply, replied: RepliedEvent): Action[] {
    const rest = this.#notes.take(actions, replied)
    this.#timeline.replied(replied, rest, problems)
    for (const action of rest) if (action.type === 'set_variables') this.#setVariables(action, replied)
    return rest.filter(({ type, turn_token: token }) => type !== 'set_variables' && (type !== 'done' || token !== undefined))
  }

  /** Set on arrival, whatever the turn: what an endpoint has found out stays true. */
  #setVariables({ variables }: ActionOf<'set_variables'>, { eventId }: RepliedEvent): void {
    const session = withVariables(this.#session, variables)
    if (!session) return this.note(eventId, { index: -1, type: 'set_variables', message: tooManyVariables })
    this.#session = session
    this.#queue.amend((body) => ({ ...body, session }))
    this.#events.emit('variablesSet')
  }

  #discardAll({ eventId: id, turn }: RepliedEvent, reply: EndpointReply): void {
    for (const { type: action } of this.#read(reply, { eventId: id, turn })) {
      this.#timeline.discarded(id, turn, action, 'superseded')
      this.notify({ type: 'action_discarded', session: this.#session, action, turn, reason: 'superseded' })
    }
  }
}
