// A line for customers that asks for what the usual four events do not tell. Run it, and talk to it from another terminal:
//   npx node examples/customer-line/assistant.ts     and     npx offhook dev --ws ws://127.0.0.1:3000 --events all
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { assistant, type Answer, type Reply } from '@offhook/sdk'
import { WebSocketServer } from 'ws'

interface Customer {
  number?: string
  /** Said while the caller still speaks: an answer can be looked for before it is asked for. */
  topic?: string
}
const customers = new Map<string, Customer>()
const customerOf = ({ id }: { id: string }): Customer => {
  const customer = customers.get(id) ?? {}
  customers.set(id, customer)
  return customer
}

const askNumber = (text: string): Answer => ({
  type: 'speak',
  text,
  expects: 'digits',
  expects_digits: 6, // the turn is over with the sixth, however slowly they come
  prefetch: ['Thank you. How can I help?'], // made now, so that it sounds at once
})
const desk: Answer = { type: 'transfer', target: '+493023125001', mode: 'warm', briefing: 'A customer asks for a person.' }

/** A language model would answer here; it stops when nobody needs its answer any more. */
const answerTo = async (text: string, { topic }: Customer, signal?: AbortSignal): Promise<Reply> => {
  signal?.throwIfAborted()
  if (/\b(good)?bye\b/i.test(text)) return ['Goodbye!', { type: 'hangup' }] // waits until it was heard
  if (/\b(person|human)\b/i.test(text)) return ['I will ask somebody.', desk]
  if (/\bopen|hours\b/i.test(`${text} ${topic ?? ''}`)) return 'We are open from nine to five. Anything else?'
  return { type: 'speak', text: `You said: ${text}`, expects: 'long' } // let people finish
}

const { handle, attach } = assistant({
  session_start: () => [{ type: 'configure_transcription', turn_taking: 'patient' }, askNumber('Welcome! What is your customer number?')],
  user_speak_partial: ({ session, text, stable_chars }) => {
    customerOf(session).topic = text.slice(0, stable_chars)
  },
  // Book nothing because of it: the caller may go on, and then the signal is aborted.
  user_speak_preview: ({ session, text }, { signal }) =>
    customerOf(session).number === undefined ? null : answerTo(text, customerOf(session), signal),
  user_speak: ({ session, text, words = [] }) => {
    const customer = customerOf(session)
    if (customer.number !== undefined) return answerTo(text, customer)
    const digits = text.replace(/\D/g, '')
    const unsure = words.find(({ confidence = 1 }) => confidence < 0.5)
    if (unsure) return askNumber(`I am not sure about ${unsure.text}. Please say your number again.`)
    if (digits.length !== 6) return askNumber('That has to be six digits. Please say it again.')
    customer.number = digits
    return 'Thank you. How can I help?'
  },
  user_speech_unclear: ({ best_guess }) =>
    best_guess === undefined ? 'Sorry?' : { type: 'speak', text: `Did you say ${best_guess}`, expects: 'yes_no' },
  user_backchannel: ({ text }) => console.log(`The caller listens: ${text}`),
  dtmf_received: ({ digit }) => (digit === '#' ? { type: 'hangup', now: true } : digit === '0' ? desk : null),
  transfer_failed: ({ cause }) => (cause === 'declined' ? 'Nobody has time right now.' : 'Nobody is there.'),
  session_end: ({ session }) => void customers.delete(session.id),
})

// A webhook and a WebSocket on one port: what the caller says while it is said comes over the latter only.
const { PORT = '3000', API_KEY } = process.env
const server = createServer((request, response) => void handle(request, response))
const sockets = new WebSocketServer({
  server,
  verifyClient: ({ req }: { req: IncomingMessage }) => !API_KEY || req.headers['x-api-key'] === API_KEY,
})
sockets.on('connection', (socket) => attach(socket))
server.listen(Number(PORT), '127.0.0.1', () => console.log(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`))
