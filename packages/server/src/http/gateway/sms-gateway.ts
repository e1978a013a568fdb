import { Problem } from '@offhook/contract/problem.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { GatewayCallbacks } from '#core/messages/sms/receiving/gateway-callbacks.ts'

const path = '/gateway/v1/:secret'
const maxFieldLength = 1_000

/**
 * Endpoints where an HTTP gateway delivers receipts and messages in Kannel's format, which is not part of our API. The secret is in the address
 * because gateways cannot send headers.
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

/** Single-line text fields. */
const fieldsOf = ({ url }: FastifyRequest): ((name: string, fallback?: string) => string) => {
  const fields = queryBytes(url)
  return (name, fallback) => {
    const value = fields.get(name)?.toString('utf8') ?? fallback
    if (value === undefined || value.length > maxFieldLength || value.includes('\0')) throw Problem.field(name, 'is missing or no text')
    return value
  }
}

/** Kannel passes on the bytes of the message with their charset: UTF-8, or UTF-16BE if the phone used that. */
const textOf = (url: string, charset: string): string => {
  const bytes = queryBytes(url).get('text')
  if (!bytes) throw Problem.field('text', 'is missing')
  if (/^utf-?8$/i.test(charset)) return bytes.toString('utf8')
  if (/^utf-?16be$/i.test(charset)) return new TextDecoder('utf-16be').decode(bytes)
  throw Problem.field('charset', 'must be UTF-8 or UTF-16BE')
}

const plus = 0x2b
const percent = 0x25
const space = 0x20

/** Fields of a query as raw bytes, independent of charset; the last of several with one name. */
export const queryBytes = (url: string): Map<string, Buffer> => {
  const start = url.indexOf('?')
  const fields = start < 0 ? [] : url.slice(start + 1).split('&')
  return new Map(
    fields.map((field) => {
      const at = field.indexOf('=')
      const [name, value] = at < 0 ? [field, ''] : [field.slice(0, at), field.slice(at + 1)]
      return [unescaped(name).toString('utf8'), unescaped(value)]
    }),
  )
}

const unescaped = (text: string): Buffer => {
  const from = Buffer.from(text, 'latin1') // as Node decodes a request line
  const to = Buffer.alloc(from.length)
  let length = 0
  for (let at = 0; at < from.length; at++) {
    const byte = from[at] ?? 0
    const hex = byte === percent ? from.toString('latin1', at + 1, at + 3) : ''
    const escaped = /^[0-9a-f]{2}$/i.test(hex)
    to[length++] = escaped ? Number.parseInt(hex, 16) : byte === plus ? space : byte
    if (escaped) at += 2
  }
  return to.subarray(0, length)
}
