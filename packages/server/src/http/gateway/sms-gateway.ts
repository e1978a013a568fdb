import { Problem } from '@offhook/contract/problem.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { GatewayCallbacks } from '#core/messages/sms/receiving/gateway-callbacks.ts'
import { queryBytes } from './query-bytes.ts'

const path = '/gateway/v1/:secret'
const maxFieldLength = 1_000

/**
 * Where an HTTP gateway delivers receipts and messages in Kannel's format, which is no part of our own interface. The secret is in the address
 * because gateways can send no header.
 */
export const mountSmsGateway = (app: FastifyInstance, callbacks: GatewayCallbacks | undefined): void => {
  if (!callbacks) return
  const secretOf = ({ params }: FastifyRequest): string => (params as { secret: string }).secret

  app.get(`${path}/receipts`, async (request, reply) => {
    callbacks.demand(secretOf(request))
    const field = fieldsOf(request)
    await callbacks.receipt({ id: field('id'), type: field('type'), answer: field('answer', '') })
    return reply.code(204).send()
  })

  app.get(`${path}/messages`, async (request, reply) => {
    callbacks.demand(secretOf(request))
    const field = fieldsOf(request)
    const text = textOf(request.url, field('charset', 'UTF-8'))
    await callbacks.message({ from: field('from', ''), to: field('to'), text })
    return reply.code(204).send()
  })
}

/** One line of text each. */
const fieldsOf = ({ url }: FastifyRequest): ((name: string, fallback?: string) => string) => {
  const fields = queryBytes(url)
  return (name, fallback) => {
    const value = fields.get(name)?.toString('utf8') ?? fallback
    if (value === undefined || value.length > maxFieldLength || value.includes('\0')) throw Problem.field(name, 'is missing or no text')
    return value
  }
}

/** Kannel passes on the bytes of the message and says what they mean: UTF-8, or UTF-16BE where the phone wrote that. */
const textOf = (url: string, charset: string): string => {
  const bytes = queryBytes(url).get('text')
  if (!bytes) throw Problem.field('text', 'is missing')
  if (/^utf-?8$/i.test(charset)) return bytes.toString('utf8')
  if (/^utf-?16be$/i.test(charset)) return new TextDecoder('utf-16be').decode(bytes)
  throw Problem.field('charset', 'must be UTF-8 or UTF-16BE')
}
