import { createRequire } from 'node:module'
import { certificateFor } from '../machine/certificate.ts'
import type { Scope } from '../machine/temporary-folder.ts'

/** Its types would bring those of browsers into the whole program. */
interface Samlify {
  setSchemaValidator(validator: { validate: () => Promise<string> }): void
  Constants: { namespace: { binding: { redirect: string } } }
  ServiceProvider(settings: { metadata: string }): Service
  IdentityProvider(settings: object): {
    parseLoginRequest(service: Service, binding: 'redirect', request: { query: object }): Promise<{ extract: { request: { id: string } } }>
    createLoginResponse(
      service: Service,
      request: object,
      binding: 'post',
      user: object,
      render: () => { id: string; context: string },
    ): Promise<{ context: string }>
  }
}

interface Service {
  entityMeta: { getEntityID(): string; getAssertionConsumerService(binding: 'post'): string }
}

const samlify = createRequire(import.meta.url)('samlify') as Samlify

samlify.setSchemaValidator({ validate: () => Promise.resolve('not needed') })

/** Values of one assertion; a test changes what is to be wrong. */
export interface Assertion {
  assertionId: string
  issuer: string
  audience: string
  recipient: string
  inResponseTo: string
  nameId: string
  notBefore: number
  notOnOrAfter: number
  attributes: Record<string, string[]>
  context: string
}

export interface CompanySaml {
  settings: { entityId: string; loginUrl: string; certificates: string[] }
  /** Reads the login request of the service and answers it: SAMLResponse, signed by the provider's key. */
  respond(metadata: string, request: URL, change?: Partial<Assertion>): Promise<string>
}

const time = (ms: number): string => new Date(ms).toISOString()

const responseOf = (a: Assertion, now: number): string => {
  const attributes = Object.entries(a.attributes).map(
    ([name, values]) =>
      `<saml:Attribute Name="${name}">${values.map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`).join('')}</saml:Attribute>`,
  )
  return `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_r${a.assertionId}" Version="2.0" IssueInstant="${time(now)}" Destination="${a.recipient}" InResponseTo="${a.inResponseTo}"><saml:Issuer>${a.issuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status><saml:Assertion ID="${a.assertionId}" Version="2.0" IssueInstant="${time(now)}"><saml:Issuer>${a.issuer}</saml:Issuer><saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">${a.nameId}</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData NotOnOrAfter="${time(a.notOnOrAfter)}" Recipient="${a.recipient}"${a.inResponseTo === '' ? '' : ` InResponseTo="${a.inResponseTo}"`}/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${time(a.notBefore)}" NotOnOrAfter="${time(a.notOnOrAfter)}"><saml:AudienceRestriction><saml:Audience>${a.audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="${time(now)}" SessionIndex="_s"><saml:AuthnContext><saml:AuthnContextClassRef>${a.context}</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement>${attributes.join('')}</saml:AttributeStatement></saml:Assertion></samlp:Response>`
}

/** A company's SAML provider: samlify. `now` is its clock. */
export const startCompanySaml = async (t: Scope, entityId: string, now: () => number): Promise<CompanySaml> => {
  const { key, cert } = await certificateFor(t, ['DNS:login.example.test'], ['rsa:2048'])
  const loginUrl = 'https://login.example.test/saml'
  const provider = samlify.IdentityProvider({
    entityID: entityId,
    privateKey: key,
    signingCert: cert,
    isAssertionEncrypted: false,
    singleLogoutService: [{ Binding: samlify.Constants.namespace.binding.redirect, Location: loginUrl }],
    singleSignOnService: [{ Binding: samlify.Constants.namespace.binding.redirect, Location: loginUrl }],
    loginResponseTemplate: { context: '', attributes: [] },
  })
  let count = 0
  return {
    settings: { entityId, loginUrl, certificates: [cert] },
    respond: async (metadata, request, change = {}) => {
      const service = samlify.ServiceProvider({ metadata })
      const { extract } = await provider.parseLoginRequest(service, 'redirect', { query: Object.fromEntries(request.searchParams) })
      const assertion: Assertion = {
        assertionId: `_assertion${++count}`,
        issuer: entityId,
        audience: service.entityMeta.getEntityID(),
        recipient: service.entityMeta.getAssertionConsumerService('post'),
        inResponseTo: extract.request.id,
        nameId: 'grace-1906',
        notBefore: now() - 1_000,
        notOnOrAfter: now() + 300_000,
        attributes: { email: ['grace@example.test'], firstName: ['Grace'], lastName: ['Hopper'], groups: ['staff', 'engineers'] },
        context: 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
        ...change,
      }
      const { context } = await provider.createLoginResponse(service, { extract }, 'post', {}, () => ({
        id: assertion.assertionId,
        context: responseOf(assertion, now()),
      }))
      return context
    },
  }
}
