import type { Action } from '@offhook/contract/assistant/actions.ts'
import type { AssistantEvent, EventType } from '@offhook/contract/assistant/events.ts'
import { isStreamed, joined, JoinedAnswer } from './joined.ts'
import type { EventOf, Piece, Reply, Turn } from './answering.ts'

/** The same words as for handlers of `live()`, which therefore can be used here, too. */
export interface HandlerContext extends Pick<Turn<unknown>, 'session' | 'turn' | 'spoken' | 'send'> {
  /** Aborted when the answer is of no use any more: of user_speak_preview, when the caller goes on or is gone. Hand it to what takes time. */
  signal: AbortSignal
}

/** One function for each event that matters to you. What an async generator gives is joined to one answer. */
export type Handlers = {
  [T in EventType]?: (event: EventOf<T>, context: HandlerContext) => Reply | Promise<Reply> | AsyncIterable<Piece>
}

const rememberedEvents = 1_000

/** What is being answered, or was, while it was not sure that the caller had finished. */
interface Ahead {
  token: string
  stop: AbortController
  actions: Promise<Action[]>
}

/** Finds the actions for events. */
export class Answering {
  readonly #handlers: Handlers
  readonly #onError: (error: unknown, event: AssistantEvent) => void
  readonly #answered = new Answered()
  /** By session. */
  readonly #ahead = new Map<string, Ahead>()

  constructor(handlers: Handlers, onError: (error: unknown, event: AssistantEvent) => void) {
    this.#handlers = handlers
    this.#onError = onError
  }

  /** Undefined: it was answered ahead of time. Rejects when the handler has. */
  answer(event: AssistantEvent, eventId?: string): Promise<Action[] | undefined> {
    return this.#answered.once(eventId, () => this.#find(event))
  }

  async #find(event: AssistantEvent): Promise<Action[] | undefined> {
    const ahead = this.#aheadOf(event)
    if (event.type === 'user_speak' && event.previewed && this.#handlers.user_speak_preview) {
      // Not known here: another process of yours has answered. Known, and nothing came of it: then this is the time.
      if (!ahead || (await ahead.catch(() => [])).length > 0) return undefined
    }
    const stop = new AbortController()
    const actions = this.#handle(event, stop.signal)
    if (event.type === 'user_speak_preview') this.#ahead.set(event.session.id, { token: event.turn_token, stop, actions })
    return actions
  }

  /** What was asked ahead of time is decided by these events: it was right, or is of no use any more. */
  #aheadOf(event: AssistantEvent): Promise<Action[]> | undefined {
    const ahead = this.#ahead.get(event.session.id)
    if (!ahead || !deciding.includes(event.type)) return undefined
    if (event.type === 'user_speak_revoked' && event.turn_token !== ahead.token) return undefined
    this.#ahead.delete(event.session.id)
    if (event.type !== 'user_speak' || event.previewed !== true) ahead.stop.abort(new Error('the caller goes on'))
    return ahead.actions
  }

  async #handle(event: AssistantEvent, signal: AbortSignal): Promise<Action[]> {
    try {
      const answer = new JoinedAnswer()
      const handler = this.#handlers[event.type] as
        | ((event: AssistantEvent, context: HandlerContext) => Reply | Promise<Reply> | AsyncIterable<Piece>)
        | undefined
      const reply = handler?.(event, contextOf(event, signal, answer))
      if (isStreamed(reply)) return actionsOf(await joined(reply, signal, answer), event.session.id)
      const given = await reply
      return [...actionsOf(answer.actions, event.session.id), ...actionsOf(given, event.session.id)]
    } catch (error) {
      if (signal.aborted) return []
      this.#onError(error, event)
      throw error
    }
  }
}

/** Over a webhook nobody knows when something was heard, so nobody waits for it; what is sent stands in the answer. */
const contextOf = (event: AssistantEvent & { turn?: number }, signal: AbortSignal, answer: JoinedAnswer): HandlerContext => ({
  signal,
  session: event.session,
  turn: event.turn ?? 0,
  spoken: async () => answer.endSpeech(),
  send: (action) => answer.put(action),
})

const deciding: readonly EventType[] = ['user_speak_preview', 'user_speak_revoked', 'user_speak', 'session_end']

/** The same event may come twice, when a reply was lost: then it gets the same reply, and the handler is not called again. */
class Answered {
  readonly #actions = new Map<string, Promise<Action[] | undefined>>()

  once(eventId: string | undefined, answer: () => Promise<Action[] | undefined>): Promise<Action[] | undefined> {
    if (eventId === undefined) return answer()
    const known = this.#actions.get(eventId)
    if (known) return known
    const actions = answer()
    this.#actions.set(eventId, actions)
    actions.catch(() => this.#actions.delete(eventId))
    const [oldest] = this.#actions.keys()
    if (this.#actions.size > rememberedEvents && oldest !== undefined) this.#actions.delete(oldest)
    return actions
  }
}

const actionsOf = (reply: Reply, session_id: string): Action[] =>
  [reply ?? []].flat().map((one) => (typeof one === 'string' ? { type: 'speak', session_id, text: one } : { ...one, session_id }))
