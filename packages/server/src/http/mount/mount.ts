import type { Operation, Operations } from '@offhook/contract/operation.ts'
import { bodyChecker, queryChecker } from '@offhook/contract/validation.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '#core/account/identity/caller/caller.ts'
import type { AnyHandler, Handlers } from '../handler/context.ts'
import type { Gate } from '../gate/gate.ts'
import type { IdempotentReplies } from './idempotency.ts'
import { RequestContext } from './request-context.ts'
import type { EventStreams, EventsReply } from '../reply/send-events.ts'
import { CsvReply, sendCsv } from '../reply/send-csv.ts'
import { sendFile, type FileReply } from '../reply/send-file.ts'
import { sendJson } from '../reply/send-json.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined
    /** The JSON text as it came, because signatures are over that. */
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
}

const defaultBodyLimit = 64 * 1024

/** Gives every operation its route: who asks, what was sent, the handler, the reply, in this order. The identity provider has routes of its own. */
export const mount = <Ops extends Operations>(to: Mounting, operations: Ops, handlers: Handlers<Ops>): void => {
  for (const [id, operation] of Object.entries(operations)) {
    if (operation.protocol === 'oauth') continue
    const handler = (handlers as Record<string, AnyHandler>)[id]
    if (!handler) throw new Error(`operation ${id} has no handler`)
    mountOne(to, operation, handler)
  }
}

const mountOne = ({ app, gate, idempotent, streams }: Mounting, operation: Operation, handler: AnyHandler): void => {
  const checkQuery = operation.query ? queryChecker(operation.query) : undefined
  const checkBody = operation.body ? bodyChecker(operation.body) : undefined

  const run = (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const body = checkBody?.(request.body)
    const query = checkQuery?.(request.query) ?? {}
    const execute = (effectId?: string): Promise<unknown> => handler(new RequestContext(request, reply, query, body, effectId))
    const key = operation.idempotent && request.headers['idempotency-key']
    if (typeof key !== 'string') return execute()
    return idempotent.once({ key, operation: operation.id, caller: request.caller, path: request.url, body }, execute)
  }

  const send = (request: FastifyRequest, reply: FastifyReply, answer: unknown): void => {
    try {
      if (operation.events) return streams.send(reply, answer as EventsReply)
      if (operation.file) return sendFile(request, reply, operation.file, answer as FileReply)
      if (answer instanceof CsvReply) return sendCsv(request, reply, answer)
      if (operation.text) return sendText(reply, answer)
      const text = operation.reply && JSON.stringify(answer)
      void reply.code(operation.status)
      if (operation.location) void reply.header('location', filled(operation.location, answer))
      if (text === undefined) void reply.send()
      else sendJson(request, reply, text)
    } catch (error) {
      void reply.send(error) // what cannot be written as JSON is our own fault
    }
  }

  app.route({
    // Fastify's own way to answer HEAD would read the whole file, and make a second route of each.
    method: operation.method === 'GET' ? ['GET', 'HEAD'] : operation.method,
    url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { operation: operation.id },
    bodyLimit: operation.bodyLimit ?? defaultBodyLimit,
    onRequest: gate.guard(operation),
    ...(operation.auth === 'carrier' && { preHandler: (request: FastifyRequest) => gate.admitCarrier(request) }),
    // What is thrown at once goes to the error handler by itself; what is thrown later is sent there.
    handler: (request, reply) => {
      run(request, reply).then(
        (answer) => send(request, reply, answer),
        (error: unknown) => void reply.send(error),
      )
    },
  })
}

/** Some are of a kind that the handler says. */
const sendText = (reply: FastifyReply, text: unknown): void => {
  if (!reply.hasHeader('content-type')) void reply.type('text/plain; charset=utf-8')
  void reply.send(text)
}

const filled = (template: string, reply: unknown): string =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String((reply as Record<string, unknown>)[name])))
