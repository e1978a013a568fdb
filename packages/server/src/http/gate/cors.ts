import type { FastifyInstance } from 'fastify'

/** What a bearer token opens, and what belongs to getting one; not the pages, and not the operator's and carriers' interfaces. */
const open = /^\/(v[123]\/|\.well-known\/)/

/** Where passwords are tried: not with the browsers of people who happen to look at some page. */
const closed = /^\/v1\/(authorization\/token|passwordreset)(\/|\?|$)/

const methods = 'GET, HEAD, POST, PUT, DELETE'
const asked = 'authorization, content-type, idempotency-key, last-event-id, range'
const exposed = 'www-authenticate, retry-after, location, allow, content-disposition, content-range, etag'
const keepSeconds = '7200'

/**
 * Lets pages of other sites call the interface with a token of theirs (Fetch standard, CORS protocol). Cookies count for nothing there, so
 * any site may; `origins` can be narrowed, and empty it is off. OPTIONS itself is answered like for every known address.
 */
export const allowOtherSites = (app: FastifyInstance, origins: readonly string[]): void => {
  if (origins.length === 0) return
  const anybody = origins.includes('*')
  app.addHook('onRequest', ({ method, url, headers }, reply, done) => {
    if (open.test(url) && !closed.test(url)) {
      if (!anybody) void reply.header('vary', 'origin')
      const { origin } = headers
      if (origin !== undefined && (anybody || origins.includes(origin))) {
        void reply.header('access-control-allow-origin', anybody ? '*' : origin).header('access-control-expose-headers', exposed)
        if (method === 'OPTIONS' && headers['access-control-request-method'] !== undefined)
          void reply
            .header('access-control-allow-methods', methods)
            .header('access-control-allow-headers', asked)
            .header('access-control-max-age', keepSeconds)
      }
    }
    done()
  })
}
