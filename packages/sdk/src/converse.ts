import type { Action } from '@offhook/contract/assistant/actions.ts'
import type { AssistantEvent, EventType } from '@offhook/contract/assistant/events.ts'
import { readEvent } from './answering.ts'
import type { Answering } from './find-answers.ts'

/** A WebSocket that the service has opened, as packages for servers (`ws`) give it. */
export interface AssistantSocket {
  on(event: 'message', listener: (data: { toString(): string }) => void): unknown
  send(text: string): void
}

/** What stands in headers over a webhook. */
type Framed = AssistantEvent & { event_id?: string; turn?: number }

/** After these the caller waits for an answer: that there is none has to be said, or the caller is told to be patient. */
const awaited: readonly EventType[] = ['session_start', 'user_speak', 'user_speech_unclear', 'transfer_failed']

/** Answers what comes over a socket, for as long as it is open. */
export const converse = (answering: Answering, socket: AssistantSocket): void => {
  const conversation = new Conversation(answering, (text) => socket.send(text))
  socket.on('message', (data) => conversation.receive(data.toString()))
}

/** One call, over anything that carries frames. */
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
    // Of an older turn it would be taken for the answer to the newest.
    else if (awaited.includes(event.type) && (event.turn ?? this.#newest) === this.#newest) this.#send('[]')
  }

  #failed({ type }: Framed): void {
    // What cannot be read is a failed answer, as a 500 is over a webhook.
    if (awaited.includes(type)) this.#send(`the handler of ${type} failed`)
  }
}

/** What is not heard when the caller has gone on meanwhile. */
const belonging = (event: Framed): Pick<Action, 'turn' | 'turn_token'> => {
  if (event.type === 'user_speak_preview') return { turn_token: event.turn_token }
  return event.turn === undefined ? {} : { turn: event.turn }
}
