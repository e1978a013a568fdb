import type { Action } from '@offhook/contract/assistant/actions.ts'
import type { AssistantEvent, EventType } from '@offhook/contract/assistant/events.ts'
import { readEvent, type Answering } from './answering.ts'

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
  let newest = 0
  const send = (value: unknown): void => socket.send(typeof value === 'string' ? value : JSON.stringify(value))
  const reply = (event: Framed, actions: Action[] | undefined): void => {
    if (actions === undefined) return
    if (actions.length > 0) return send(actions.map((action) => ({ ...belonging(event), ...action })))
    // Of an older turn it would be taken for the answer to the newest.
    if (awaited.includes(event.type) && (event.turn ?? newest) === newest) send([])
  }
  socket.on('message', (data) => {
    const event: Framed | undefined = readEvent(data.toString())
    if (!event) return
    newest = Math.max(newest, event.turn ?? 0)
    const failed = (): void => {
      // What cannot be read is a failed answer, as a 500 is over a webhook.
      if (awaited.includes(event.type)) send(`the handler of ${event.type} failed`)
    }
    answering.answer(event, event.event_id).then((actions) => reply(event, actions), failed)
  })
}

/** What is not heard when the caller has gone on meanwhile. */
const belonging = (event: Framed): Pick<Action, 'turn' | 'turn_token'> => {
  if (event.type === 'user_speak_preview') return { turn_token: event.turn_token }
  return event.turn === undefined ? {} : { turn: event.turn }
}
