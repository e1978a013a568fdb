import { takesIdempotencyKey, type Operation, type Operations } from '@offhook/contract/operation.ts'
import { bodyChecker, queryChecker } from '@offhook/contract/validation.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '#core/account/identity/caller/caller.ts'
import type { AnyHandler, Handlers } from '../handler/context.ts'
import type { Gate } from '../gate/gate.ts'
import { todaysBody } from './older-clients.ts'
import { turnKey } from '../limits/admission.ts'
import type { LoopTurns } from '../limits/admission.ts'
import type { IdempotentReplies } from './idempotency.ts'
import { pagerOf } from './paging.ts'
import type { EventStreams, EventsReply } from '../reply/send-events.ts'
import { sendFile, type FileReply } from '../reply/send-file.ts'
import { sendJson } from '../reply/send-json.ts'
import { PiecesReply, sendPieces } from '../reply/send-json.ts'
import { randomUUID } from 'node:crypto'
import { incomingTrace } from '#core/kernel/trace/tracer.ts'
import type { IncomingTrace } from '#core/kernel/trace/tracer.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined
    /** JSON text as received, because signatures are over it. */
    rawBody: string
  }
  interface FastifyContextConfig {
    operation?: string
  }
}

export interface Mounting {
  app: FastifyInstance
  gate: Gate
  idempotent: IdempotentReplies
  streams: EventStreams
  turns: LoopTurns
}

const defaultBodyLimit = 64 * 1024

/** Adds a route for every operation: authorisation, validation, handler, reply, in this order. The identity provider has its own routes. */
export const mount = <Ops extends Operations>(to: Mounting, operations: Ops, handlers: Handlers<Ops>): void => {
  for (const [id, operation] of Object.entries(operations)) {
    if (operation.protocol === 'oauth') continue
    const handler = (handlers as Record<string, AnyHandler>)[id]
    if (!handler) throw new Error(`operation ${id} has no handler`)
    mountOne(to, operation, handler)
  }
}

const mountOne = ({ app, gate, idempotent, streams, turns }: Mounting, operation: Operation, handler: AnyHandler): void => {
  const checkQuery = operation.query ? queryChecker(operation.query) : undefined
  const checkBody = operation.body ? bodyChecker(operation.body) : undefined
  const pager = pagerOf(operation)
  const takesKey = takesIdempotencyKey(operation)

  const run = (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const body = checkBody?.(todaysBody(operation.id, request.body))
    const query = (checkQuery?.(request.query) ?? {}) as object
    if (!operation.signedAddress) nameIgnored(request, reply, query)
    const page = pager?.(query)
    const execute = (effectId?: string): Promise<unknown> => handler(new RequestContext({ request, reply, turns, query, body, effectId }))
    const key = takesKey && request.headers['idempotency-key']
    if (typeof key !== 'string') return page ? execute().then((answer) => page(request, reply, answer)) : execute()
    const breathe = (): Promise<void> => turns.slice(turnKey(request))
    return idempotent.once({ key, operation, caller: request.caller, path: request.url, body, breathe }, execute)
  }

  const send = (request: FastifyRequest, reply: FastifyReply, answer: unknown): void => {
    try {
      if (operation.events) return streams.send(reply, answer as EventsReply)
      if (operation.file) return sendFile(request, reply, operation.file, answer as FileReply)
      if (answer instanceof PiecesReply) return sendList(request, reply, answer)
      if (operation.text) return sendText(reply, answer)
      void reply.code(operation.status)
      if (operation.location) void reply.header('location', filled(operation.location, answer))
      if (!operation.reply || answer === undefined) void reply.send()
      else sendJson(request, reply, answer, () => turns.slice(turnKey(request)))
    } catch (error) {
      void reply.send(error) // an unserialisable reply is our own fault
    }
  }

  app.route({
    // Fastify's own HEAD handling would read the whole file, and add a second route for each.
    method: operation.method === 'GET' ? ['GET', 'HEAD'] : operation.method,
    url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { operation: operation.id },
    bodyLimit: operation.bodyLimit ?? defaultBodyLimit,
    onRequest: gate.guard(operation),
    ...(operation.auth === 'carrier' && { preHandler: (request: FastifyRequest) => gate.admitCarrier(request) }),
    // Synchronous errors reach the error handler directly; later ones are passed to it.
    handler: (request, reply) => {
      run(request, reply).then(
        (answer) => send(request, reply, answer),
        (error: unknown) => void reply.send(error),
      )
    },
  })
}

