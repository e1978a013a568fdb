import type Provider from 'oidc-provider'
import type { InteractionResults } from 'oidc-provider'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '@offhook/contract/problem.ts'
import { verifyUser } from '#core/account/identity/login/log-in.ts'
import { openChallenge, hasSecondFactor, methodsOf, personOfUser } from '#core/account/identity/second-factor/challenge.ts'
import { proveSecondFactor } from '#core/account/identity/second-factor/prove.ts'
import { resumeLogin } from '#core/account/identity/second-factor/resume-login.ts'
import type { Credentials } from '#core/kernel/ports/store/account.ts'
import { text, type Locale } from '#core/kernel/translations/index.ts'
import { markCookie, marksIn } from '../handler/known-browsers.ts'
import type { HandlerDeps, LoginDeps } from '../handler/handler-deps.ts'
import { localeOf, type renderPage } from './page.ts'
import { loginCookie, loginIn } from '../handler/sign-on-cookie.ts'
import { signOnPaths } from '../handler/sign-on-paths.ts'
import { redeemTicket } from '#core/account/identity/single-sign-on/tickets.ts'
import { codePage, consentPage, loginPage, signOnPage } from './pages.ts'
import { interactionPath } from './provider.ts'
import { secondFactorShown } from './token-reply.ts'
import { holdNewApp } from '#core/account/identity/leashes/leashes.ts'
import { keepApp } from '#core/account/identity/oauth/connected-apps.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

interface Visit {
  provider: Provider
  interaction: Interaction
  request: FastifyRequest
  reply: FastifyReply
}

/** Login and consent pages. Each is bound to one browser by the signed cookie that `authorize` set there. */
export const mountInteractionPages = (app: FastifyInstance, deps: LoginDeps, load: () => Promise<Provider>): void => {
  const visit = async (request: FastifyRequest, reply: FastifyReply): Promise<Visit> => {
    const provider = await load()
    const interaction = await provider.interactionDetails(request.raw, reply.raw)
    if (interaction.uid !== (request.params as { uid: string }).uid) throw new Problem('not_found')
    return { provider, interaction, request, reply }
  }

  app.get(interactionPath(':uid'), async (request, reply) => {
    const visited = await visit(request, reply)
    if (visited.interaction.prompt.name !== 'login') return showConsent(visited)
    const { 'sign-on': ticket } = request.query as { 'sign-on'?: string }
    return ticket === undefined ? showLogin(visited) : finishSignOn(deps, visited, ticket)
  })

  app.post(interactionPath(':uid'), async (request, reply) => {
    const visited = await visit(request, reply)
    const form = (request.body ?? {}) as Record<string, string>
    if (visited.interaction.prompt.name !== 'login') return decide(deps, visited, form)
    return form.signOn === undefined ? logIn(deps, visited, form) : beginSignOn(deps, visited, form)
  })
}

const showLogin = ({ interaction, request, reply }: Visit, email = hintOf(interaction), problem?: Problem): FastifyReply => {
  const locale = localeOf(request.headers['accept-language'])
  const page = loginPage({ locale, email, formTarget: targetOf(interaction), ...(problem && { problem: wordsFor(locale, problem) }) })
  return sendAnswer(reply, page, problem)
}

/** Second login page, for users with a second factor. */
const showCode = async (
  deps: LoginDeps,
  { interaction, request, reply }: Visit,
  challenge: string,
  problem: Problem,
): Promise<FastifyReply> => {
  const locale = localeOf(request.headers['accept-language'])
  const asked = problem.code === 'second_factor_required'
  const methods = await methodsOf(deps.store.read, openChallenge(deps, challenge)?.subject ?? '')
  const shown = { locale, challenge, hasApp: methods.includes('TOTP'), formTarget: targetOf(interaction) }
  const page = codePage({ ...shown, ...(!asked && { problem: wordsFor(locale, problem) }) })
  return sendAnswer(reply, page, asked ? undefined : problem)
}

const sendAnswer = (reply: FastifyReply, page: Parameters<typeof sendPage>[1], problem: Problem | undefined): FastifyReply => {
  if (problem?.retryAfter !== undefined) void reply.header('retry-after', String(problem.retryAfter))
  return sendPage(reply, page, problem?.status)
}

const wordsFor = (locale: Locale, { code }: Problem): string => {
  if (code === 'rate_limited') return text(locale, 'page.login.locked')
  if (code === 'identity_provider_not_found') return text(locale, 'page.login.sign_on_unknown')
  if (code === 'single_sign_on_required') return text(locale, 'page.login.sign_on_required')
  if (code === 'sign_on_ticket_invalid' || code === 'single_sign_on_failed') return text(locale, 'page.sign_on.failed')
  if (code === 'second_factor_wrong') return text(locale, 'page.code.failed')
  return text(locale, code === 'second_factor_missing' ? 'page.login.factor_missing' : 'page.login.failed')
}

const showConsent = async ({ provider, interaction, request, reply }: Visit): Promise<FastifyReply> => {
  const locale = localeOf(request.headers['accept-language'])
  const client = await provider.Client.find(String(interaction.params.client_id))
  const scopes = missingScopes(interaction).filter((scope) => scope !== 'openid')
  const host = URL.parse(String(interaction.params.redirect_uri))?.host ?? ''
  return sendPage(reply, consentPage({ locale, client: client?.clientName ?? '', host, scopes, formTarget: targetOf(interaction) }))
}

