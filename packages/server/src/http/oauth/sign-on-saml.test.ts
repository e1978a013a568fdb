import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '#test/http/browser.ts'
import { startCompanySaml, type Assertion, type CompanySaml } from '#test/sign-on/company-saml.ts'
import { databases, startWorld, type Person, type World } from '#test/world/world.ts'

interface Office {
  world: World
  ada: Person
  company: CompanySaml
  callbackUrl: string
  loginUrl: string
  metadata: string
  providerId: string
}

const openOffice = async (t: Parameters<typeof startWorld>[0], database: (typeof databases)[number] = 'sqlite'): Promise<Office> => {
  const records = new Map<string, string[]>()
  const world = await startWorld(t, { database, replaced: { txtRecords: (name) => Promise.resolve(records.get(name) ?? []) } })
  const ada = await world.newAccount()
  const company = await startCompanySaml(t, 'https://login.example.test/metadata', () => world.clock.now())
  const roles = [{ group: 'engineers', role: 'DEVELOPER' as const }]
  const input = { name: 'Company', domains: ['example.test'], roles, saml: company.settings }
  const { id: providerId, callbackUrl, loginUrl, metadataUrl = '', domains } = await ada.api.createIdentityProvider({}, input)
  for (const { record } of domains) records.set(record.name, [record.value])
  await ada.api.verifyProviderDomain({ providerId, domain: 'example.test' })
  const metadata = await (await fetch(metadataUrl)).text()
  return { world, ada, company, callbackUrl, loginUrl, metadata, providerId }
}

/** Begins a login and returns the request for the provider. */
const begin = async ({ loginUrl }: Office, browser: Browser): Promise<URL> =>
  new URL((await browser.open(loginUrl)).headers.get('location') ?? '')

/** The provider's page posts from another site: the browser sends no cookie. */
const post = (office: Office, response: string): Promise<Response> =>
  fetch(office.callbackUrl, { method: 'POST', body: new URLSearchParams({ SAMLResponse: response }), redirect: 'manual' })

