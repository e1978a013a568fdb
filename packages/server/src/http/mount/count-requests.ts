import type { FastifyInstance, onResponseHookHandler } from 'fastify'
import type { Measurements } from '#core/operate/metrics/measurements.ts'

/** Operations of the interface only; event streams are left out, because they last as long as the client listens. To be called before the first route. */
export const countRequests = (app: FastifyInstance, measurements: Measurements): void => {
  const count: onResponseHookHandler = (_request, reply, done) => {
    const streams = String(reply.getHeader('content-type') ?? '').startsWith('text/event-stream')
    if (!streams) measurements.requested(reply.elapsedTime, reply.statusCode)
    done()
  }
  // What a route is for is asked once: Fastify makes an object of all its options for every request that asks.
  app.addHook('onRoute', (route) => {
    if (route.config?.operation !== undefined) route.onResponse = count
  })
}
