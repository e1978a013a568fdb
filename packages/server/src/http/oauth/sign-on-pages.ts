import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '@offhook/contract/problem.ts'
import { signIn } from '#core/account/accounts/sign-in.ts'
import { openAnswer, sealAnswer, sealLogin, sealTicket, spend, type BegunLogin } from '#core/account/identity/single-sign-on/tickets.ts'
import { SignOnFailure, type SignOnClaims, type SignOnStart } from '#core/kernel/ports/sign-on.ts'
import type { IdentityProvider } from '#core/kernel/ports/store/single-sign-on.ts'
import { text } from '#core/kernel/translations/index.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { localeOf } from './page.ts'
import { noticePage } from './pages.ts'
import { interactionPath } from './provider.ts'
import { sendPage } from './interaction-pages.ts'
import { loginCookie, loginIn } from '../handler/sign-on-cookie.ts'
import { signOnPaths } from '../handler/sign-on-paths.ts'

type SignOnDeps = Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'passwords' | 'signOn' | 'installation' | 'log'>

/** A response of 256 kB in Base64, of which every tenth character is escaped. */
const maxResponseBytes = 450_000

/** Pages between this service and an identity provider: a browser begins a login here and comes back with the answer. */
export const mountSignOnPages = (app: FastifyInstance, deps: SignOnDeps): void => {
  const paths = signOnPaths('', ':providerId')
  app.get(paths.login, (request, reply) => orFailure(deps, request, reply, () => begin(deps, request, reply)))
  app.get(paths.callback, (request, reply) => orFailure(deps, request, reply, () => finishOidc(deps, request, reply)))
  app.get(paths.finish, (request, reply) => orFailure(deps, request, reply, () => finishSaml(deps, request, reply)))
  app.get(paths.metadata, (request, reply) => orFailure(deps, request, reply, () => sendMetadata(deps, request, reply)))
  void app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, next) => next(null, body))
    scope.post(paths.assertion, { bodyLimit: maxResponseBytes }, (request, reply) =>
      orFailure(deps, request, reply, () => readAssertion(deps, request, reply)),
    )
    done()
  })
}

const begin = async (deps: SignOnDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
  const provider = await providerOf(deps, request)
  const { url, checks } = await startOf(deps, provider)
  const { interaction } = request.query as { interaction?: string }
  const waiting = interaction !== undefined && /^[\w-]{1,64}$/.test(interaction) ? { interaction } : {}
  void reply.header('set-cookie', loginCookie(deps, sealLogin(deps, { providerId: provider.id, checks, ...waiting })))
  return reply.header('cache-control', 'no-store').redirect(url, 302)
}

const startOf = async ({ vault, signOn, installation }: SignOnDeps, provider: IdentityProvider): Promise<SignOnStart> => {
  const paths = signOnPaths(installation.publicUrl(), provider.id)
  const { oidc, saml } = provider.settings
  if (saml) return signOn.saml.begin(saml, serviceOf(installation, provider))
  if (!oidc) throw new SignOnFailure('the provider has no settings')
  return signOn.oidc.begin(oidc, openSecret(vault, provider), paths.callback)
}

const serviceOf = ({ publicUrl }: SignOnDeps['installation'], { id }: IdentityProvider) => {
  const { metadata, assertion } = signOnPaths(publicUrl(), id)
  return { metadataUrl: metadata, callbackUrl: assertion }
}

const openSecret = (vault: SignOnDeps['vault'], { secretSealed }: IdentityProvider): string | undefined =>
  secretSealed === undefined ? undefined : vault.open(secretSealed)

const finishOidc = async (deps: SignOnDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
  const { store, clock, vault, signOn, installation } = deps
  const provider = await providerOf(deps, request)
  const login = await begunLogin(deps, request, provider)
  const { oidc, groupsClaim } = provider.settings
  if (!oidc) throw new SignOnFailure('the provider speaks another protocol')
  if (!(await spend(store, clock, `login ${login.checks.state}`, login.expires))) throw new SignOnFailure('the login was finished before')
  const url = new URL(signOnPaths(installation.publicUrl(), provider.id).callback)
  url.search = request.url.includes('?') ? request.url.slice(request.url.indexOf('?')) : ''
  const claims = await signOn.oidc.finish(oidc, openSecret(vault, provider), { url, checks: login.checks, groupsClaim })
  return enter(deps, reply, { provider, login, claims })
}

/**
 * A SAML response comes from a form of the provider's page, without the cookie of this one. So it is checked here, and goes on sealed to the
 * next request, which has the cookie.
 */
