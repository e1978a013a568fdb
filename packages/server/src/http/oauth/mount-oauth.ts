import type { IncomingMessage } from 'node:http'
import { loginOperations } from '@offhook/contract/login/token.ts'
import type { Operation } from '@offhook/contract/operation.ts'
import { authorizationOperations } from '@offhook/contract/v1/authorization.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import type Provider from 'oidc-provider'
import { text } from '#core/kernel/translations/index.ts'
import type { Log } from '#log/log-events.ts'
import { acceptOnlyForms } from '../mount/body.ts'
import type { Gate } from '../gate/gate.ts'
import { marksIn } from '../handler/known-browsers.ts'
import type { HandlerDeps, LoginDeps } from '../handler/handler-parts.ts'
import { mountInteractionPages } from './interaction-pages.ts'
import { installOauthErrors } from './oauth-errors.ts'
import { localeOf } from './page.ts'
import { noticePage } from './pages.ts'
import { passwordLogin } from './password-login.ts'
import { buildProvider } from './provider.ts'
import { mountResetPages } from './reset-pages.ts'
import { sendPage } from './send-page.ts'
import { introspectToken, revokeToken } from './token-endpoints.ts'

const {
  authorize,
  exchangeToken,
  registerClient,
  getSigningKeys,
  revokeToken: revoke,
  introspectToken: introspect,
} = authorizationOperations
const { logIn, logInForToken, getOpenidConfiguration } = loginOperations

/** Bytes; a login is small. */
const bodyLimit = 16 * 1024

/** The identity provider for OAuth and OpenID Connect clients, with its login and consent pages. */
export const mountOauth = (app: FastifyInstance, deps: LoginDeps & Pick<HandlerDeps, 'authenticator' | 'log'>, gate: Gate): void => {
  const load = loadOnce(() => buildProvider(deps, (error) => deps.log('identity_provider_failed', { err: error })))
  const admit = (operation: Operation) => ({
    config: { operation: operation.id },
    onRequest: gate.guard(operation),
  })

  void app.register((scope, _options, done) => {
    leaveBodiesUnread(scope)
    installOauthErrors(scope, deps.log)
    const toProvider = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const callback = (await load()).callback()
      presentAs(deps.installation.publicUrl(), request.raw)
      takeCorsAlong(reply)
      await callback(request.raw, reply.raw)
    }
    const route = (operation: Operation, url: string, method: HTTPMethods): void => {
      scope.route({ method, url, ...admit(operation), handler: toProvider })
    }
    route(authorize, authorize.path, 'GET')
    route(authorize, `${authorize.path}/:uid`, 'GET')
    route(exchangeToken, exchangeToken.path, 'POST')
    route(registerClient, registerClient.path, 'POST')
    route(getSigningKeys, getSigningKeys.path, 'GET')
    route(getOpenidConfiguration, getOpenidConfiguration.path, 'GET')
    route(getOpenidConfiguration, '/.well-known/oauth-authorization-server', 'GET')
    done()
  })

  void app.register((scope, _options, done) => {
    acceptOnlyForms(scope)
    installOauthErrors(scope, deps.log)
    for (const operation of [logIn, logInForToken])
      scope.post(operation.path, { ...admit(operation), bodyLimit }, (request) =>
        passwordLogin(deps, (request.body ?? {}) as Record<string, string>, { ip: request.ip, marks: marksIn(request.headers.cookie) }),
      )
    scope.post(revoke.path, { ...admit(revoke), bodyLimit }, async ({ body, headers }, reply) => {
      await revokeToken(deps, (body ?? {}) as Record<string, string>, headers.authorization)
      return reply.code(revoke.status).send()
    })
    scope.post(introspect.path, { ...admit(introspect), bodyLimit }, ({ body, headers }) =>
      introspectToken(deps, (body ?? {}) as Record<string, string>, headers.authorization),
    )
    done()
  })

  void app.register((scope, _options, done) => {
    acceptOnlyForms(scope)
    showErrorsAsPages(scope, deps.log)
    mountInteractionPages(scope, deps, load)
    mountResetPages(scope, deps)
    done()
  })
}

/** One for the life of the service; a failed try is not kept. */
const loadOnce = (build: () => Promise<Provider>): (() => Promise<Provider>) => {
  let built: Promise<Provider> | undefined
  return () => {
    built ??= build().catch((error: unknown) => {
      built = undefined
      throw error
    })
    return built
  }
}

/** The provider reads requests by itself. */
const leaveBodiesUnread = (scope: FastifyInstance): void => {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
}

/** From here on the provider answers; which other sites may read it has been decided (`cors.ts`). */
const takeCorsAlong = (reply: FastifyReply): void => {
  reply.hijack()
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined && name.startsWith('access-control-')) reply.raw.setHeader(name, value)
}

/** The provider makes addresses from the request, so it is shown the request as it would be at our public address, whatever came in. */
const presentAs = (publicUrl: string, request: IncomingMessage): void => {
  const { host, protocol, pathname } = new URL(publicUrl)
  Object.assign(request.headers, { host, 'x-forwarded-proto': protocol.slice(0, -1) })
  delete request.headers['x-forwarded-host']
  Object.assign(request, { baseUrl: pathname.replace(/\/$/, ''), url: simplify(request.url ?? '') })
}

/**
 * Some clients send an array of scopes as a repeated parameter. `all` stands for each scope, so also for `openid`. And a response mode
 * that we do not offer is made one that the provider does not know, because for some it would answer even errors with a script.
 */
const simplify = (url: string): string => {
  const mark = url.indexOf('?')
  if (mark < 0) return url
  const parameters = new URLSearchParams(url.slice(mark))
  const names = new Set([...parameters.getAll('scope'), ...parameters.getAll('scope[]')].flatMap((value) => value.split(' ')))
  names.delete('')
  if (names.has('all')) names.add('openid')
  parameters.delete('scope[]')
  parameters.set('scope', [...names].join(' '))
  if (parameters.getAll('response_mode').some((mode) => mode !== 'query')) parameters.set('response_mode', 'unsupported')
  return `${url.slice(0, mark)}?${parameters.toString()}`
}

const showErrorsAsPages = (scope: FastifyInstance, log: Log): void => {
  scope.setErrorHandler((error, request, reply) => {
    const { statusCode, status, retryAfter } = error as { statusCode?: number; status?: number; retryAfter?: number }
    const locale = localeOf(request.headers['accept-language'])
    const known = statusCode ?? status ?? 500
    if (known >= 500) log('login_page_failed', { err: error })
    if (retryAfter !== undefined) void reply.header('retry-after', String(retryAfter))
    const key = known >= 500 ? 'error.internal_error' : known === 429 ? 'error.rate_limited' : 'page.login.expired'
    return sendPage(reply, noticePage(locale, text(locale, 'page.error.title'), text(locale, key)), known)
  })
}
