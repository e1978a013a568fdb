import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Action } from '@offhook/contract/assistant/actions.ts'
import type { AssistantEvent, EventType } from '@offhook/contract/assistant/events.ts'
import { verifyWebhook } from './verify-webhook.ts'

/** An action without `session_id`, which goes to the call that the event came from. */
export type Answer = Action extends infer A ? (A extends Action ? Omit<A, 'session_id'> : never) : never

/** Actions: a string is spoken, several are carried out in order; none is fine, too. */
export type Reply = string | Answer | readonly (string | Answer)[] | null | undefined | void

export type EventOf<T extends EventType> = Extract<AssistantEvent, { type: T }>

export interface HandlerContext {
  /** Aborted when the answer is of no use any more: of user_speak_preview, when the caller goes on. Hand it to what takes time. */
  signal: AbortSignal
}

/** One function for each event that matters to you. */
export type Handlers = { [T in EventType]?: (event: EventOf<T>, context: HandlerContext) => Reply | Promise<Reply> }

export interface AssistantOptions {
  /** The flow's secret (`whsec_…`), or several while it is being replaced. Without one every request that reaches the port is trusted. */
  secret?: string | readonly string[] | undefined
  /** Called when a handler throws; the caller then hears the flow's fallback. Default: standard error. */
  onError?: (error: unknown, event: AssistantEvent) => void
}

export interface Assistant {
  /** For an HTTP server of your own, any path: answers one request. */
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>
  /** Or serve it here; resolves with the server when it listens. Only this machine reaches the usual host. */
  listen: (port?: number, host?: string) => Promise<Server>
}

const largestBody = 1_000_000
const rememberedEvents = 1_000

/** An assistant as a webhook: checks signatures, calls the handler of each event, and answers what it returns. */
export const assistant = (handlers: Handlers, { secret, onError = complain }: AssistantOptions = {}): Assistant => {
  const answered = new Answered()
  const previews = new Previews()
  const answer = async (event: AssistantEvent): Promise<Action[]> => {
    // What was answered ahead of time is answered: another answer would be discarded.
    if (event.type === 'user_speak' && event.previewed && handlers.user_speak_preview) return []
    const { signal, done } = previews.begin(event)
    try {
      const handler = handlers[event.type] as ((event: AssistantEvent, context: HandlerContext) => Reply | Promise<Reply>) | undefined
      return actionsOf(await handler?.(event, { signal }), event.session.id)
    } catch (error) {
      if (signal.aborted) return []
      onError(error, event)
      throw error
    } finally {
      done()
    }
  }
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') return end(response, 405)
    const body = await readBody(request)
    if (body === undefined) return end(response, 413)
    if (secret !== undefined && !verifyWebhook({ headers: request.headers, body }, secret)) return end(response, 401)
    const event = readEvent(body)
    if (!event) return end(response, 400)
    const actions = await answered.once(request.headers['x-event-id'], () => answer(event)).catch(() => undefined)
    if (!actions) return end(response, 500)
    return actions.length === 0 ? end(response, 204) : end(response, 200, JSON.stringify(actions))
  }
  return { handle, listen: (port = 3000, host = '127.0.0.1') => serve(handle, port, host) }
}

/** Previews that are being answered. */
class Previews {
  readonly #running = new Map<string, AbortController>()

  begin(event: AssistantEvent): { signal: AbortSignal; done: () => void } {
    const stop = new AbortController()
    if (event.type === 'user_speak_revoked') this.#running.get(event.turn_token)?.abort(new Error('the caller goes on'))
    if (event.type !== 'user_speak_preview') return { signal: stop.signal, done: () => {} }
    this.#running.set(event.turn_token, stop)
    return { signal: stop.signal, done: () => this.#running.delete(event.turn_token) }
  }
}

/** The same event may come twice, when a reply was lost: then it gets the same reply, and the handler is not called again. */
class Answered {
  readonly #actions = new Map<string, Promise<Action[]>>()

  once(eventId: string | string[] | undefined, answer: () => Promise<Action[]>): Promise<Action[]> {
    if (typeof eventId !== 'string') return answer()
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

const readEvent = (body: string): AssistantEvent | undefined => {
  try {
    const event = JSON.parse(body) as Partial<AssistantEvent> | null
    return typeof event?.type === 'string' && typeof event.session?.id === 'string' ? (event as AssistantEvent) : undefined
  } catch {
    return undefined
  }
}

/** Undefined: more than an event can have. */
const readBody = async (request: IncomingMessage): Promise<string | undefined> => {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > largestBody) return undefined
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

const end = (response: ServerResponse, status: number, body?: string): void => {
  response.writeHead(status, body === undefined ? {} : { 'content-type': 'application/json' }).end(body)
}

const serve = (handle: Assistant['handle'], port: number, host: string): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()))
    server.once('error', reject)
    server.listen(port, host, () => resolve(server))
  })

const complain = (error: unknown, { type }: AssistantEvent): void => console.error(`${type}:`, error)