const readAssertion = async (deps: SignOnDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
  const { store, clock, signOn, installation } = deps
  const provider = await providerOf(deps, request)
  const { saml, groupsClaim, roles } = provider.settings
  if (!saml) throw new SignOnFailure('the provider speaks another protocol')
  const response = new URLSearchParams(typeof request.body === 'string' ? request.body : '').get('SAMLResponse') ?? ''
  const answer = await signOn.saml.read(saml, serviceOf(installation, provider), { response, groupsClaim })
  if (!(await spend(store, clock, `assertion ${provider.id} ${answer.assertionId}`, answer.expiresAt)))
    throw new SignOnFailure('the assertion was used before')
  const groups = answer.claims.groups.filter((group) => roles.some((role) => role.group === group))
  const sealed = sealAnswer(deps, { providerId: provider.id, inResponseTo: answer.inResponseTo, claims: { ...answer.claims, groups } })
  const { finish } = signOnPaths(installation.publicUrl(), provider.id)
  return reply.header('cache-control', 'no-store').redirect(`${finish}?answer=${encodeURIComponent(sealed)}`, 303)
}

const finishSaml = async (deps: SignOnDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
  const { store, clock } = deps
  const provider = await providerOf(deps, request)
  const login = await begunLogin(deps, request, provider)
  const answer = openAnswer(deps, (request.query as { answer?: string }).answer ?? '')
  if (answer?.providerId !== provider.id || answer.inResponseTo !== login.checks.state)
    throw new SignOnFailure('the answer is not for the login that this browser has begun')
  if (!(await spend(store, clock, `login ${login.checks.state}`, login.expires))) throw new SignOnFailure('the login was finished before')
  return enter(deps, reply, { provider, login, claims: answer.claims })
}

const sendMetadata = async (deps: SignOnDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
  const provider = await providerOf(deps, request)
  if (provider.kind !== 'SAML') throw new Problem('not_found')
  return reply.type('application/samlmetadata+xml').send(deps.signOn.saml.metadata(serviceOf(deps.installation, provider)))
}

/** The login that this browser has begun with this provider. */
const begunLogin = async (deps: SignOnDeps, request: FastifyRequest, { id }: IdentityProvider): Promise<BegunLogin> => {
  const login = loginIn(deps, request.headers.cookie)
  if (login?.providerId !== id) throw new SignOnFailure('this browser has not begun a login, or too long ago')
  return login
}

interface Entering {
  provider: IdentityProvider
  login: BegunLogin
  claims: SignOnClaims
}

/** Sends the browser on with a ticket, which it exchanges once. It is in the fragment, so that no log has it. */
const enter = async (deps: SignOnDeps, reply: FastifyReply, { provider, login, claims }: Entering): Promise<FastifyReply> => {
  const { accountId, userId } = await signIn(deps, provider, claims)
  const { browser, interaction } = login
  const secondFactor = claims.secondFactor || provider.settings.secondFactorAtProvider
  const ticket = sealTicket(deps, { providerId: provider.id, accountId, userId, browser, secondFactor, hint: claims.hint })
  const publicUrl = deps.installation.publicUrl()
  const target =
    interaction === undefined
      ? `${publicUrl}/console/#sign-on=${encodeURIComponent(ticket)}`
      : `${publicUrl}${interactionPath(interaction)}?sign-on=${encodeURIComponent(ticket)}`
  return reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer').redirect(target, 303)
}

const providerOf = async ({ store }: SignOnDeps, request: FastifyRequest): Promise<IdentityProvider> => {
  const provider = await store.read.identityProviders.findAnywhere((request.params as { providerId: string }).providerId)
  if (!provider) throw new Problem('not_found')
  return provider
}

const orFailure = async (
  { log }: SignOnDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> => {
  try {
    return await work()
  } catch (error) {
    const isKnown = error instanceof Problem || error instanceof SignOnFailure
    if (!isKnown) throw error
    log('sign_on_rejected', { provider: (request.params as { providerId: string }).providerId, reason: error.message.slice(0, 300) })
    const locale = localeOf(request.headers['accept-language'])
    const reason = error instanceof Problem && error.code === 'single_sign_on_failed' ? ` (${error.message})` : ''
    const page = noticePage(locale, text(locale, 'page.login.title'), `${text(locale, 'page.sign_on.failed')}${reason}`)
    return sendPage(reply, page, error instanceof Problem ? error.status : 401)
  }
}
