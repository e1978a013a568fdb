import { Problem } from '@offhook/contract/problem.ts'
import type { FastifyInstance } from 'fastify'
import { StoreUnavailable } from '#core/kernel/ports/store/index.ts'
import type { Log } from '#log/log-events.ts'

type OauthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'slow_down'
  | 'temporarily_unavailable'
  | 'server_error'

/** An error of RFC 6749 §5.2. */
export class OauthError extends Error {
  readonly error: OauthErrorCode
  readonly status: number
  readonly retryAfter: number | undefined

  constructor(
    error: OauthErrorCode,
    description: string,
    { status = 400, retryAfter }: { status?: number; retryAfter?: number | undefined } = {},
  ) {
    super(description)
    this.name = 'OauthError'
    this.error = error
    this.status = status
    this.retryAfter = retryAfter
  }
}

export const databaseAway = (): OauthError =>
  new OauthError('temporarily_unavailable', 'The database is not answering.', { status: 503, retryAfter: 5 })

const toOauthError = (error: unknown): OauthError | undefined => {
  if (error instanceof OauthError) return error
  if (error instanceof StoreUnavailable) return databaseAway()
  if (!(error instanceof Problem)) return fromStatus((error as { statusCode?: unknown }).statusCode, (error as Error).message)
  const { code, status, message, retryAfter } = error
  if (code === 'rate_limited') return new OauthError('slow_down', message, { status, retryAfter })
  if (code === 'invalid_credentials') return new OauthError('invalid_grant', message)
  return fromStatus(status, message)
}

const fromStatus = (status: unknown, message: string): OauthError | undefined =>
  typeof status === 'number' && status < 500 ? new OauthError('invalid_request', message, { status }) : undefined

/** Uses the OAuth error format for this part of the API. */
export const installOauthErrors = (app: FastifyInstance, log: Log): void => {
  app.setErrorHandler((error, request, reply) => {
    const known = toOauthError(error)
    if (!known) log('identity_provider_failed', { err: error })
    const notified =
      known ?? new OauthError('server_error', 'Something went wrong in the service. The error has been logged.', { status: 500 })
    // Only for clients that sent the header: a browser would ask its user for a password (RFC 6749 §5.2).
    if (notified.error === 'invalid_client' && request.headers.authorization !== undefined)
      void reply.header('www-authenticate', 'Basic realm="offhook"')
    if (notified.retryAfter !== undefined) void reply.header('retry-after', String(notified.retryAfter))
    return reply
      .code(notified.status)
      .type('application/json; charset=utf-8')
      .send(JSON.stringify({ error: notified.error, error_description: notified.message }))
  })
}
