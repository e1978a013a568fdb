import { randomBytes } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { SignOnFailure, type SamlAnswer, type SamlLogins, type SamlService } from '#core/kernel/ports/sign-on.ts'
import { boundedSaml } from './bounded-saml.ts'
import { SamlThreads, type SamlElement } from './saml-thread.ts'

/** Difference of the clocks of both sides. */
const maxSkewMs = 60_000
/** An assertion that is valid for longer is not kept for longer to reject its replay. */
const maxValidMs = 60 * 60_000

const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'

/** First and last name, and e-mail address, as Entra ID, AD FS, Okta, Google, Keycloak and Shibboleth call them. */
const names = {
  email: [
    'email',
    'mail',
    'emailaddress',
    'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
    'urn:oid:0.9.2342.19200300.100.1.3',
  ],
  firstname: ['firstName', 'givenName', 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname', 'urn:oid:2.5.4.42'],
  lastname: ['lastName', 'surname', 'sn', 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/surname', 'urn:oid:2.5.4.4'],
}

/** Authentication contexts with a second factor. */
const strongContexts =
  /MultiFactor|TimeSyncToken|SmartcardPKI|SmartCard|claims\/multipleauthn|refeds\.org\/profile\/mfa|MobileTwoFactor(?:Contract|Unregistered)/i

/**
 * Service provider by node-saml, which reads nothing but the bytes that a signature covers. It checks signature and audience; the rest of
 * SAML Profiles §4.1.4 is checked here, with the time of the service.
 */
export const samlLogins = (clock: Clock): SamlLogins => {
  const threads = new SamlThreads()
  return {
    begin: ({ loginUrl }, { metadataUrl, callbackUrl }) => {
      const state = `_${randomBytes(20).toString('hex')}`
      const request = `<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="${state}" Version="2.0" IssueInstant="${new Date(clock.now()).toISOString()}" Destination="${escaped(loginUrl)}" AssertionConsumerServiceURL="${escaped(callbackUrl)}" ProtocolBinding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"><saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${escaped(metadataUrl)}</saml:Issuer></samlp:AuthnRequest>`
      const url = new URL(loginUrl)
      url.searchParams.set('SAMLRequest', deflateRawSync(request).toString('base64'))
      return { url: url.href, checks: { state } }
    },

    async read({ entityId, certificates }, service, { response, groupsClaim }) {
      const xml = boundedSaml(response)
      const { metadataUrl: audience, callbackUrl } = service
      const task = { response: Buffer.from(xml).toString('base64'), certificates, audience, callbackUrl }
      return check(await threads.check(task), { entityId, service, now: clock.now(), groupsClaim })
    },

    metadata: ({ metadataUrl, callbackUrl }) => `<?xml version="1.0" encoding="UTF-8"?>
<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${escaped(metadataUrl)}">
  <SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="true" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${escaped(callbackUrl)}" index="0" isDefault="true"/>
  </SPSSODescriptor>
</EntityDescriptor>
`,
  }
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

interface Checking {
  entityId: string
  service: SamlService
  now: number
  groupsClaim: string
}

type SignedProfile = Awaited<ReturnType<SamlThreads['check']>>

const check = (
  { issuer, nameId: subject = '', attributes, assertion }: SignedProfile,
  { entityId, service, now, groupsClaim }: Checking,
): SamlAnswer => {
  const assertionId = assertion.$?.ID
  if (assertionId === undefined) throw new SignOnFailure('the assertion has no id')
  if (issuer !== entityId) throw new SignOnFailure('the assertion is of another issuer')
  const [conditions, ...others] = children(assertion, 'Conditions')
  if (!conditions || others.length > 0) throw new SignOnFailure('the assertion has no conditions, or several')
  requireNow(conditions, now)
  const confirmation = confirmationOf(assertion, service, now)
  const statement = children(assertion, 'AuthnStatement')[0]
  if (!statement) throw new SignOnFailure('the assertion does not say that somebody logged in')
  if (subject === '' || subject.length > 500) throw new SignOnFailure('the assertion names nobody')
  const expiresAt = Math.min(timeOf(confirmation.NotOnOrAfter), timeOf(conditions.$?.NotOnOrAfter)) + maxSkewMs
  if (expiresAt - now > maxValidMs) throw new SignOnFailure('the assertion is valid for more than an hour')
  const context = children(children(statement, 'AuthnContext')[0] ?? {}, 'AuthnContextClassRef')[0]?._ ?? ''
  return {
    claims: { subject, ...person(attributes, subject, groupsClaim), secondFactor: strongContexts.test(context), hint: '' },
    inResponseTo: confirmation.InResponseTo ?? '',
    assertionId,
    expiresAt,
  }
}

const children = (element: SamlElement, name: string): SamlElement[] => {
  const found = element[name]
  return Array.isArray(found) ? found : []
}

const timeOf = (text: string | undefined): number => (text === undefined ? Number.NaN : Date.parse(text))

/** Both limits of SAML Core §2.5.1.2; the end is required, the beginning is not. */
const requireNow = ({ $: { NotBefore, NotOnOrAfter } = {} }: SamlElement, now: number): void => {
  if (NotBefore !== undefined && !(timeOf(NotBefore) <= now + maxSkewMs)) throw new SignOnFailure('the assertion is not valid yet')
  if (!(timeOf(NotOnOrAfter) > now - maxSkewMs)) throw new SignOnFailure('the assertion has expired, or never does')
}

/** A bearer confirmation for this service, in answer to a request (SAML Profiles §4.1.4.3). */
const confirmationOf = (assertion: SamlElement, { callbackUrl }: SamlService, now: number): Record<string, string> => {
  for (const confirmation of children(children(assertion, 'Subject')[0] ?? {}, 'SubjectConfirmation')) {
    const data = children(confirmation, 'SubjectConfirmationData')[0]
    if (confirmation.$?.Method !== bearer || data?.$?.Recipient !== callbackUrl || !data.$.InResponseTo) continue
    requireNow(data, now)
    return data.$
  }
  throw new SignOnFailure('the assertion is not an answer for this service')
}

const words = (value: unknown): string[] => [value].flat().filter((one) => typeof one === 'string')

const person = (attributes: Record<string, unknown>, subject: string, groupsClaim: string) => {
  const text = (keys: readonly string[]): string | undefined => keys.flatMap((key) => words(attributes[key]))[0]
  const name = (keys: readonly string[]): string =>
    (text(keys) ?? '')
      .slice(0, 100)
      .replaceAll(/\p{Cc}/gu, ' ')
      .trim()
  return {
    email: text(names.email) ?? (subject.includes('@') ? subject : undefined),
    emailVerified: true,
    firstname: name(names.firstname),
    lastname: name(names.lastname),
    groups: words(attributes[groupsClaim]),
  }
}
