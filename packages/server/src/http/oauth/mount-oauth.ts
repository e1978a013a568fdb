import type { IncomingMessage, ServerResponse } from 'node:http'
import { loginOperations } from '@offhook/contract/login/token.ts'
import type { Operation } from '@offhook/contract/operation.ts'
import { authorizationOperations, type TokenState } from '@offhook/contract/v1/authorization.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import type Provider from 'oidc-provider'
import { takeCreation, type CreationKind } from '#core/account/identity/attempts/creation-limits.ts'
import { text, type Locale } from '#core/kernel/translations/index.ts'
import type { Log } from '#log/log-events.ts'
import { acceptOnlyForms } from '../mount/body.ts'
import type { Gate } from '../gate/gate.ts'
import { marksIn } from '../handler/known-browsers.ts'
import type { HandlerDeps, LoginDeps } from '../handler/handler-deps.ts'
import { mountSignOnPages } from './sign-on-pages.ts'
import { mountInteractionPages } from './interaction-pages.ts'
import { sendPage } from './interaction-pages.ts'
import { installOauthErrors, OauthError } from './oauth-errors.ts'
import { localeOf } from './page.ts'
import { noticePage, resetPage } from './pages.ts'
import { passwordLogin } from './password-login.ts'
import { required, type Form } from './password-login.ts'
import { buildProvider, interactionPath } from './provider.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { isOpenReset, resetPassword } from '#core/account/identity/passwords/password-reset.ts'
import type { Static } from 'typebox'
import { findApp } from '#core/account/identity/oauth/connected-apps.ts'
import { findOauthToken, revokeOauthToken } from '#core/account/identity/oauth/oauth-tokens.ts'
import { isSecretOf } from '#core/account/identity/tokens/tokens.ts'

/**
 * Revocation and introspection. The identity provider's own implementation rejects tokens that look like a JWT, as ours do.
 * Unknown tokens are accepted: they are already invalid, as their holder wants (RFC 7009 §2.2).
 */
const revokeToken = async (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'authenticator' | 'installation'>,
  form: Form,
  authorization: string | undefined,
): Promise<void> => {
  const { clientId } = await identifyClient(deps, form, authorization)
  const token = required(form, 'token')
  const found = await findOauthToken(deps, token, deps.clock.now())
  if (!found) return
  if (found.clientId !== clientId) throw new OauthError('invalid_request', 'The token was given to another client.')
  await deps.store.write((tables) => revokeOauthToken(tables, token, found))
  deps.authenticator.forget()
}

const introspectToken = async (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'authenticator' | 'installation'>,
  form: Form,
  authorization: string | undefined,
): Promise<Static<typeof TokenState>> => {
  const client = await identifyClient(deps, form, authorization)
  if (!client.isRegistered) throw new OauthError('invalid_client', 'Only registered clients may ask.', { status: 401 })
  const found = await findOauthToken(deps, required(form, 'token'), deps.clock.now())
  if (found?.clientId !== client.clientId) return { active: false }
  const { kind, clientId, subject, scope, expiresAt } = found
  return {
    active: true,
    scope,
    client_id: clientId,
    ...(kind === 'access' && { token_type: 'Bearer' }),
    exp: Math.floor(expiresAt / 1000),
    sub: subject,
    iss: deps.installation.publicUrl(),
  }
}

interface KnownClient {
  clientId: string
  isRegistered: boolean
}

/** Public clients and programs with a password login have no secret; the token is sufficient proof. */
const identifyClient = async (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'vault'>,
  form: Form,
  authorization: string | undefined,
): Promise<KnownClient> => {
  const { clientId, secret } = inHeader(authorization) ?? { clientId: required(form, 'client_id'), secret: form.client_secret }
  const secretHash = (await findApp(deps.store.read, deps, clientId))?.secretHash
  const isRight = secretHash === undefined ? secret === undefined : secret !== undefined && isSecretOf(secretHash, secret)
  if (!isRight) throw new OauthError('invalid_client', 'The client is unknown, or its secret is wrong.', { status: 401 })
  return { clientId, isRegistered: secretHash !== undefined }
}

/** Basic, with both halves form-encoded (RFC 6749 §2.3.1). */
const inHeader = (authorization: string | undefined): { clientId: string; secret: string } | undefined => {
  const [, encoded] = /^basic +([\w+/=-]+)$/i.exec(authorization ?? '') ?? []
  if (encoded === undefined) return undefined
  const pair = Buffer.from(encoded, 'base64').toString()
  const [clientId = '', secret = ''] = pair.split(':', 2).map((half) => new URLSearchParams(`half=${half}`).get('half') ?? '')
  if (clientId.includes('\0')) throw new OauthError('invalid_client', 'The client is unknown.', { status: 401 })
  return { clientId, secret }
}

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

