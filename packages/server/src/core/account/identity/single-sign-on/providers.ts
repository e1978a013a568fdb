import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { SignOn } from '#core/kernel/ports/sign-on.ts'
import { UniqueViolation, type Store, type Tables } from '#core/kernel/ports/store/index.ts'
import type { IdentityProvider, OidcSettings, ProviderSettings } from '#core/kernel/ports/store/single-sign-on.ts'
import type { UserCaller } from '../caller/caller.ts'
import { hashSecret } from '../tokens/tokens.ts'

const maxProviders = 20

interface ProviderDeps {
  store: Store
  clock: Clock
  vault: Vault
  signOn: SignOn
}

type WriteDeps = Pick<ProviderDeps, 'clock' | 'vault'>

/** Fields left out stay, or get their default. */
interface ProviderInput extends Partial<Omit<ProviderSettings, 'oidc' | 'breakGlass'>> {
  name?: string
  oidc?: OidcSettings & { clientSecret?: string }
  domains?: string[]
}

export const findProvider = async (tables: Tables, accountId: string, id: string): Promise<IdentityProvider> => {
  const provider = await tables.identityProviders.find(accountId, id)
  if (!provider) throw new Problem('identity_provider_not_found')
  return provider
}

export const createProvider = async (
  tables: Tables,
  { clock, vault }: WriteDeps,
  caller: UserCaller,
  { name = '', domains = [], oidc, saml, ...input }: ProviderInput,
): Promise<IdentityProvider> => {
  if ((oidc === undefined) === (saml === undefined)) throw Problem.field('oidc', 'or saml is required, and not both')
  const { accountId } = caller
  await tables.accounts.lock(accountId)
  if ((await tables.identityProviders.list(accountId)).length >= maxProviders)
    throw new Problem('conflict', `An account has at most ${maxProviders} identity providers.`)
  const { groupsClaim = 'groups', roles = [], defaultRole = 'USER', createUsers = true, secondFactorAtProvider = false } = input
  const { clientSecret, ...openid } = oidc ?? {}
  const provider: IdentityProvider = {
    id: randomUUID(),
    accountId,
    kind: oidc ? 'OIDC' : 'SAML',
    name,
    settings: {
      ...(oidc && { oidc: checkedOidc(openid as OidcSettings) }),
      ...(saml && { saml: checkedSaml(saml) }),
      groupsClaim,
      roles,
      defaultRole,
      createUsers,
      secondFactorAtProvider,
      breakGlass: [],
    },
    secretSealed: clientSecret === undefined ? undefined : vault.seal(clientSecret),
    enforced: false,
    scimHash: undefined,
    createdAt: clock.now(),
  }
  await tables.identityProviders.insert(provider)
  for (const domain of domains) await tables.identityProviders.addDomain(accountId, provider.id, domain)
  await auditByUser(tables, clock, caller, 'identity_provider.create', provider.id, { kind: provider.kind, name, domains })
  return provider
}

export const changeProvider = async (
  tables: Tables,
  { clock, vault }: WriteDeps,
  caller: UserCaller,
  id: string,
  { name, domains, oidc, saml, ...change }: ProviderInput,
): Promise<IdentityProvider> => {
  const { accountId } = caller
  await tables.accounts.lock(accountId)
  const before = await findProvider(tables, accountId, id)
  if (oidc && before.kind !== 'OIDC') throw Problem.field('oidc', 'does not fit: the provider speaks SAML')
  if (saml && before.kind !== 'SAML') throw Problem.field('saml', 'does not fit: the provider speaks OpenID Connect')
  const { clientSecret, ...openid } = oidc ?? {}
  const settings = {
    ...before.settings,
    ...(oidc && { oidc: checkedOidc(openid as OidcSettings) }),
    ...(saml && { saml: checkedSaml(saml) }),
    ...Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)),
  }
  // A secret is for its issuer only: another one would learn it.
  const keepsSecret = oidc === undefined || oidc.issuer === before.settings.oidc?.issuer
  const secretSealed = clientSecret !== undefined ? vault.seal(clientSecret) : keepsSecret ? before.secretSealed : undefined
  const after = { ...before, settings, secretSealed, name: name ?? before.name }
  await tables.identityProviders.update(accountId, id, after)
  if (domains) await replaceDomains(tables, after, domains)
  const fields = Object.keys({ ...change, ...(name !== undefined && { name }), ...(oidc && { oidc }), ...(saml && { saml }) })
  await auditByUser(tables, clock, caller, 'identity_provider.update', id, { fields, domains })
  return after
}

