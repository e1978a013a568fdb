import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { Problem } from '@offhook/contract/problem.ts'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { storeProblem } from '#core/kernel/store-problem.ts'
import type { Log } from '#log/log-events.ts'

/** Fastify's own request errors as Problems. */
const fastifyProblems: Record<string, () => Problem> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new Problem('body_too_large'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => new Problem('media_type_unsupported'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => new Problem('parameter_invalid', 'Content-Length does not match the body.'),
  FST_ERR_BAD_URL: () => new Problem('request_malformed'),
  FST_ERR_MAX_PARAM_LENGTH: () => new Problem('route_not_found'),
}

/** Undefined: an internal error. */
export const knownProblem = (error: unknown): Problem | undefined => {
  const problem = error instanceof Problem ? error : storeProblem(error)
  if (problem) return problem
  const code = (error as Partial<FastifyError>).code
  return code === undefined ? undefined : fastifyProblems[code]?.()
}

/** With the limit of the operation, which Fastify does not report. */
const tooLarge = (error: unknown, { routeOptions: { bodyLimit } }: FastifyRequest): Problem | undefined =>
  (error as Partial<FastifyError>).code === 'FST_ERR_CTP_BODY_TOO_LARGE' && bodyLimit !== undefined
    ? new Problem('body_too_large', `The body must have at most ${bodyLimit} bytes.`)
    : undefined

/** WWW-Authenticate (RFC 6750 §3): a bare challenge without a token, the error with one. */
const challengeOf = ({ code, status, scope }: Problem): string | undefined => {
  if (code === 'invalid_token') return `${realm}, error="invalid_token"`
  if (code === 'scope_missing') return `${realm}, error="insufficient_scope"${scope === undefined ? '' : `, scope="${scope}"`}`
  return status === 401 ? realm : undefined
}

const realm = 'Bearer realm="offhook"'

export const sendProblem = (reply: FastifyReply, problem: Problem): FastifyReply => {
  if (problem.retryAfter !== undefined) void reply.header('retry-after', String(problem.retryAfter))
  const challenge = challengeOf(problem)
  if (challenge !== undefined) void reply.header('www-authenticate', challenge)
  return reply.code(problem.status).type('application/json; charset=utf-8').send(JSON.stringify(problem.toBody()))
}

/** Errors that Fastify raises before routing. */
export const sendFrameworkProblem = (error: unknown, _request: FastifyRequest, reply: FastifyReply): void => {
  void sendProblem(reply, knownProblem(error) ?? new Problem('request_malformed'))
}

const parserProblems: Record<string, () => Problem> = {
  ERR_HTTP_REQUEST_TIMEOUT: () => new Problem('request_timeout'),
  HPE_HEADER_OVERFLOW: () => new Problem('headers_too_large'),
}

/** Answers invalid HTTP requests on the raw connection. */
export const sendParserProblem = (error: { code?: string }, socket: Duplex): void => {
  if (error.code === 'ECONNRESET') socket.destroy()
  else endWithProblem(socket, parserProblems[error.code ?? '']?.() ?? new Problem('request_malformed'))
}

/** For connections that Fastify has handed over. */
export const endWithProblem = (socket: Duplex, problem: Problem): void => {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const body = JSON.stringify(problem.toBody())
  const challenge = challengeOf(problem)
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    ...(challenge === undefined ? [] : [`www-authenticate: ${challenge}`]),
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}

/** The only place where an error becomes a reply. */
export const installErrors = (app: FastifyInstance, log: Log, methods?: KnownMethods): void => {
  app.setErrorHandler((error, request: FastifyRequest, reply) => {
    const problem = tooLarge(error, request) ?? knownProblem(error)
    if (!problem) log('operation_failed', { err: error, operation: request.routeOptions.config.operation })
    return sendProblem(reply, problem ?? new Problem('internal_error'))
  })
  app.setNotFoundHandler((request, reply) => {
    const known = methods?.at(request.url) ?? []
    if (known.length === 0) return sendProblem(reply, new Problem('route_not_found'))
    void reply.header('allow', known.join(', '))
    return request.method === 'OPTIONS' ? reply.code(204).send() : sendProblem(reply, new Problem('method_not_allowed'))
  })
}

/** Methods of each address, to distinguish 405 from 404. */
export class KnownMethods {
  readonly #routes = new Map<string, { pattern: RegExp; methods: Set<string> }>()

  /** Install before the first route. */
  constructor(app: FastifyInstance) {
    app.addHook('onRoute', ({ url, method }) => {
      const route = this.#routes.get(url) ?? { pattern: patternOf(url), methods: new Set(['OPTIONS']) }
      for (const one of [method].flat()) route.methods.add(one)
      this.#routes.set(url, route)
    })
  }

  at(url: string): string[] {
    const path = url.split('?', 1)[0] ?? ''
    const found = [...this.#routes.values()].filter(({ pattern }) => pattern.test(path))
    return [...new Set(found.flatMap(({ methods }) => [...methods]))].toSorted()
  }
}

/** `/v1/users/:userId` → pattern of such an address. */
const patternOf = (url: string): RegExp => new RegExp(`^${url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`)
