import type { Action, ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import type { FastifyInstance } from 'fastify'

const words = {
  en: {
    voice: 'en-US',
    greeting: 'Hello, this is Offhook. Say something and I will repeat it. Say goodbye, and I will hang up.',
    repeat: 'You said:',
    farewell: 'Goodbye!',
  },
  de: {
    voice: 'de-DE',
    greeting: 'Hallo, hier ist Offhook. Sagen Sie etwas, und ich wiederhole es. Sagen Sie auf Wiedersehen, und ich lege auf.',
    repeat: 'Sie sagten:',
    farewell: 'Auf Wiedersehen!',
  },
}

/** As spoken and as recognisers write it: Goodbye, good-bye, Good-by, Bye!, Bye-bye, Tschüss, Auf Wiedersehen. */
const goodbye = /\bgood[ -]?bye\b|\bgood-?by\b|\bbye\b|auf wieder(?:sehen|hören|schauen)|tsch(?:ü|ue)s/i

/**
 * Endpoint of the demo flow, and an example of one. A customer's endpoint does the same on any web server: events arrive as POST with a JSON
 * body, and the answered actions, one or an array, are executed. 204 means no action.
 */
export const mountDemoAssistant = (app: FastifyInstance): void => {
  app.post('/demo/assistant', (request, reply) => {
    const { language } = request.query as { language?: unknown }
    const actions = isEvent(request.body) ? answer(request.body, language === 'de' ? 'de' : 'en') : []
    return actions.length > 0 ? reply.send(actions) : reply.code(204).send()
  })
}

/** Greets, repeats the caller's words, and hangs up on goodbye. */
export const answer = (event: AssistantEvent, language: 'de' | 'en'): Action[] => {
  const { voice, greeting, repeat, farewell } = words[language]
  const session_id = event.session.id
  const speak = (text: string): ActionOf<'speak'> => ({ type: 'speak', session_id, text, tts: { language: voice } })
  if (event.type === 'session_start') return [speak(greeting)]
  if (event.type !== 'user_speak') return []
  if (!goodbye.test(event.text)) return [speak(`${repeat} ${event.text}`)]
  // A caller who adds to the goodbye ("… and thank you") still wants to leave: it must not interrupt our goodbye and thus the hang-up.
  return [
    { ...speak(farewell), barge_in: { strategy: 'none' } },
    { type: 'hangup', session_id },
  ]
}

const isEvent = (body: unknown): body is AssistantEvent => {
  const { type, session, text } = (body ?? {}) as { type?: unknown; session?: { id?: unknown } | null; text?: unknown }
  return typeof session?.id === 'string' && (type !== 'user_speak' || typeof text === 'string')
}
