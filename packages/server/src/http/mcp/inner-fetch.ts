import type { FastifyInstance } from 'fastify'

const withoutBody = new Set([204, 205, 304])

/** Asks our own interface, in this process: what is asked goes through the same gate as what comes from outside. */
export const innerFetch =
  (app: FastifyInstance): typeof fetch =>
  async (input, init) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input)
    const reply = await app.inject({
      method: init?.method ?? 'GET',
      url: pathname + search,
      headers: Object.fromEntries(new Headers(init?.headers)),
      ...(typeof init?.body === 'string' && { payload: init.body }),
    })
    const body = withoutBody.has(reply.statusCode) ? null : new Uint8Array(reply.rawPayload)
    return new Response(body, { status: reply.statusCode })
  }
