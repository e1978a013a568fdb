import type { Configuration, CustomFetch, IDToken } from 'openid-client'
import type { OutboundHttp } from '#core/kernel/ports/outbound.ts'
import { SignOnFailure, type OidcLogins, type SignOnClaims } from '#core/kernel/ports/sign-on.ts'
import type { OidcSettings } from '#core/kernel/ports/store/single-sign-on.ts'

const defaultScopes = ['openid', 'email', 'profile']
const deadlineMs = 10_000
const maxReplyBytes = 512 * 1024
/** Bytes; a larger token is not kept for the logout. */
const maxHintBytes = 8 * 1024

/** Methods of a second factor (RFC 8176). */
const strongMethods = new Set(['mfa', 'otp', 'hwk', 'swk', 'sc', 'fpt', 'face', 'iris', 'retina', 'vbm', 'sms', 'tel', 'pop'])

/** Most logins need no OpenID Connect. */
const library = () => import('openid-client')

/** Relying party by openid-client. All its requests take the guarded way out. */
export const oidcLogins = (outbound: OutboundHttp): OidcLogins => ({
  async begin(settings, secret, callbackUrl) {
    return accepted(async () => {
      const oidc = await library()
      const config = await discover(outbound, settings, secret)
      const verifier = oidc.randomPKCECodeVerifier()
      const checks = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier }
      const url = oidc.buildAuthorizationUrl(config, {
        redirect_uri: callbackUrl,
        response_type: 'code',
        scope: [...new Set(['openid', ...(settings.scopes ?? defaultScopes)])].join(' '),
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      return { url: url.href, checks }
    })
  },

  async finish(settings, secret, { url, checks: { state, nonce, verifier }, groupsClaim }) {
    return accepted(async () => {
      if (nonce === undefined || verifier === undefined) throw new SignOnFailure('the login was begun in another way')
      const oidc = await library()
      const config = await discover(outbound, settings, secret)
      const tokens = await oidc.authorizationCodeGrant(config, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      if (!claims) throw new SignOnFailure('the provider sent no ID token')
      // Many providers put name, address and groups only there.
      const info = config.serverMetadata().userinfo_endpoint ? await oidc.fetchUserInfo(config, tokens.access_token, claims.sub) : {}
      const hint = tokens.id_token ?? ''
      return toClaims({ ...info, ...claims }, groupsClaim, hint.length > maxHintBytes ? '' : hint)
    })
  },

  async logoutUrl(settings, hint, returnUrl) {
    return accepted(async () => {
      const oidc = await library()
      const config = await discover(outbound, settings, undefined)
      if (config.serverMetadata().end_session_endpoint === undefined) return undefined
      const parameters = { post_logout_redirect_uri: returnUrl, ...(hint !== '' && { id_token_hint: hint }) }
      return oidc.buildEndSessionUrl(config, parameters).href
    })
  },
})

/** The library throws on every mismatch. */
const accepted = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SignOnFailure) throw error
    throw new SignOnFailure(error instanceof Error ? error.message : 'unknown', { cause: error })
  }
}

const discover = async (outbound: OutboundHttp, { issuer, clientId }: OidcSettings, secret: string | undefined): Promise<Configuration> => {
  const oidc = await library()
  const server = new URL(issuer)
  const execute = [oidc.enableNonRepudiationChecks] // checks the signature although the token came over TLS
  if (server.protocol === 'http:') execute.push(oidc.allowInsecureRequests)
  const authentication = secret === undefined ? oidc.None() : undefined
  return oidc.discovery(server, clientId, secret, authentication, {
    execute,
    timeout: deadlineMs / 1000,
    [oidc.customFetch]: guardedFetch(outbound),
  })
}

/** Addresses in the provider's documents are as foreign as its own. */
const guardedFetch =
  (outbound: OutboundHttp): CustomFetch =>
  async (url, { method, headers, body, signal }) => {
    if (method !== 'GET' && method !== 'POST') throw new SignOnFailure('unexpected method')
    const sent = body instanceof URLSearchParams || typeof body === 'string' ? String(body) : undefined
    const reply = await outbound.request({
      method,
      url,
      headers,
      ...(sent !== undefined && { body: sent }),
      ...(signal && { signal }),
      deadlineMs,
      maxBytes: maxReplyBytes,
    })
    const hasBody = reply.status !== 204 && reply.status !== 304
    return new Response(hasBody ? new Uint8Array(reply.body) : null, { status: reply.status, headers: reply.headers })
  }

const textOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
        .slice(0, 100)
        .replaceAll(/\p{Cc}/gu, ' ')
        .trim()
    : ''

const toClaims = (claims: Record<string, unknown> & Pick<IDToken, 'sub'>, groupsClaim: string, hint: string): SignOnClaims => {
  const groups = claims[groupsClaim]
  const methods = Array.isArray(claims.amr) ? claims.amr : []
  const [firstname, lastname] = [textOf(claims.given_name), textOf(claims.family_name)]
  return {
    subject: claims.sub,
    email: typeof claims.email === 'string' ? claims.email : undefined,
    emailVerified: claims.email_verified !== false && claims.email_verified !== 'false',
    firstname: firstname === '' && lastname === '' ? textOf(claims.name) : firstname,
    lastname,
    groups: [groups].flat().filter((group) => typeof group === 'string'),
    secondFactor: methods.some((method) => strongMethods.has(String(method))),
    hint,
  }
}
