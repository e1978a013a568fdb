import type { singleSignOnOperations } from '@offhook/contract/v1/singlesignon.ts'
import type { Vault } from '#core/kernel/ports/platform.ts'
import type { IdentityProvider, ProviderDomain } from '#core/kernel/ports/store/single-sign-on.ts'
import { requireRecentLogin } from '#core/account/identity/second-factor/recent-login.ts'
import { enforce } from '#core/account/identity/single-sign-on/enforcement.ts'
import {
  changeProvider,
  createProvider,
  domainRecord,
  findProvider,
  removeProvider,
  removeScimToken,
  renewScimToken,
  verifyDomain,
} from '#core/account/identity/single-sign-on/providers.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { signOnPaths } from '../handler/sign-on-paths.ts'

type Deps = Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'authenticator' | 'signOn' | 'installation'>

export const singleSignOnHandlers = (deps: Deps): Handlers<typeof singleSignOnOperations> => {
  const { store, clock, authenticator } = deps
  const show = async (provider: IdentityProvider) =>
    toElement(deps, provider, await store.read.identityProviders.domains(provider.accountId))
  return {
    listIdentityProviders: async ({ caller: { accountId } }) => {
      const { identityProviders } = store.read
      const [providers, domains] = await Promise.all([identityProviders.list(accountId), identityProviders.domains(accountId)])
      return { items: providers.map((provider) => toElement(deps, provider, domains)) }
    },

    createIdentityProvider: async ({ caller, authorization, body }) => {
      await requireRecentLogin(store.read, clock, authorization)
      return show(await store.write((tables) => createProvider(tables, deps, caller, body)))
    },

    getIdentityProvider: async ({ caller, params }) => show(await findProvider(store.read, caller.accountId, params.providerId)),

    changeIdentityProvider: async ({ caller, authorization, params, body }) => {
      await requireRecentLogin(store.read, clock, authorization)
      return show(await store.write((tables) => changeProvider(tables, deps, caller, params.providerId, body)))
    },

    deleteIdentityProvider: async ({ caller, authorization, params }) => {
      await requireRecentLogin(store.read, clock, authorization)
      await store.write((tables) => removeProvider(tables, clock, caller, params.providerId))
      authenticator.forget()
    },

    createScimToken: async ({ caller, authorization, params }) => {
      await requireRecentLogin(store.read, clock, authorization)
      const token = await store.write((tables) => renewScimToken(tables, clock, caller, params.providerId))
      return { token, url: signOnPaths(deps.installation.publicUrl(), params.providerId).scim }
    },

    deleteScimToken: async ({ caller, authorization, params }) => {
      await requireRecentLogin(store.read, clock, authorization)
      await store.write((tables) => removeScimToken(tables, clock, caller, params.providerId))
    },

    verifyProviderDomain: ({ caller, params }) => verifyDomain(deps, caller, params.providerId, params.domain),

    enforceSingleSignOn: async ({ caller, authorization, params, body }) => {
      await requireRecentLogin(store.read, clock, authorization)
      await store.write((tables) => enforce(tables, clock, caller, params.providerId, body))
      authenticator.forget()
    },
  }
}

const toElement = (
  { vault, installation }: { vault: Vault; installation: HandlerDeps['installation'] },
  { id, accountId, kind, name, settings, secretSealed, enforced, scimHash, createdAt }: IdentityProvider,
  domains: readonly ProviderDomain[],
) => {
  const { oidc, ...rest } = settings
  const paths = signOnPaths(installation.publicUrl(), id)
  return {
    id,
    kind,
    name,
    ...rest,
    ...(oidc && { oidc: { ...oidc, hasSecret: secretSealed !== undefined } }),
    domains: domains
      .filter(({ providerId }) => providerId === id)
      .map(({ domain, verifiedAt }) => ({ domain, verified: verifiedAt !== undefined, record: domainRecord(vault, accountId, domain) })),
    enforced,
    hasScimToken: scimHash !== undefined,
    loginUrl: paths.login,
    callbackUrl: kind === 'OIDC' ? paths.callback : paths.assertion,
    ...(kind === 'SAML' && { metadataUrl: paths.metadata }),
    scimUrl: paths.scim,
    createdAt: new Date(createdAt).toISOString(),
  }
}
