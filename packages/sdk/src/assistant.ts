import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import { readEvent } from './answering.ts'
import { Answering, type Handlers } from './find-answers.ts'
import { Conversation, converse, type AssistantSocket } from './converse.ts'
import { verifyWebhook } from './verify-webhook.ts'

export interface AssistantOptions {
  /** The flow's secret (`whsec_…`), or several while it is being replaced. Without one every request that reaches the port is trusted. */
  secret?: string | readonly string[] | undefined
  /** Called when a handler throws; the caller then hears the flow's fallback. Default: standard error. */
  onError?: (error: unknown, event: AssistantEvent) => void
}

export interface Assistant {
  /** Answers one request, at any path, for use in your own HTTP server. */
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>
  /** Serves it here instead; resolves with the server when it listens. The default host is reachable from this machine only. */
  listen: (port?: number, host?: string) => Promise<Server>
  /** For a WebSocket that your server has accepted and whose key it has checked. */
  attach: (socket: AssistantSocket) => void
  /** For any transport of frames, or none: `simulate()` uses it. */
  connect: (send: (frame: string) => void) => AssistantConnection
}

export interface AssistantConnection {
  receive(frame: string): void
  close(): void
  /** Resolves when every handler has ended. */
  idle(): Promise<void>
}

const maxBodyBytes = 1_000_000

/** An assistant as a webhook: verifies signatures, calls the handler of each event, and returns its result. */
export const assistant = (handlers: Handlers, { secret, onError = complain }: AssistantOptions = {}): Assistant => {
  const answering = new Answering(handlers, onError)
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') return end(response, 405)
    const body = await readBody(request)
    if (body === undefined) return end(response, 413)
    if (secret !== undefined && !verifyWebhook({ headers: request.headers, body }, secret)) return end(response, 401)
    const event = readEvent(body)
    if (!event) return end(response, 400)
    const eventId = request.headers['x-event-id']
    return answering.answer(event, typeof eventId === 'string' ? eventId : undefined).then(
      (actions = []) => (actions.length === 0 ? end(response, 204) : end(response, 200, JSON.stringify(actions))),
      () => end(response, 500),
    )
  }
  return {
    handle,
    listen: (port = 3000, host = '127.0.0.1') => serve(handle, port, host),
    attach: (socket) => converse(answering, socket),
    connect: (send) => {
      const conversation = new Conversation(answering, send)
      return { receive: (frame) => conversation.receive(frame), idle: () => conversation.idle(), close: () => {} }
    },
  }
}

/** Undefined if the body is larger than any event. */
const readBody = async (request: IncomingMessage): Promise<string | undefined> => {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > maxBodyBytes) return undefined
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
