import type { UserRole } from '@offhook/contract/roles.ts'

export interface OidcSettings {
  issuer: string
  clientId: string
  scopes?: string[]
}

export interface SamlSettings {
  entityId: string
  loginUrl: string
  logoutUrl?: string
  certificates: string[]
}

export interface ProviderSettings {
  oidc?: OidcSettings
  saml?: SamlSettings
  groupsClaim: string
  /** The first group of a user decides the role. */
  roles: { group: string; role: UserRole }[]
  /** Null: users without one of the groups are rejected. */
  defaultRole: UserRole | null
  createUsers: boolean
  secondFactorAtProvider: boolean
  /** Administrators who keep the password login. */
  breakGlass: string[]
}

/** Identity provider of a company. */
export interface IdentityProvider {
  id: string
  accountId: string
  kind: 'OIDC' | 'SAML'
  name: string
  settings: ProviderSettings
  /** Client secret. */
  secretSealed: string | undefined
  /** Users of the account log in nowhere else. */
  enforced: boolean
  scimHash: string | undefined
  createdAt: number
}

export interface ProviderDomain {
  providerId: string
  domain: string
  verifiedAt: number | undefined
}

/** A login that came from a provider. */
export interface ProviderSession {
  tokenId: string
  providerId: string
  userId: string
  /** For the logout at the provider. */
  hintSealed: string
  createdAt: number
}

export interface IdentityProviders {
  list(accountId: string): Promise<IdentityProvider[]>
  find(accountId: string, id: string): Promise<IdentityProvider | undefined>
  /** For a login, before its account is known. Undefined if the account is gone. */
  findAnywhere(id: string): Promise<IdentityProvider | undefined>
  /** The provider with this verified domain. */
  findByDomain(domain: string): Promise<IdentityProvider | undefined>
  insert(provider: IdentityProvider): Promise<void>
  update(
    accountId: string,
    id: string,
    change: Pick<IdentityProvider, 'name' | 'settings' | 'secretSealed' | 'enforced' | 'scimHash'>,
  ): Promise<void>
  /** With its domains, users, sessions and groups. */
  remove(accountId: string, id: string): Promise<void>
  domains(accountId: string): Promise<ProviderDomain[]>
  addDomain(accountId: string, providerId: string, domain: string): Promise<void>
  removeDomain(accountId: string, providerId: string, domain: string): Promise<void>
  /** Throws UniqueViolation if another provider has verified it. */
  verifyDomain(accountId: string, providerId: string, domain: string, at: number): Promise<void>
  /** User whom the provider knows by this subject. */
  findUser(accountId: string, providerId: string, subject: string): Promise<string | undefined>
  /** Links a user to the provider, or changes the link. */
  linkUser(accountId: string, providerId: string, link: { userId: string; subject: string; at: number }): Promise<void>
  keepSession(accountId: string, session: ProviderSession): Promise<void>
  findSession(accountId: string, tokenId: string): Promise<ProviderSession | undefined>
  listSessions(accountId: string, providerId: string): Promise<ProviderSession[]>
  removeSession(accountId: string, tokenId: string): Promise<void>
  /** Sessions of tokens that have expired or were revoked. */
  removeOldSessions(): Promise<number>
  removeByUser(accountId: string, userId: string): Promise<void>
}
