import type { singleSignOnLoginOperations } from '@offhook/contract/v1/authorization/singlesignon.ts'
import { programName } from '#core/account/identity/login/program-name.ts'
import { revokeToken } from '#core/account/identity/login/session-tokens.ts'
import { openProviderSession, redeemTicket } from '#core/account/identity/single-sign-on/tickets.ts'
import { credentialHash } from '#core/account/identity/tokens/authenticate.ts'
import { SignOnFailure } from '#core/kernel/ports/sign-on.ts'
import type { Handlers } from '#http/handler/context.ts'
import type { HandlerDeps } from '#http/handler/handler-deps.ts'
import { loginCookie, loginIn } from '#http/handler/sign-on-cookie.ts'
import { signOnPaths } from '#http/handler/sign-on-paths.ts'

type Deps = Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'authenticator' | 'signOn' | 'installation'>

export const singleSignOnLoginHandlers = (deps: Deps): Handlers<typeof singleSignOnLoginOperations> => {
  const { store, clock, vault, authenticator, signOn, installation } = deps
  return {
    findSingleSignOn: async ({ body: { email } }) => {
      const provider = await store.read.identityProviders.findByDomain(email.slice(email.lastIndexOf('@') + 1).toLowerCase())
      return provider ? { url: signOnPaths(installation.publicUrl(), provider.id).login } : {}
    },

    createSingleSignOnToken: async ({ body, ip, cookie, setCookie, userAgent }) => {
      const redeemed = await redeemTicket(deps, body.ticket, loginIn(deps, cookie))
      const from = { program: programName(userAgent), place: ip }
      const token = await store.write((tables) => openProviderSession(tables, deps, redeemed, from))
      setCookie(loginCookie(deps, undefined))
      return { token, email: redeemed.email }
    },

    endSingleSignOn: async ({ caller, authorization }) => {
      const { accountId, tokenId } = caller
      const session = await store.read.identityProviders.findSession(accountId, tokenId)
      const provider = session && (await store.read.identityProviders.find(accountId, session.providerId))
      await store.write(async (tables) => {
        await revokeToken(tables, clock, caller, credentialHash(authorization) ?? '')
        await tables.identityProviders.removeSession(accountId, tokenId)
      })
      authenticator.forget()
      if (!provider) return {}
      const { oidc, saml } = provider.settings
      if (!oidc) return saml?.logoutUrl === undefined ? {} : { url: saml.logoutUrl }
      try {
        const url = await signOn.oidc.logoutUrl(oidc, vault.open(session.hintSealed), `${installation.publicUrl()}/console/`)
        return url === undefined ? {} : { url }
      } catch (error) {
        if (error instanceof SignOnFailure) return {} // the provider is unreachable; here the login has ended
        throw error
      }
    },
  }
}
