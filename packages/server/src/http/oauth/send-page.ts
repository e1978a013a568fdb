import type { FastifyReply } from 'fastify'
import type { renderPage } from './page.ts'

export const sendPage = (reply: FastifyReply, { body, headers }: ReturnType<typeof renderPage>, status = 200): FastifyReply =>
  reply.code(status).headers(headers).send(body)
