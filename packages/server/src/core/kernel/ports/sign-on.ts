import type { OidcSettings, SamlSettings } from './store/single-sign-on.ts'

/** Values of one login that its answer must match. */
export interface SignOnChecks {
  /** OIDC: state. SAML: id of the request. */
  state: string
  nonce?: string
  verifier?: string
}

export interface SignOnStart {
  /** Address at the provider, for the browser. */
  url: string
  checks: SignOnChecks
}

/** Verified statement of a provider about a person. */
export interface SignOnClaims {
  /** Stable id of the person at the provider. */
  subject: string
  email: string | undefined
  /** False only if the provider says that it has not checked the address. */
  emailVerified: boolean
  firstname: string
  lastname: string
  groups: string[]
  /** The provider says that it asked for a second factor. */
  secondFactor: boolean
  /** For the logout at the provider. */
  hint: string
}

/** The provider could not be reached, or its answer is not acceptable. The reason is for the log of the account's administrators. */
export class SignOnFailure extends Error {}

/** OpenID Connect relying party. */
export interface OidcLogins {
  begin(settings: OidcSettings, secret: string | undefined, callbackUrl: string): Promise<SignOnStart>
  /** `answer`: the callback's address with its parameters. */
  finish(settings: OidcSettings, secret: string | undefined, answer: OidcAnswer): Promise<SignOnClaims>
  /** Undefined if the provider has no logout. */
  logoutUrl(settings: OidcSettings, hint: string, returnUrl: string): Promise<string | undefined>
}

interface OidcAnswer {
  url: URL
  checks: SignOnChecks
  groupsClaim: string
}

export interface SamlService {
  /** Entity id, and address of the metadata. */
  metadataUrl: string
  callbackUrl: string
}

/** Answer of a SAML provider, verified except for being asked for and for being new. */
export interface SamlAnswer {
  claims: SignOnClaims
  /** Id of the request that it answers. */
  inResponseTo: string
  assertionId: string
  /** Milliseconds since the epoch; it is not accepted from then on. */
  expiresAt: number
}

/** SAML 2.0 service provider, Web Browser SSO with the Redirect and POST bindings. */
export interface SamlLogins {
  begin(settings: SamlSettings, service: SamlService): SignOnStart
  read(settings: SamlSettings, service: SamlService, given: { response: string; groupsClaim: string }): Promise<SamlAnswer>
  metadata(service: SamlService): string
}

export interface SignOn {
  oidc: OidcLogins
  saml: SamlLogins
  /** TXT records of a name; empty if there are none. */
  txtRecords(name: string): Promise<string[]>
}
