import type { FastifyInstance } from 'fastify'

/** Operations with a bearer token, and those that issue one; not the pages, and not the interfaces of operators and carriers. */
const open = /^\/(v[123]\/|\.well-known\/|mcp(\?|$))/

/** Where passwords are checked: pages of other sites must not guess them with their visitors' browsers. */
const closed = /^\/v1\/(authorization\/token|passwordreset)(\/|\?|$)/

const methods = 'GET, HEAD, POST, PUT, DELETE'
const asked =
  'authorization, content-type, idempotency-key, last-event-id, range, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name'
const exposed = 'www-authenticate, retry-after, location, allow, content-disposition, content-range, etag, offhook-incomplete'
const keepSeconds = '7200'

/**
 * Lets pages of other sites call the interface with a token of theirs (Fetch standard, CORS protocol). Cookies count for nothing there, so
 * any site may; `origins` can be narrowed, and empty it is off. OPTIONS itself is answered like for every known address.
 */
export const allowOtherSites = (app: FastifyInstance, origins: readonly string[]): void => {
  if (origins.length === 0) return
  const anyOrigin = origins.includes('*')
  app.addHook('onRequest', ({ method, url, headers }, reply, done) => {
    const { origin } = headers
    // Programs, which have no origin, are most of all.
    if ((origin !== undefined || !anyOrigin) && open.test(url) && !closed.test(url)) {
      if (!anyOrigin) void reply.header('vary', 'origin')
      if (origin !== undefined && (anyOrigin || origins.includes(origin))) {
        void reply.header('access-control-allow-origin', anyOrigin ? '*' : origin).header('access-control-expose-headers', exposed)
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