const exchange = async ({ world }: Office, browser: Browser, answer: Response): Promise<string | undefined> => {
  const finished = await browser.open(answer.headers.get('location') ?? '')
  const [, ticket = ''] = (finished.headers.get('location') ?? '').split('#sign-on=')
  if (ticket === '') return undefined
  const reply = await browser.open(`${world.url}/v1/authorization/singlesignon/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ticket: decodeURIComponent(ticket) }),
  })
  return ((await reply.json()) as { token?: string }).token
}

const logIn = async (office: Office, change: Partial<Assertion> = {}): Promise<string | undefined> => {
  const browser = new Browser()
  const answer = await post(office, await office.company.respond(office.metadata, await begin(office, browser), change))
  return answer.status === 303 ? exchange(office, browser, answer) : undefined
}

const decode = (response: string): string => Buffer.from(response, 'base64').toString()
const encode = (xml: string): string => Buffer.from(xml).toString('base64')

for (const database of databases) {
  test(`${database}: logs in through a SAML provider`, async (t) => {
    const office = await openOffice(t, database)
    const api = office.world.client(await logIn(office))
    const { sub: userId } = await api.getUserInfo()
    const user = await api.getUser({ userId })
    assert.deepEqual([user.firstname, user.lastname, user.email, user.role], ['Grace', 'Hopper', 'grace@example.test', 'DEVELOPER'])
    const again = office.world.client(await logIn(office, { attributes: {} }))
    assert.equal((await again.getUserInfo()).sub, userId)
    assert.equal((await office.ada.api.getUser({ userId })).role, 'USER', 'in no group any longer')
  })
}

const assertionOf = (xml: string): string => /<saml:Assertion.*<\/saml:Assertion>/s.exec(xml)?.[0] ?? assert.fail('no assertion')

const withoutSignature = (xml: string): string => xml.replace(/<(?:ds:)?Signature .*<\/(?:ds:)?Signature>/s, '')

/** The same person under the name of an administrator. */
const forged = (assertion: string): string =>
  withoutSignature(assertion)
    .replaceAll('grace@example.test', 'admin@example.test')
    .replaceAll('grace-1906', 'admin')
    .replace(/ID="_assertion/, 'ID="_forged')

/** Ways to make a signature cover something else than is read (XML signature wrapping), and other forgeries. */
const attacks: Record<string, (xml: string) => string> = {
  'has no signature': withoutSignature,
  'was changed after signing': (xml) => xml.replace('grace@example.test', 'admin@example.test'),
  'has a second assertion before the signed one': (xml) => xml.replace('<saml:Assertion', `${forged(assertionOf(xml))}<saml:Assertion`),
  'has a second assertion behind the signed one': (xml) => xml.replace('</samlp:Response>', `${forged(assertionOf(xml))}</samlp:Response>`),
  'wraps the signed assertion in an extension': (xml) =>
    xml.replace(assertionOf(xml), `${forged(assertionOf(xml))}<samlp:Extensions>${assertionOf(xml)}</samlp:Extensions>`),
  'wraps the signed assertion in a forged one': (xml) =>
    xml.replace(assertionOf(xml), forged(assertionOf(xml)).replace('</saml:Assertion>', `${assertionOf(xml)}</saml:Assertion>`)),
  'moves the signature to a forged assertion and keeps the signed one in an object': (xml) => {
    const signature = /<(?:ds:)?Signature .*<\/(?:ds:)?Signature>/s.exec(xml)?.[0] ?? assert.fail('no signature')
    const original = withoutSignature(assertionOf(xml))
    const holding = signature.replace(/<\/((?:ds:)?)Signature>$/, `<$1Object>${original}</$1Object></$1Signature>`)
    return xml.replace(assertionOf(xml), forged(assertionOf(xml)).replace('</saml:Issuer>', `</saml:Issuer>${holding}`))
  },
  'has two elements with the signed id': (xml) =>
    xml.replace('<samlp:Status>', `<samlp:Extensions>${withoutSignature(assertionOf(xml))}</samlp:Extensions><samlp:Status>`),
  'has a document type': (xml) => `<!DOCTYPE r [<!ENTITY a "b">]>${xml}`,
  'has an encrypted assertion': (xml) => xml.replace(assertionOf(xml), '<saml:EncryptedAssertion/>'),
  'is no XML': () => 'grace',
}

test('rejects forged responses and wrapped signatures', async (t) => {
  const office = await openOffice(t)
  const browser = new Browser()
  const response = await office.company.respond(office.metadata, await begin(office, browser))
  const xml = decode(response)
  for (const [name, change] of Object.entries(attacks)) {
    assert.notEqual(change(xml), xml, name)
    assert.equal((await post(office, encode(change(xml)))).status, 401, name)
  }
  assert.equal((await office.ada.api.listUsers()).items.length, 1)
  assert.notEqual(await exchange(office, browser, await post(office, response)), undefined, 'the response itself is fine')
})

test('reads a name with a comment as the provider signed it', async (t) => {
  const office = await openOffice(t)
  const browser = new Browser()
  const values = { attributes: { email: ['admin@example.test.evil.test'] }, nameId: 'x' }
  const response = await office.company.respond(office.metadata, await begin(office, browser), values)
  const commented = decode(response).replace('example.test.evil.test', 'example.test<!---->.evil.test')
  const answer = await post(office, encode(commented))
  if (answer.status === 303) assert.equal(await exchange(office, browser, answer), undefined)
  assert.equal((await office.ada.api.listUsers()).items.length, 1)
})

test('rejects an assertion for somebody else, of somebody else or of another time', async (t) => {
  const office = await openOffice(t)
  const { world, company } = office
  const now = world.clock.now()
  const wrong: Partial<Assertion>[] = [
    { audience: 'https://other.example' },
    { recipient: 'https://other.example/saml' },
    { issuer: 'https://other.example' },
    { inResponseTo: '' },
    { inResponseTo: '_another' },
    { notBefore: now + 61_000 },
    { notOnOrAfter: now - 61_000 },
    { notOnOrAfter: now + 2 * 60 * 60_000 },
    { attributes: { email: ['grace@elsewhere.test'] } },
  ]
  for (const change of wrong) assert.equal(await logIn(office, change), undefined, JSON.stringify(change))
  const other = await startCompanySaml(t, company.settings.entityId, () => world.clock.now())
  assert.equal(await logIn({ ...office, company: other }), undefined, 'signed with another key')
  assert.equal((await office.ada.api.listUsers()).items.length, 1)
  for (const change of [{ notBefore: now + 59_000 }, { notOnOrAfter: now - 59_000 }])
    assert.notEqual(await logIn(office, change), undefined, 'clocks may differ by a minute')
})

test('accepts an assertion once, and only in the browser that asked for it', async (t) => {
  const office = await openOffice(t)
  const [mine, theirs] = [new Browser(), new Browser()]
  const response = await office.company.respond(office.metadata, await begin(office, mine))
  await begin(office, theirs)
  const answers = await Promise.all(Array.from({ length: 10 }, () => post(office, response)))
  const accepted = answers.filter(({ status }) => status === 303)
  assert.equal(accepted.length, 1)
  const [answer = assert.fail()] = accepted
  assert.equal(await exchange(office, theirs, answer), undefined, 'another browser')
  assert.notEqual(await exchange(office, mine, answer), undefined)
  assert.equal(await exchange(office, mine, answer), undefined, 'finished twice')
})

test('rejects a response that is expensive to read before it checks a signature', async (t) => {
  const office = await openOffice(t)
  const expensive = [
    '<a>'.repeat(50_000),
    `<a>${'<b/>'.repeat(50_000)}</a>`,
    `<a ${Array.from({ length: 5_000 }, (_, nth) => `b${nth}=""`).join(' ')}/>`,
    Array.from({ length: 30 }, (_, nth) => `<a ${Array.from({ length: 10 }, (__, m) => `xmlns:n${nth}x${m}="u"`).join(' ')}>`).join(''),
    `<a>${'x'.repeat(300_000)}</a>`,
  ]
  for (const xml of expensive) assert.ok([401, 413].includes((await post(office, encode(xml))).status))
})

test('takes the second factor from the authentication context', async (t) => {
  const office = await openOffice(t)
  await office.world.write(({ accounts }) => accounts.setSecondFactor(office.ada.accountId, true))
  assert.equal(await logIn(office), undefined)
  assert.notEqual(await logIn(office, { context: 'https://refeds.org/profile/mfa' }), undefined)
})
