import { Problem } from '@offhook/contract/problem.ts'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { UniqueViolation } from '../core/ports/store/index.ts'

/** What Fastify itself finds wrong with a request, in our words. */
const fastifyProblems: Record<string, () => Problem> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new Problem('body_too_large'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => new Problem('media_type_unsupported'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => new Problem('parameter_invalid', 'Content-Length does not match the body.'),
  FST_ERR_BAD_URL: () => new Problem('route_not_found'),
}

const toProblem = (error: unknown): Problem | undefined => {
  if (error instanceof Problem) return error
  if (error instanceof UniqueViolation) return new Problem('already_exists')
  const code = (error as Partial<FastifyError>).code
  return code === undefined ? undefined : fastifyProblems[code]?.()
}

export const sendProblem = (reply: FastifyReply, problem: Problem): FastifyReply => {
  if (problem.retryAfter !== undefined) void reply.header('retry-after', String(problem.retryAfter))
  if (problem.status === 401) void reply.header('www-authenticate', 'Bearer')
  return reply.code(problem.status).type('application/json; charset=utf-8').send(JSON.stringify(problem.toBody()))
}

/** The one place where a thrown thing becomes an answer. */
export const installErrors = (app: FastifyInstance): void => {
  app.setErrorHandler((error, request: FastifyRequest, reply) => {
    const problem = toProblem(error)
    if (!problem) request.log.error({ err: error, operation: request.routeOptions.config.operation }, 'an operation failed')
    return sendProblem(reply, problem ?? new Problem('internal_error'))
  })
  app.setNotFoundHandler((_request, reply) => sendProblem(reply, new Problem('route_not_found')))
}
