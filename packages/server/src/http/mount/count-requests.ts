import type { FastifyInstance } from 'fastify'
import type { Measurements } from '#core/operate/metrics/measurements.ts'

/** Operations of the interface only; event streams are left out, because they last as long as the client listens. */
export const countRequests = (app: FastifyInstance, measurements: Measurements): void => {
  app.addHook('onResponse', (request, reply, done) => {
    const streams = String(reply.getHeader('content-type') ?? '').startsWith('text/event-stream')
    if (request.routeOptions.config.operation !== undefined && !streams) measurements.requested(reply.elapsedTime, reply.statusCode)
    done()
  })
}