const sendList = (request: FastifyRequest, reply: FastifyReply, list: PiecesReply): void => {
  if (!reply.hasHeader('content-type') && list.csvName === undefined) void reply.type('application/json; charset=utf-8')
  sendPieces(request, reply, list).catch((error: unknown) => void reply.removeHeader('content-disposition').send(error))
}

const maxNamed = 10

/** Unknown query parameters have no effect; the header shows a developer a misspelt one. */
const nameIgnored = ({ query }: FastifyRequest, reply: FastifyReply, known: object): void => {
  const ignored = Object.keys(query as object).filter((name) => !(name in known))
  if (ignored.length === 0) return
  const names = ignored.slice(0, maxNamed).map((name) => encodeURIComponent(name.slice(0, 100)))
  void reply.header('offhook-ignored-parameters', names.join(', '))
}

/** Some handlers set the content type. */
const sendText = (reply: FastifyReply, text: unknown): void => {
  if (!reply.hasHeader('content-type')) void reply.type('text/plain; charset=utf-8')
  void reply.send(text)
}

const filled = (template: string, reply: unknown): string =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String((reply as Record<string, unknown>)[name])))

interface RequestContextDeps {
  request: FastifyRequest
  reply: FastifyReply
  turns: LoopTurns
  query: unknown
  body: unknown
  effectId: string | undefined
}

/** Request data for a handler. Most handlers need little of it, so it is computed on access. */
class RequestContext {
  readonly query: unknown
  readonly body: unknown
  readonly caller: Caller | undefined
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  readonly #turns: LoopTurns
  #effectId: string | undefined

  constructor({ request, reply, turns, query, body, effectId }: RequestContextDeps) {
    this.#request = request
    this.#reply = reply
    this.#turns = turns
    this.query = query
    this.body = body
    this.caller = request.caller
    this.#effectId = effectId
  }

  get params(): Record<string, string> {
    return this.#request.params as Record<string, string>
  }

  get effectId(): string {
    return (this.#effectId ??= randomUUID())
  }

  get ip(): string {
    return this.#request.ip
  }

  get authorization(): string | undefined {
    return this.#request.headers.authorization
  }

  /** Origin of the requesting page; a page of another site cannot forge it. */
  get ownPage(): string | undefined {
    const { origin, host } = this.#request.headers
    return origin !== undefined && URL.parse(origin)?.host === host?.toLowerCase() ? origin : undefined
  }

  get userAgent(): string | undefined {
    return this.#request.headers['user-agent']
  }

  get cookie(): string | undefined {
    return this.#request.headers.cookie
  }

  get setCookie(): (cookie: string) => void {
    return (cookie) => void this.#reply.header('set-cookie', cookie)
  }

  get setHeader(): (name: string, value: string) => void {
    return (name, value) => void this.#reply.header(name, value)
  }

  get ifMatch(): string | undefined {
    return this.#request.headers['if-match']
  }

  get lastEventId(): string | undefined {
    const header = this.#request.headers['last-event-id']
    return Array.isArray(header) ? header[0] : header
  }

  get wantsCsv(): boolean {
    return this.#request.headers.accept?.includes('text/csv') ?? false
  }

  get breathe(): () => Promise<void> {
    return () => this.#turns.slice(turnKey(this.#request))
  }

  get trace(): IncomingTrace | undefined {
    return incomingTrace(this.#request.headers)
  }
}
