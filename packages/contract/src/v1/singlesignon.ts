import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { userRoles } from '../roles.ts'
import { Input, Items, Nullable, OneOf, Output, RequiredText, Timestamp } from '../values.ts'

const Domain = Type.String({ minLength: 3, maxLength: 253, pattern: '^[a-z0-9-]+(\\.[a-z0-9-]+)+$', description: 'Lower case' })
const Address = Type.String({
  minLength: 8,
  maxLength: 1000,
  pattern: '^https?://[^\\s]+$',
  description: 'https; http only for this machine',
})
const Certificate = Type.String({ minLength: 100, maxLength: 16_000, description: 'X.509 in PEM' })

const oidcFields = {
  issuer: Address,
  clientId: RequiredText(500),
  scopes: Type.Optional(Type.Array(RequiredText(100), { maxItems: 20, description: 'Default: openid, email and profile' })),
}

const samlFields = {
  entityId: RequiredText(1000),
  loginUrl: Address,
  logoutUrl: Type.Optional(Address),
  certificates: Type.Array(Certificate, {
    minItems: 1,
    maxItems: 5,
    description: 'Keys that sign assertions: the present one and the next',
  }),
}

const GroupRole = Input({ group: RequiredText(500), role: OneOf(userRoles) })

const commonFields = {
  groupsClaim: RequiredText(500),
  roles: Type.Array(GroupRole, { maxItems: 100, description: 'The first group that the user is in decides the role, at every login' }),
  defaultRole: Nullable(OneOf(userRoles, { description: 'Role of users without one of the groups; null: they are not let in' })),
  createUsers: Type.Boolean({ description: 'Create unknown users at their first login' }),
  secondFactorAtProvider: Type.Boolean({ description: 'The provider always asks for a second factor' }),
}

const defaults = {
  groupsClaim: Type.Optional({ ...commonFields.groupsClaim, description: 'Claim or attribute with the groups. Default: groups' }),
  roles: Type.Optional(commonFields.roles),
  defaultRole: Type.Optional(commonFields.defaultRole),
  createUsers: Type.Optional({ ...commonFields.createUsers, description: 'Create unknown users at their first login. Default: true' }),
  secondFactorAtProvider: Type.Optional(commonFields.secondFactorAtProvider),
  domains: Type.Optional(Type.Array(Domain, { maxItems: 50, description: 'Domains of the e-mail addresses that it may vouch for' })),
}

const OidcInput = Input({ ...oidcFields, clientSecret: Type.Optional(RequiredText(1000)) })
const SamlInput = Input(samlFields)

const DnsRecord = Output({ name: Type.String(), type: Type.Literal('TXT'), value: Type.String() })

export const IdentityProvider = Output({
  id: Type.String(),
  kind: OneOf(['OIDC', 'SAML']),
  name: Type.String(),
  oidc: Type.Optional(Output({ ...oidcFields, hasSecret: Type.Boolean() })),
  saml: Type.Optional(Output(samlFields)),
  ...commonFields,
  domains: Type.Array(
    Output({
      domain: Type.String(),
      verified: Type.Boolean(),
      record: { ...DnsRecord, description: 'Publish it, then verify the domain' },
    }),
  ),
  enforced: Type.Boolean(),
  breakGlass: Type.Array(Type.String({ description: 'Ids of the administrators who still have a password login while it is enforced' })),
  hasScimToken: Type.Boolean(),
  loginUrl: Type.String({ description: 'Begins a login' }),
  callbackUrl: Type.String({ description: 'Redirect URI (OIDC) or assertion consumer service (SAML) for the provider' }),
  metadataUrl: Type.Optional(Type.String({ description: 'SAML metadata of this service, and its entity id' })),
  scimUrl: Type.String({ description: 'SCIM 2.0' }),
  createdAt: Timestamp,
})