/** Identity provider for OAuth and OpenID Connect clients, with its login and consent pages. */
export const mountOauth = (app: FastifyInstance, deps: LoginDeps & Pick<HandlerDeps, 'authenticator' | 'log'>, gate: Gate): void => {
  const load = loadOnce(() => buildProvider(deps, (error) => deps.log('identity_provider_failed', { err: error })))
  const admit = (operation: Operation) => ({
    config: { operation: operation.id },
    onRequest: gate.guard(operation),
  })

  void app.register((scope, _options, done) => {
    leaveBodiesUnread(scope)
    installOauthErrors(scope, deps.log)
    const toProvider: Answer = async (request, reply) => {
      const callback = (await load()).callback()
      presentAs(deps.installation.publicUrl(), request.raw)
      takeCorsAlong(reply)
      await callback(request.raw, reply.raw)
    }
    const route = (operation: Operation, url: string, method: HTTPMethods, handler = toProvider): void => {
      scope.route({ method, url, ...admit(operation), handler })
    }
    route(authorize, authorize.path, 'GET', counted(deps, 'interaction', leadsToLogin, toProvider))
    route(authorize, `${authorize.path}/:uid`, 'GET')
    route(exchangeToken, exchangeToken.path, 'POST')
    route(registerClient, registerClient.path, 'POST', counted(deps, 'client', isRegistered, toProvider))
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
    mountSignOnPages(scope, deps)
    done()
  })
}

type Answer = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** Counts the records that an address creates without a login. */
const counted =
  (deps: Pick<HandlerDeps, 'store' | 'clock'>, kind: CreationKind, isCreated: (reply: ServerResponse) => boolean, answer: Answer): Answer =>
  async (request, reply) => {
    const taken = await deps.store.write((tables) => takeCreation(tables, deps.clock, kind, request.ip))
    await answer(request, reply)
    if (isCreated(reply.raw)) return
    // The reply is sent. A failure here costs the address one attempt.
    await deps.store.write(({ attempts }) => attempts.forgive(taken)).catch(() => undefined)
  }

const isRegistered = ({ statusCode }: ServerResponse): boolean => statusCode === 201

const leadsToLogin = (reply: ServerResponse): boolean => String(reply.getHeader('location') ?? '').includes(interactionPath(''))

/** One provider per process; a failed load is not cached. */
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

/** The provider parses bodies itself. */
const leaveBodiesUnread = (scope: FastifyInstance): void => {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
}

/** The provider answers from here on; `cors.ts` has decided which other sites may read the reply. */
const takeCorsAlong = (reply: FastifyReply): void => {
  reply.hijack()
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined && name.startsWith('access-control-')) reply.raw.setHeader(name, value)
}

/** The provider derives addresses from the request, so the request is rewritten to our public address. */
const presentAs = (publicUrl: string, request: IncomingMessage): void => {
  const { host, protocol, pathname } = new URL(publicUrl)
  Object.assign(request.headers, { host, 'x-forwarded-proto': protocol.slice(0, -1) })
  delete request.headers['x-forwarded-host']
  Object.assign(request, { baseUrl: pathname.replace(/\/$/, ''), url: simplify(request.url ?? '') })
}

/**
 * Some clients send scopes as a repeated parameter. `all` includes every scope, also `openid`. A response mode
 * that we do not offer is replaced by an unknown one, because for some modes the provider would answer even errors with a script.
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

const path = '/login/reset/:nonce'

/** Page of the link in the reset mail. Same rules as `POST /v1/passwordreset/{nonce}`, for people. */
const mountResetPages = (app: FastifyInstance, deps: Pick<HandlerDeps, 'store' | 'clock' | 'passwords' | 'authenticator'>): void => {
  const nonceOf = (request: FastifyRequest): string => (request.params as { nonce: string }).nonce

  app.get(path, async (request, reply) => {
    const locale = localeOf(request.headers['accept-language'])
    return (await isOpenReset(deps, nonceOf(request))) ? sendPage(reply, resetPage(locale)) : sendExpired(reply, locale)
  })

  app.post(path, async (request, reply) => {
    const locale = localeOf(request.headers['accept-language'])
    const { password = '', passwordRepeat = '' } = (request.body ?? {}) as Record<string, string>
    try {
      await resetPassword(deps, nonceOf(request), { password, passwordRepeat })
    } catch (error) {
      if (error instanceof Problem) return sendProblemPage(reply, locale, error)
      throw error
    }
    deps.authenticator.forget()
    return sendPage(reply, noticePage(locale, text(locale, 'page.reset.title'), text(locale, 'page.reset.done')))
  })
}

const sendProblemPage = (reply: FastifyReply, locale: Locale, { code, status, details }: Problem): FastifyReply => {
  if (code === 'reset_nonce_unknown') return sendExpired(reply, locale)
  const key = details?.[0]?.field === 'passwordRepeat' ? 'page.reset.mismatch' : 'page.reset.weak'
  return sendPage(reply, resetPage(locale, text(locale, key)), status)
}

const sendExpired = (reply: FastifyReply, locale: Locale): FastifyReply =>
  sendPage(reply, noticePage(locale, text(locale, 'page.reset.title'), text(locale, 'page.reset.expired')), 404)
