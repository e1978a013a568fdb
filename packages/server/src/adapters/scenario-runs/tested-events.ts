import { basicEvents, webSocketEvents, type AssistantEvent } from '@offhook/contract/assistant/events.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'

/** Event of a virtual call. */
export type FramedEvent = AssistantEvent & { event_id: string; sequence: number; turn: number }

/** The event as a call of this flow would get it; undefined: it would not. */
export const eventFor = (
  { extendedEvents = [] }: FlowSettings,
  accountId: string,
  { event_id: _id, sequence: _sequence, turn: _turn, ...event }: FramedEvent,
  duplex: boolean,
): AssistantEvent | undefined => {
  const { type } = event
  const transient: readonly string[] = webSocketEvents
  const wanted: readonly string[] = [...basicEvents, 'user_input_timeout', ...extendedEvents]
  if (!wanted.includes(type) || (transient.includes(type) && !duplex)) return undefined
  const notified = { ...event, session: { ...event.session, account_id: accountId } } as AssistantEvent
  return extendedEvents.length > 0 ? notified : plainForm(notified)
}

/** Endpoints with the oldest form of the API get only its fields. */
const plainForm = (event: AssistantEvent): AssistantEvent => {
  if (event.type === 'user_speak') {
    const { language: _language, confidence: _confidence, ...plain } = event
    return plain
  }
  if (event.type !== 'assistant_speak') return event
  const { heard_text: _heard, stream_id: _stream, ...plain } = event
  return plain
}