const managing = { auth: 'user', bearer: true, scopes: ['internal'], permission: 'CAN_MANAGE_USERS' } as const
const one = '/v1/singlesignon/{providerId}'

export const singleSignOnOperations = {
  listIdentityProviders: operation({
    id: 'listIdentityProviders',
    method: 'GET',
    path: '/v1/singlesignon',
    summary: 'Identity providers of the account',
    ...managing,
    status: 200,
    reply: Items(IdentityProvider),
  }),
  createIdentityProvider: operation({
    id: 'createIdentityProvider',
    method: 'POST',
    path: '/v1/singlesignon',
    summary: 'Connect an identity provider over OpenID Connect or SAML 2.0',
    ...managing,
    body: Input({
      name: RequiredText(100),
      oidc: Type.Optional({ ...OidcInput, description: 'Either this or saml' }),
      saml: Type.Optional(SamlInput),
      ...defaults,
    }),
    status: 201,
    reply: IdentityProvider,
    errors: ['login_too_old', 'conflict'],
  }),
  getIdentityProvider: operation({
    id: 'getIdentityProvider',
    method: 'GET',
    path: one,
    summary: 'One identity provider',
    ...managing,
    status: 200,
    reply: IdentityProvider,
    errors: ['identity_provider_not_found'],
  }),
  changeIdentityProvider: operation({
    id: 'changeIdentityProvider',
    method: 'PUT',
    path: one,
    summary: 'Change an identity provider; what is left out stays',
    ...managing,
    body: Input({
      name: Type.Optional(RequiredText(100)),
      oidc: Type.Optional({ ...OidcInput, description: 'Replaces all of it; the secret stays if it is left out' }),
      saml: Type.Optional(SamlInput),
      ...defaults,
    }),
    status: 200,
    reply: IdentityProvider,
    errors: ['identity_provider_not_found', 'domain_not_verified', 'login_too_old'],
  }),
  deleteIdentityProvider: operation({
    id: 'deleteIdentityProvider',
    method: 'DELETE',
    path: one,
    summary: 'Disconnect an identity provider and end the logins that came from it; its users stay',
    ...managing,
    status: 204,
    errors: ['identity_provider_not_found', 'login_too_old'],
  }),
  createScimToken: operation({
    id: 'createScimToken',
    credentials: true,
    method: 'POST',
    path: `${one}/scim`,
    summary: 'Make the token with which the provider manages users and groups over SCIM 2.0; shown only now, and the one before is void',
    ...managing,
    status: 201,
    reply: Output({ token: Type.String(), url: Type.String() }),
    errors: ['identity_provider_not_found', 'login_too_old'],
  }),
  deleteScimToken: operation({
    id: 'deleteScimToken',
    method: 'DELETE',
    path: `${one}/scim`,
    summary: 'Revoke the SCIM token of the provider',
    ...managing,
    status: 204,
    errors: ['identity_provider_not_found', 'login_too_old'],
  }),
  verifyProviderDomain: operation({
    id: 'verifyProviderDomain',
    method: 'POST',
    path: `${one}/domains/{domain}/verification`,
    summary: 'Verify a domain by its DNS record; only then may the provider vouch for its e-mail addresses',
    ...managing,
    status: 204,
    errors: ['identity_provider_not_found', 'domain_record_missing', 'domain_taken', 'not_found'],
  }),
  enforceSingleSignOn: operation({
    id: 'enforceSingleSignOn',
    method: 'PUT',
    path: `${one}/enforcement`,
    summary: 'Let users in only through the provider, except for break-glass administrators; all others are logged out',
    ...managing,
    body: Input({
      enforced: Type.Boolean(),
      breakGlass: Type.Optional(
        Type.Array(RequiredText(32), { maxItems: 10, description: 'Ids of administrators; at least one while it is enforced' }),
      ),
    }),
    status: 204,
    errors: ['identity_provider_not_found', 'break_glass_missing', 'domain_not_verified', 'login_too_old'],
  }),
}
