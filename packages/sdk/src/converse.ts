import type { Action } from '@offhook/contract/assistant/actions.ts'
import type { AssistantEvent, EventType } from '@offhook/contract/assistant/events.ts'
import { readEvent } from './answering.ts'
import type { Answering } from './find-answers.ts'

/** A WebSocket opened by the service, as server packages (`ws`) provide it. */
export interface AssistantSocket {
  on(event: 'message', listener: (data: { toString(): string }) => void): unknown
  send(text: string): void
}

/** An event with the fields that a webhook carries in headers. */
type Framed = AssistantEvent & { event_id?: string; turn?: number }

/** The caller waits for an answer to these events, so an empty answer must be sent; otherwise the caller hears a filler phrase. */
const awaited: readonly EventType[] = ['session_start', 'user_speak', 'user_speech_unclear', 'transfer_failed']

/** Answers the events of a socket until it closes. */
export const converse = (answering: Answering, socket: AssistantSocket): void => {
  const conversation = new Conversation(answering, (text) => socket.send(text))
  socket.on('message', (data) => conversation.receive(data.toString()))
}

/** One call, over any transport of frames. */
export class Conversation {
  readonly #answering: Answering
  readonly #send: (frame: string) => void
  readonly #running = new Set<Promise<void>>()
  #newest = 0

  constructor(answering: Answering, send: (frame: string) => void) {
    this.#answering = answering
    this.#send = send
  }

  receive(frame: string): void {
    const event: Framed | undefined = readEvent(frame)
    if (!event) return
    this.#newest = Math.max(this.#newest, event.turn ?? 0)
    const answered = this.#answering.answer(event, event.event_id).then(
      (actions) => this.#reply(event, actions),
      () => this.#failed(event),
    )
    this.#running.add(answered)
    void answered.then(() => this.#running.delete(answered))
  }

  /** Resolves when every handler has ended. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  #reply(event: Framed, actions: Action[] | undefined): void {
    if (actions === undefined) return
    if (actions.length > 0) this.#send(JSON.stringify(actions.map((action) => ({ ...belonging(event), ...action }))))
    // For an older turn the service would take it for the answer to the newest.
    else if (awaited.includes(event.type) && (event.turn ?? this.#newest) === this.#newest) this.#send('[]')
  }

  #failed({ type }: Framed): void {
    // An unreadable frame counts as a failed answer, as a 500 does over a webhook.
    if (awaited.includes(type)) this.#send(`the handler of ${type} failed`)
  }
}

/** Identifies the turn, so that the service can discard a late answer. */
const belonging = (event: Framed): Pick<Action, 'turn' | 'turn_token'> => {
  if (event.type === 'user_speak_preview') return { turn_token: event.turn_token }
  return event.turn === undefined ? {} : { turn: event.turn }
}
