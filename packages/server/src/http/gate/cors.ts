import type { FastifyInstance } from 'fastify'

/** Operations with a bearer token, and those that issue one; not the pages, and not the APIs of operators and carriers. */
const open = /^\/(v[123]\/|\.well-known\/|mcp(\?|$))/

/** Endpoints that check passwords: pages of other sites must not guess them with their visitors' browsers. */
const closed = /^\/v1\/(authorization\/token|passwordreset)(\/|\?|$)/

const methods = 'GET, HEAD, POST, PUT, DELETE'
const asked =
  'authorization, content-type, idempotency-key, last-event-id, range, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name'
const exposed =
  'www-authenticate, retry-after, location, allow, content-disposition, content-range, etag, link, ratelimit, ratelimit-policy, offhook-incomplete, offhook-ignored-parameters'
const keepSeconds = '7200'

/**
 * Lets pages of other sites call the API with their own token (Fetch standard, CORS protocol). Cookies have no effect there, so
 * any site may; `origins` can narrow it, an empty list disables it. OPTIONS itself is answered as for every known address.
 */
export const allowOtherSites = (app: FastifyInstance, origins: readonly string[]): void => {
  if (origins.length === 0) return
  const anyOrigin = origins.includes('*')
  app.addHook('onRequest', ({ method, url, headers }, reply, done) => {
    const { origin } = headers
    // Most requests come from programs, which send no Origin.
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