/** Leads to the identity provider of the address. By a page, because browsers would apply `form-action` to a redirect. */
const beginSignOn = async ({ store }: LoginDeps, visited: Visit, { email = '' }: Record<string, string>): Promise<FastifyReply> => {
  const { interaction, request, reply } = visited
  const locale = localeOf(request.headers['accept-language'])
  const provider = await store.read.identityProviders.findByDomain(email.slice(email.lastIndexOf('@') + 1).toLowerCase())
  if (!provider) return showLogin(visited, email, new Problem('identity_provider_not_found'))
  const target = `${signOnPaths('', provider.id).login}?interaction=${interaction.uid}`
  return sendPage(reply.header('refresh', `0; url=${target}`), signOnPage(locale, target))
}

/** Back from the identity provider. */
const finishSignOn = async (deps: LoginDeps, visited: Visit, ticket: string): Promise<FastifyReply> => {
  try {
    const { credentials, secondFactor } = await redeemTicket(deps, ticket, loginIn(deps, visited.request.headers.cookie))
    await leaveOtherSession(visited, credentials.subject)
    void visited.reply.header('set-cookie', loginCookie(deps, undefined))
    const amr = secondFactor ? ['fed', secondFactorShown] : ['fed']
    return await finish(visited, { login: { accountId: credentials.subject, remember: false, amr } })
  } catch (error) {
    if (error instanceof Problem) return showLogin(visited, undefined, error)
    throw error
  }
}

const logIn = async (deps: LoginDeps, visited: Visit, form: Record<string, string>): Promise<FastifyReply> => {
  const { ip, headers } = visited.request
  try {
    const { credentials, name } = await showPassword(deps, visited, form)
    const person = await personOfUser(deps.store.read, credentials, name)
    const { challenge, code } = form
    const answer = { ...(challenge !== undefined && { challenge }), ...(code !== undefined && { code }) }
    // These pages have no scripts, which passkeys need.
    if ((await proveSecondFactor(deps, person, answer, { ip, site: undefined })) === 'missing') throw new Problem('second_factor_missing')
    void visited.reply.header('set-cookie', markCookie(deps, headers.cookie, name))
    await leaveOtherSession(visited, credentials.subject)
    const amr = (await hasSecondFactor(deps.store.read, credentials.subject)) ? ['pwd', secondFactorShown] : ['pwd']
    return await finish(visited, { login: { accountId: credentials.subject, remember: false, amr } })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const challenge = error.login?.challenge ?? form.challenge
    const forgotten = challenge === undefined || error.code === 'invalid_credentials'
    return forgotten ? showLogin(visited, form.email, error) : await showCode(deps, visited, challenge, error)
  }
}

/** Accepts the password or, on the second page, its challenge. */
const showPassword = async (
  deps: LoginDeps,
  { request: { ip, headers } }: Visit,
  { email = '', password = '', challenge }: Record<string, string>,
): Promise<{ credentials: Credentials; name: string }> => {
  if (challenge !== undefined) return resumeLogin(deps, challenge)
  return { credentials: await verifyUser(deps, { username: email, password, ip, marks: marksIn(headers.cookie) }), name: email }
}

/** Ends another user's session in this browser instead of taking it over. */
const leaveOtherSession = async ({ provider, interaction }: Visit, subject: string): Promise<void> => {
  const { session } = interaction
  if (session?.uid === undefined || session.accountId === subject) return
  await (await provider.Session.findByUid(session.uid))?.destroy()
  delete interaction.session
  await interaction.persist()
}

const decide = async (deps: LoginDeps, visited: Visit, { decision }: Record<string, string>): Promise<FastifyReply> => {
  if (decision !== 'allow') return finish(visited, { error: 'access_denied', error_description: 'the user refused' })
  const { provider, interaction } = visited
  const accountId = interaction.session?.accountId
  const clientId = String(interaction.params.client_id)
  if (accountId === undefined) throw new Problem('not_found')
  const known = interaction.grantId === undefined ? undefined : await provider.Grant.find(interaction.grantId)
  const grant = known ?? new provider.Grant({ accountId, clientId })
  grant.addOIDCScope(missingScopes(interaction).join(' '))
  const grantId = await grant.save()
  await noteConsent(deps, accountId, clientId, missingScopes(interaction))
  return finish(visited, { consent: { grantId } })
}

const noteConsent = (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'vault'>,
  subject: string,
  clientId: string,
  scopes: string[],
): Promise<void> =>
  deps.store.write(async (tables) => {
    const user = await tables.users.findBySubject(subject)
    if (!user) return
    await auditByUser(tables, deps.clock, user, 'oauth_client.consent', clientId, { scopes })
    await keepApp(tables, deps.clock, clientId)
    await holdNewApp(tables, deps, user, clientId)
  })

const finish = async ({ provider, request, reply }: Visit, result: InteractionResults): Promise<FastifyReply> =>
  reply.redirect(await provider.interactionResult(request.raw, reply.raw, result), 303)

const missingScopes = ({ prompt }: Interaction): string[] => (prompt.details.missingOIDCScope as string[] | undefined) ?? []

const hintOf = ({ params }: Interaction): string => (typeof params.login_hint === 'string' ? params.login_hint.slice(0, 254) : '')

/** Browsers apply `form-action` to redirects too, and the last one leads to the application. CSP cannot name an IPv6 address. */
const targetOf = ({ params }: Interaction): string | undefined => {
  const url = URL.parse(String(params.redirect_uri))
  return url?.hostname.startsWith('[') ? url.protocol : url?.origin
}

export const sendPage = (reply: FastifyReply, { body, headers }: ReturnType<typeof renderPage>, status = 200): FastifyReply =>
  reply.code(status).headers(headers).send(body)
