import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Characters. What fits into one packet arrives no sooner when it is smaller. */
const worthwhile = 1_400

/** Compressed for whom takes that, beside the event loop: lists and the operator's figures become a tenth. */
export const sendJson = ({ method, headers }: FastifyRequest, reply: FastifyReply, text: string): void => {
  void reply.type('application/json; charset=utf-8')
  if (text.length < worthwhile || method === 'HEAD' || !takesGzip(headers['accept-encoding'] ?? '')) return void reply.send(text)
  gzip(text, (error, packed) => {
    if (error) void reply.send(text)
    else void reply.header('content-encoding', 'gzip').send(packed)
  })
}

/** `br, gzip;q=0.5`, but not `gzip;q=0`. */
const takesGzip = (accepted: string): boolean => /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(accepted)
