import { Readable } from 'node:stream'
import { requireBoundedJson } from '@offhook/contract/bounded-json.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { grantableScopes } from '@offhook/contract/scopes.ts'
import { toolNames } from '@offhook/contract/tools.ts'
import { operations, type Operation } from '@offhook/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { withProblems } from '../mount/parse-json.ts'

const withoutBody = new Set([204, 205, 304])

/** Calls our own API in this process: requests pass the same gate as external ones. */
const innerFetch =
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

interface McpOptions {
  version: string
  /** Allowed origins; `*`: all. */
  origins: readonly string[]
}

type McpDeps = Pick<HandlerDeps, 'authenticator' | 'installation' | 'log'>

const path = '/mcp'
const metadataPath = '/.well-known/oauth-protected-resource'

/** Bytes: the draft of an assistant is the largest body. */
const bodyLimit = 600 * 1024

/**
 * MCP tools over HTTP. Every request carries its token and can be answered by any node; the tools call our own API
 * with that token, so that scopes, permissions and leashes apply as usual.
 */
export const mountMcp = (app: FastifyInstance, deps: McpDeps, { version, origins }: McpOptions): void => {
  const load = loadOnce(async () => {
    const { mcpOverHttp } = await import('@offhook/mcp/over-http.ts')
    const onFailure = (error: Error): void => deps.log('mcp_request_failed', { err: error })
    return mcpOverHttp({ fetch: innerFetch(app), version, onFailure })
  })

  for (const address of [metadataPath, metadataPath + path])
    app.get(address, (_request, reply) => reply.send(resourceMetadata(deps.installation.publicUrl())))

  void app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, body: Buffer, parsed) => {
      try {
        withProblems(() => requireBoundedJson(body.toString('latin1')))
        parsed(null, body)
      } catch (error) {
        parsed(error as Error)
      }
    })
    scope.route({
      method: ['POST', 'GET', 'DELETE'],
      url: path,
      handler: async (request, reply) => {
        requireOrigin(request, origins, deps.installation.publicUrl())
        if (!(await isKnown(deps, request))) return challenge(reply, request, deps.installation.publicUrl())
        return pass(reply, await (await load()).fetch(toWeb(request, deps.installation.publicUrl())))
      },
    })
    scope.addHook('preClose', async () => (await load.loaded())?.close())
    done()
  })
}

/** RFC 9728: protected resource metadata. */
const resourceMetadata = (publicUrl: string) => ({
  resource: publicUrl + path,
  authorization_servers: [publicUrl],
  bearer_methods_supported: ['header'],
  scopes_supported: toolScopes,
  resource_name: 'Offhook',
  resource_documentation: `${publicUrl}/docs/guides/mcp`,
})

/** Scopes that tools need, least first; `all` is for those that change assistants. */
const toolScopes = grantableScopes.filter((scope) =>
  Object.values<Operation>(operations).some(
    ({ tools = [], scopes = [] }) => scopes.includes(scope) && toolNames.some((name) => tools.includes(name)),
  ),
)

/** Rejects pages of other sites whose name resolves to this machine (DNS rebinding), before anything else. */
const requireOrigin = ({ headers: { origin } }: FastifyRequest, origins: readonly string[], publicUrl: string): void => {
  if (origin === undefined || origins.includes('*') || origins.includes(origin) || origin === new URL(publicUrl).origin) return
  throw new Problem('forbidden', 'Pages of this site are not allowed to ask here: see OFFHOOK_CORS.')
}

const isKnown = async ({ authenticator }: McpDeps, { headers }: FastifyRequest): Promise<boolean> => {
  const caller = await authenticator.identify(headers.authorization)
  return caller?.kind === 'user' && caller.scopes.length > 0
}

const challenge = (reply: FastifyReply, { headers }: FastifyRequest, publicUrl: string): FastifyReply => {
  const problem = new Problem(headers.authorization === undefined ? 'not_authenticated' : 'invalid_token')
  const reason = headers.authorization === undefined ? '' : 'error="invalid_token", '
  return reply
    .code(401)
    .header('www-authenticate', `Bearer ${reason}resource_metadata="${publicUrl}${metadataPath}${path}"`)
    .send(problem.toBody())
}

const toWeb = ({ method, headers, body }: FastifyRequest, publicUrl: string): Request => {
  const entries = Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as [string, string]] : []))
  return new Request(publicUrl + path, { method, headers: entries, ...(Buffer.isBuffer(body) && { body: new Uint8Array(body) }) })
}

const pass = (reply: FastifyReply, answer: Response): FastifyReply => {
  void reply.code(answer.status).headers(Object.fromEntries(answer.headers))
  return reply.send(answer.body === null ? '' : Readable.fromWeb(answer.body))
}

/** Loaded on first use: most installations never serve it. */
const loadOnce = <T>(build: () => Promise<T>): (() => Promise<T>) & { loaded: () => Promise<T | undefined> } => {
  let built: Promise<T> | undefined
  const load = (): Promise<T> => (built ??= build())
  return Object.assign(load, { loaded: async () => built })
}