const replaceDomains = async (tables: Tables, { accountId, id, enforced }: IdentityProvider, domains: string[]): Promise<void> => {
  const known = (await tables.identityProviders.domains(accountId)).filter(({ providerId }) => providerId === id)
  for (const { domain } of known) if (!domains.includes(domain)) await tables.identityProviders.removeDomain(accountId, id, domain)
  for (const domain of domains) await tables.identityProviders.addDomain(accountId, id, domain)
  if (enforced) await requireVerifiedDomain(tables, accountId, id)
}

export const removeProvider = async (tables: Tables, clock: Clock, caller: UserCaller, id: string): Promise<void> => {
  const { accountId } = caller
  await findProvider(tables, accountId, id)
  for (const { userId, tokenId } of await tables.identityProviders.listSessions(accountId, id))
    await tables.tokens.removeSession(accountId, userId, tokenId)
  await tables.identityProviders.remove(accountId, id)
  await auditByUser(tables, clock, caller, 'identity_provider.delete', id)
}

/** Replaces the token with which the provider manages users and groups over SCIM. Only its hash is stored. */
export const renewScimToken = async (tables: Tables, clock: Clock, caller: UserCaller, id: string): Promise<string> => {
  const token = `scim-${randomBytes(32).toString('base64url')}`
  await setScimHash(tables, caller, id, hashSecret(token))
  await auditByUser(tables, clock, caller, 'identity_provider.scim_token', id)
  return token
}

export const removeScimToken = async (tables: Tables, clock: Clock, caller: UserCaller, id: string): Promise<void> => {
  await setScimHash(tables, caller, id, undefined)
  await auditByUser(tables, clock, caller, 'identity_provider.scim_token.delete', id)
}

const setScimHash = async (tables: Tables, { accountId }: UserCaller, id: string, scimHash: string | undefined): Promise<void> => {
  await tables.accounts.lock(accountId)
  await tables.identityProviders.update(accountId, id, { ...(await findProvider(tables, accountId, id)), scimHash })
}

/** Everything that this service sends an authorization code, a secret or a login request to is encrypted on its way. */
const requireSecure = (field: string, text: string): void => {
  const url = URL.parse(text)
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(url?.hostname ?? '')
  if (!url || (url.protocol !== 'https:' && !isHere)) throw Problem.field(field, 'must begin with https://')
  if (url.username !== '' || url.password !== '') throw Problem.field(field, 'must not contain a user name or password')
}

const checkedOidc = (settings: OidcSettings): OidcSettings => {
  requireSecure('oidc/issuer', settings.issuer)
  return settings
}

const checkedSaml = (settings: NonNullable<ProviderSettings['saml']>): NonNullable<ProviderSettings['saml']> => {
  requireSecure('saml/loginUrl', settings.loginUrl)
  if (settings.logoutUrl !== undefined) requireSecure('saml/logoutUrl', settings.logoutUrl)
  for (const [index, certificate] of settings.certificates.entries())
    if (!/^-----BEGIN CERTIFICATE-----[\s\w+/=]+-----END CERTIFICATE-----\s*$/.test(certificate))
      throw Problem.field(`saml/certificates/${index}`, 'is not an X.509 certificate in PEM')
  return settings
}

/** TXT record that proves the account's control of a domain. */
export const domainRecord = (vault: Vault, accountId: string, domain: string) => {
  const proof = createHmac('sha256', vault.derive('domain verification')).update(`${accountId} ${domain}`).digest('base64url')
  return { name: `_offhook.${domain}`, type: 'TXT' as const, value: `offhook-verification=${proof}` }
}

export const verifyDomain = async (deps: ProviderDeps, caller: UserCaller, id: string, domain: string): Promise<void> => {
  const { store, clock, vault, signOn } = deps
  const { accountId } = caller
  await findProvider(store.read, accountId, id)
  const domains = await store.read.identityProviders.domains(accountId)
  if (!domains.some((known) => known.providerId === id && known.domain === domain))
    throw new Problem('not_found', 'The identity provider does not name this domain.')
  const { name, value } = domainRecord(vault, accountId, domain)
  if (!(await signOn.txtRecords(name)).includes(value)) throw new Problem('domain_record_missing')
  try {
    await store.write(async (tables) => {
      await tables.identityProviders.verifyDomain(accountId, id, domain, clock.now())
      await auditByUser(tables, clock, caller, 'identity_provider.verify_domain', id, { domain })
    })
  } catch (error) {
    if (error instanceof UniqueViolation) throw new Problem('domain_taken')
    throw error
  }
}

const requireVerifiedDomain = async (tables: Tables, accountId: string, id: string): Promise<void> => {
  const domains = await tables.identityProviders.domains(accountId)
  if (!domains.some(({ providerId, verifiedAt }) => providerId === id && verifiedAt !== undefined)) throw new Problem('domain_not_verified')
}
