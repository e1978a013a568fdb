import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify'

import { identifyCarrier } from '../core/portings/identify-carrier.ts'
import { installBodyParsers } from './body.ts'
import { mountOptinPages } from './carrier/optin-page.ts'
import { installErrors } from './errors.ts'
import { Gate } from './gate.ts'
import { IdempotentReplies } from './idempotency.ts'
import { mountOauth } from './oauth/mount-oauth.ts'
import { mountPages } from './pages.ts'
import type { Parts } from './parts.ts'
import { RateLimit } from './rate-limit.ts'
import { mountAll } from './routes.ts'

export interface ServerOptions {
  logger: FastifyBaseLogger
  rateLimit: number
  trustProxy: boolean
}

/** The HTTP side of the service, not yet listening. */
export const buildServer = (parts: Parts, { logger, rateLimit, trustProxy }: ServerOptions): FastifyInstance => {
  const app = Fastify({
    loggerInstance: logger,
    // Addresses hold phone numbers and reset links; what failed is logged by the error handler.
    childLoggerFactory: (parent) => parent, // what we log names its operation; an id for each request would be paid by all
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy,
    connectionTimeout: 0,
    requestTimeout: 30_000,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: false },
  })
  app.decorateRequest('caller', undefined)
  app.decorateRequest('rawBody', '')
  app.addHook('onRequest', (_request, reply, done) => {
    void reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff')
    done()
  })
  installBodyParsers(app)
  installErrors(app)
  const { store, clock, authenticator } = parts
  const gate = new Gate({
    store,
    authenticator,
    rateLimit: new RateLimit(clock, rateLimit),
    identifyCarrier: (headers, body) => identifyCarrier(parts, headers, body),
  })
  mountAll({ app, gate, idempotent: new IdempotentReplies(store, clock) }, parts)
  mountOauth(app, parts, gate)
  mountPages(app, parts)
  mountOptinPages(app, parts)
  return app
}
