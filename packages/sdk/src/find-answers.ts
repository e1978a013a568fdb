import type { Action } from '@offhook/contract/assistant/actions.ts'
import type { AssistantEvent, EventType } from '@offhook/contract/assistant/events.ts'
import type { EventOf, Piece, Reply, Turn, Answer, SpeechFields } from './answering.ts'

/** Uses the same names as the handlers of `live()`, which can therefore be used here. */
export interface HandlerContext extends Pick<Turn<unknown>, 'session' | 'turn' | 'spoken' | 'send'> {
  /** Aborted when the answer is obsolete: for user_speak_preview, when the caller continues or hangs up. Pass it to slow operations. */
  signal: AbortSignal
}

/** One handler per event of interest. The output of an async generator is joined into one answer. */
export type Handlers = {
  [T in EventType]?: (event: EventOf<T>, context: HandlerContext) => Reply | Promise<Reply> | AsyncIterable<Piece>
}

const rememberedEvents = 1_000

/** The answer to a preview, computed before the end of the turn was certain. */
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
  /** Keyed by session id. */
  readonly #ahead = new Map<string, Ahead>()

  constructor(handlers: Handlers, onError: (error: unknown, event: AssistantEvent) => void) {
    this.#handlers = handlers
    this.#onError = onError
  }

  /** Resolves with undefined if a preview was already answered. Rejects if the handler does. */
  answer(event: AssistantEvent, eventId?: string): Promise<Action[] | undefined> {
    return this.#answered.once(eventId, () => this.#find(event))
  }

  async #find(event: AssistantEvent): Promise<Action[] | undefined> {
    const ahead = this.#aheadOf(event)
    if (event.type === 'user_speak' && event.previewed && this.#handlers.user_speak_preview) {
      // Unknown preview: another of your processes has answered. Known but empty: answer now.
      if (!ahead || (await ahead.catch(() => [])).length > 0) return undefined
    }
    const stop = new AbortController()
    const actions = this.#handle(event, stop.signal)
    if (event.type === 'user_speak_preview') this.#ahead.set(event.session.id, { token: event.turn_token, stop, actions })
    return actions
  }

  /** Settles the pending preview: these events confirm or abort it. */
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

/** A webhook gets no playout events, so `spoken` does not wait; actions sent are part of the answer. */
const contextOf = (event: AssistantEvent & { turn?: number }, signal: AbortSignal, answer: JoinedAnswer): HandlerContext => ({
  signal,
  session: event.session,
  turn: event.turn ?? 0,
  spoken: async () => answer.endSpeech(),
  send: (action) => answer.put(action),
})

const deciding: readonly EventType[] = ['user_speak_preview', 'user_speak_revoked', 'user_speak', 'session_end']

/** Deduplicates events by id: after a lost reply the same event gets the same reply, without calling the handler again. */
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

/** Joins the output of a `live()` handler into one answer: consecutive strings form one speech. */
class JoinedAnswer {
  readonly actions: Answer[] = []
  #words = ''
  #fields: SpeechFields = {}

  put(piece: Piece): void {
    if (typeof piece === 'string') {
      this.#words += piece
      return
    }
    this.endSpeech()
    if ('speech' in piece) this.#fields = piece.speech
    else if ('type' in piece) this.actions.push(piece)
  }

  endSpeech(): void {
    if (this.#words.trim() !== '') this.actions.push({ type: 'speak', text: this.#words, ...this.#fields })
    this.#words = ''
  }
}

/** Joins all pieces in order; stops when the signal aborts. */
const joined = async (pieces: AsyncIterable<Piece>, signal: AbortSignal, answer: JoinedAnswer): Promise<Answer[]> => {
  for await (const piece of pieces) {
    answer.put(piece)
    if (signal.aborted) break
  }
  answer.endSpeech()
  return answer.actions
}

const isStreamed = (reply: unknown): reply is AsyncIterable<Piece> =>
  typeof reply === 'object' && reply !== null && Symbol.asyncIterator in reply
