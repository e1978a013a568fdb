import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { decodeJwt, importJWK, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose'
import { authorizeUrl, Browser } from '#test/http/browser.ts'
import { withCode } from '#test/http/with-code.ts'
import { signingKey, startCompanyOidc, type CompanyOidc, type Employee } from '#test/sign-on/company-oidc.ts'
import { databases, startWorld, type Person, type World, type WorldOptions } from '#test/world/world.ts'

const grace: Employee = { sub: 'grace', email: 'grace@example.test', given_name: 'Grace', family_name: 'Hopper', groups: ['staff'] }

interface Office {
  world: World
  ada: Person
  company: CompanyOidc
  providerId: string
  /** Published DNS records. */
  records: Map<string, string[]>
}

type Input = Partial<Parameters<Person['api']['createIdentityProvider']>[1]>

const openOffice = async (t: Parameters<typeof startWorld>[0], input: Input = {}, options: WorldOptions = {}): Promise<Office> => {
  const records = new Map<string, string[]>()
  const world = await startWorld(t, {
    ...options,
    settings: { OFFHOOK_EGRESS_ALLOW: '127.0.0.1', ...options.settings },
    replaced: { txtRecords: (name) => Promise.resolve(records.get(name) ?? []) },
  })
  const ada = await world.newAccount()
  const company = await startCompanyOidc(t, { ...grace })
  const provider = await ada.api.createIdentityProvider(
    {},
    { name: 'Company', domains: ['example.test'], oidc: { issuer: company.issuer, ...company.client }, ...input },
  )
  company.register(provider.callbackUrl, `${world.url}/console/`)
  for (const { record } of provider.domains) records.set(record.name, ['v=spf1 -all', record.value])
  return { world, ada, company, providerId: provider.id, records }
}

const openVerifiedOffice = async (...given: Parameters<typeof openOffice>): Promise<Office> => {
  const office = await openOffice(...given)
  await office.ada.api.verifyProviderDomain({ providerId: office.providerId, domain: 'example.test' })
  return office
}

/** Follows the login through both services to its end. */
const travel = async (browser: Browser, start: string, until: (url: URL) => boolean): Promise<{ url: URL; status: number }> => {
  let at = new URL(start)
  for (let hops = 0; hops < 15; hops++) {
    if (until(at)) return { url: at, status: 0 }
    const reply = await browser.open(at)
    const location = reply.headers.get('location')
    await reply.body?.cancel()
    if (location === null) return { url: at, status: reply.status }
    at = new URL(location, at)
  }
  throw new Error('too many redirects')
}

const isEnd = ({ hash }: URL): boolean => hash.startsWith('#sign-on=')

const ticketOf = (url: URL): string => decodeURIComponent(url.hash.slice('#sign-on='.length))

const exchange = (world: World, browser: Browser, ticket: string): Promise<Response> =>
  browser.open(`${world.url}/v1/authorization/singlesignon/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ticket }),
  })

const startOf = async ({ world }: Office): Promise<string> =>
  (await world.client().findSingleSignOn({}, { email: 'Somebody@Example.test' })).url ?? ''

const logIn = async (office: Office, browser = new Browser()): Promise<string> => {
  const { url } = await travel(browser, await startOf(office), isEnd)
  assert.ok(isEnd(url), url.href)
  const reply = await exchange(office.world, browser, ticketOf(url))
  assert.equal(reply.status, 200, await reply.clone().text())
  return ((await reply.json()) as { token: string }).token
}

/** HTTP status of a login that is to fail. */
const failedLogin = async (office: Office): Promise<number> => {
  const { url, status } = await travel(new Browser(), await startOf(office), isEnd)
  assert.ok(!isEnd(url), 'the login was accepted')
  return status
}

const codeOf = async (reply: Response): Promise<string> => ((await reply.json()) as { code: string }).code

for (const database of databases) {
  test(`${database}: creates a user with the role of a group at the first login and keeps both in step`, async (t) => {
    const roles = [
      { group: 'phone-admins', role: 'ADMIN' as const },
      { group: 'engineers', role: 'DEVELOPER' as const },
    ]
    const office = await openVerifiedOffice(t, { roles }, { database })
    const { world, ada, company } = office
    company.employee.groups = ['staff', 'engineers']
    const api = world.client(await logIn(office))
    const { sub: userId } = await api.getUserInfo()
    const user = await api.getUser({ userId })
    assert.deepEqual([user.firstname, user.lastname, user.email, user.role], ['Grace', 'Hopper', 'grace@example.test', 'DEVELOPER'])
    assert.equal((await api.listPhonelines({ userId })).items.length, 1)

    company.employee = { ...company.employee, email: 'hopper@example.test', groups: ['phone-admins'] }
    const again = world.client(await logIn(office))
    assert.equal((await again.getUserInfo()).sub, userId, 'known by the subject, not by the address')
    assert.equal((await again.getUser({ userId })).role, 'ADMIN')
    company.employee.groups = []
    assert.equal((await ada.api.getUser({ userId: (await world.client(await logIn(office)).getUserInfo()).sub })).role, 'USER')
    const actions = (await ada.api.listAccountAudit({})).items.map(({ action }) => action)
    for (const action of ['identity_provider.create', 'identity_provider.verify_domain', 'user.create', 'login.single_sign_on'])
      assert.ok(actions.includes(action), action)
  })
}

test('links an existing user of the account by a verified address, and none of another account', async (t) => {
  const office = await openVerifiedOffice(t)
  const { world, ada, company, records } = office
  const domain = ada.email.split('@')[1] ?? ''
  const { domains } = await ada.api.changeIdentityProvider({ providerId: office.providerId }, { domains: ['example.test', domain] })
  company.employee.email = ada.email.toUpperCase()
  assert.equal(await failedLogin(office), 401, 'the domain is not verified yet')
  for (const { record } of domains) records.set(record.name, [record.value])
  await ada.api.verifyProviderDomain({ providerId: office.providerId, domain })
  assert.equal((await world.client(await logIn(office)).getUserInfo()).sub, ada.userId)

  const bob = await world.newAccount('Other Ltd')
  company.employee = { ...company.employee, sub: 'bob', email: bob.email }
  assert.equal(await failedLogin(office), 401)
})

test('rejects an unverified address, an unknown user, a user without a group and a deactivated user', async (t) => {
  const office = await openVerifiedOffice(t, { createUsers: false })
  const { ada, company, providerId } = office
  assert.equal(await failedLogin(office), 401, 'unknown')
  await ada.api.changeIdentityProvider({ providerId }, { createUsers: true, defaultRole: null, roles: [{ group: 'phones', role: 'USER' }] })
  assert.equal(await failedLogin(office), 401, 'in no group')
  company.employee = { ...grace, groups: ['phones'], email_verified: false }
  assert.equal(await failedLogin(office), 401, 'unverified')
  company.employee.email_verified = true
  const api = office.world.client(await logIn(office))
  const { sub: userId } = await api.getUserInfo()
  await ada.api.deactivateUser({ userId })
  await assert.rejects(api.getUserInfo(), { status: 401 })
  assert.equal(await failedLogin(office), 401, 'deactivated')
})

test('accepts an answer once, and only in the browser that asked for it', async (t) => {
  const office = await openVerifiedOffice(t)
  const { world } = office
  const [mine, theirs] = [new Browser(), new Browser()]
  const isCallback = (url: URL): boolean => url.pathname.endsWith('/callback')
  const { url: answer } = await travel(mine, await startOf(office), isCallback)
  assert.equal((await theirs.open(answer)).status, 401, 'another browser')
  const forged = new URL(answer)
  forged.searchParams.set('state', 'x')
  await travel(theirs, await startOf(office), isCallback)
  assert.equal((await theirs.open(answer)).status, 401, 'another login')
  const { url: end } = await travel(mine, answer.href, isEnd)
  assert.equal((await mine.open(answer)).status, 401, 'replayed')
  assert.equal(await codeOf(await exchange(world, theirs, ticketOf(end))), 'sign_on_ticket_invalid', 'stolen')
  assert.equal((await exchange(world, mine, ticketOf(end))).status, 200)
  assert.equal(await codeOf(await exchange(world, mine, ticketOf(end))), 'sign_on_ticket_invalid', 'exchanged twice')

  const { url: late } = await travel(mine, await startOf(office), isEnd)
  world.clock.set(61_000)
  assert.equal(await codeOf(await exchange(world, mine, ticketOf(late))), 'sign_on_ticket_invalid', 'late')
  const { url: forgedAnswer } = await travel(mine, await startOf(office), isCallback)
  forgedAnswer.searchParams.set('state', forged.searchParams.get('state') ?? '')
  assert.equal((await mine.open(forgedAnswer)).status, 401, 'forged state')
})

test('rejects forged ID tokens: unsigned, of another key, of another time, issuer, audience or login', async (t) => {
  const office = await openVerifiedOffice(t)
  const { ada, company } = office
  const key = await importJWK(signingKey, 'RS256')
  const otherKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const secret = Buffer.from(company.client.clientSecret)
  const hour = 60 * 60
  const signed = (claims: JWTPayload, by: Parameters<SignJWT['sign']>[0] = key, alg = 'RS256') =>
    new SignJWT(claims).setProtectedHeader({ alg, kid: 'company' }).sign(by)
  const changed = (change: JWTPayload) => (idToken: string) => signed({ ...decodeJwt(idToken), ...change })
  company.forge = changed({})
  await logIn(office)
  const forgeries: Record<string, (idToken: string) => string | Promise<string>> = {
    unsigned: (idToken) => new UnsecuredJWT(decodeJwt(idToken)).encode(),
    'another subject under the old signature': (idToken) => {
      const [header, , signature] = idToken.split('.')
      const claims = Buffer.from(JSON.stringify({ ...decodeJwt(idToken), sub: ada.email })).toString('base64url')
      return [header, claims, signature].join('.')
    },
    'another key': (idToken) => signed(decodeJwt(idToken), otherKey),
    'the client secret as key': (idToken) => signed(decodeJwt(idToken), secret, 'HS256'),
    'another audience': changed({ aud: 'another client' }),
    'another issuer': changed({ iss: 'http://127.0.0.1:1' }),
    'another login': changed({ nonce: 'another' }),
    'no subject': (idToken) => signed(Object.fromEntries(Object.entries(decodeJwt(idToken)).filter(([name]) => name !== 'sub'))),
    expired: (idToken) => signed({ ...decodeJwt(idToken), iat: 1_000_000, exp: 1_000_000 + hour }),
    'no token': () => '',
  }
  for (const [name, forge] of Object.entries(forgeries)) {
    company.forge = forge
    assert.equal(await failedLogin(office), 401, name)
  }
  company.forge = undefined
  await logIn(office)
})

test('ends the login here and leads to the logout of the provider', async (t) => {
  const office = await openVerifiedOffice(t)
  const browser = new Browser()
  const token = await logIn(office, browser)
  const api = office.world.client(token)
  const { url = '' } = await api.endSingleSignOn()
  const logout = new URL(url)
  assert.equal(logout.origin, office.company.issuer)
  assert.equal(logout.searchParams.get('post_logout_redirect_uri'), `${office.world.url}/console/`)
  assert.equal(decodeJwt(logout.searchParams.get('id_token_hint') ?? '').sub, 'grace')
  assert.equal((await browser.open(logout)).status, 200)
  await assert.rejects(api.getUserInfo(), { status: 401 })
})

test('lets only the provider and break-glass administrators log in while it is enforced', async (t) => {
  const office = await openOffice(t)
  const { world, ada, providerId } = office
  const carol = await world.newUser(ada.accountId, { admin: true })
  const dave = await world.newUser(ada.accountId)
  const anyone = world.client()
  const enforced = { enforced: true, breakGlass: [ada.userId] }
  await assert.rejects(ada.api.enforceSingleSignOn({ providerId }, enforced), withCode('domain_not_verified'))
  await ada.api.verifyProviderDomain({ providerId, domain: 'example.test' })
  await assert.rejects(ada.api.enforceSingleSignOn({ providerId }, { enforced: true }), withCode('break_glass_missing'))
  await assert.rejects(ada.api.enforceSingleSignOn({ providerId }, { enforced: true, breakGlass: [dave.userId] }), { status: 400 })
  await ada.api.enforceSingleSignOn({ providerId }, enforced)
  await assert.rejects(carol.api.getUserInfo(), { status: 401 }, 'logged out')
  for (const { email, password } of [carol, dave])
    await assert.rejects(anyone.createSessionToken({}, { username: email, password }), withCode('single_sign_on_required'))
  await assert.rejects(anyone.createSessionToken({}, { username: dave.email, password: 'wrong' }), withCode('invalid_credentials'))
  await anyone.createSessionToken({}, { username: ada.email, password: ada.password })
  assert.equal((await ada.api.listAccountAudit({})).items[0]?.action, 'login.break_glass')
  const { link = '' } = await ada.api.createInvitation({}, { email: 'eve@example.test' })
  const accepting = anyone.acceptInvitation(
    { nonce: link.split('/').at(-1) ?? '' },
    { firstname: 'E', lastname: 'V', password: ada.password },
  )
  await assert.rejects(accepting, withCode('single_sign_on_required'))
  await world.client(await logIn(office)).getUserInfo()
  await assert.rejects(ada.api.changeIdentityProvider({ providerId }, { domains: [] }), withCode('domain_not_verified'))
  await ada.api.enforceSingleSignOn({ providerId }, { enforced: false })
  await anyone.createSessionToken({}, { username: dave.email, password: dave.password })
})

test('asks the provider for the second factor that the account demands', async (t) => {
  const office = await openVerifiedOffice(t)
  const { world, ada, company, providerId } = office
  await world.write(({ accounts }) => accounts.setSecondFactor(ada.accountId, true))
  const browser = new Browser()
  const { url } = await travel(browser, await startOf(office), isEnd)
  assert.equal(await codeOf(await exchange(world, browser, ticketOf(url))), 'second_factor_missing')
  company.employee.amr = ['pwd', 'otp']
  await world.client(await logIn(office)).getUserInfo()
  delete company.employee.amr
  await world.write(({ accounts }) => accounts.setSecondFactor(ada.accountId, false))
  await ada.api.changeIdentityProvider({ providerId }, { secondFactorAtProvider: true })
  await world.write(({ accounts }) => accounts.setSecondFactor(ada.accountId, true))
  await world.client(await logIn(office)).getUserInfo()
})

test('logs in to an application through the company account', async (t) => {
  const office = await openVerifiedOffice(t)
  const { world, ada } = office
  const callback = 'https://app.example/callback'
  const app = await ada.api.createOauthClient({}, { name: 'An app', redirectUris: [callback] })
  const browser = new Browser()
  const start = authorizeUrl(world.url, { client_id: app.clientId, redirect_uri: callback })
  const { url: page } = await browser.follow(start, world.url)
  const unknown = await browser.submit(page, { signOn: '1', email: 'x@unknown.test' })
  assert.equal(unknown.status, 404)
  const led = await browser.submit(page, { signOn: '1', email: 'grace@example.test' })
  const target = new URL((led.headers.get('refresh') ?? '').replace('0; url=', ''), world.url)
  assert.match(await led.text(), new RegExp(`href="${target.pathname}`))
  const { url: back } = await travel(browser, target.href, ({ searchParams }) => searchParams.has('sign-on'))
  assert.equal((await new Browser().open(back)).status, 400, 'another browser')
  const { reply } = await browser.follow(back, world.url)
  assert.match((await reply?.text()) ?? '', /An app/, 'the consent page')
})

test('never calls a provider inside its own network and ends logins with the provider', async (t) => {
  const office = await openVerifiedOffice(t)
  const { ada, providerId, world } = office
  const token = await logIn(office)
  await assert.rejects(ada.api.createIdentityProvider({}, { name: 'x', oidc: { issuer: 'http://10.0.0.1', clientId: 'x' } }), {
    status: 400,
  })
  const bob = await world.newAccount('Other Ltd')
  await assert.rejects(bob.api.getIdentityProvider({ providerId }), withCode('identity_provider_not_found'))
  const { id } = await bob.api.createIdentityProvider({}, { name: 'x', oidc: { issuer: 'https://169.254.169.254', clientId: 'x' } })
  assert.equal((await new Browser().open(`${world.url}/login/sso/${id}`)).status, 401)
  await ada.api.deleteIdentityProvider({ providerId })
  await assert.rejects(world.client(token).getUserInfo(), { status: 401 })
})

test('verifies a domain for one account only', async (t) => {
  const office = await openOffice(t)
  const { world, ada, company, records, providerId } = office
  const bob = await world.newAccount('Other Ltd')
  const domain = 'example.test'
  const theirs = await bob.api.createIdentityProvider({}, { name: 'x', domains: [domain], oidc: { issuer: company.issuer, clientId: 'x' } })
  await assert.rejects(bob.api.verifyProviderDomain({ providerId: theirs.id, domain }), withCode('domain_record_missing'))
  await ada.api.verifyProviderDomain({ providerId, domain })
  for (const { record } of theirs.domains) records.set(record.name, [record.value])
  await assert.rejects(bob.api.verifyProviderDomain({ providerId: theirs.id, domain }), withCode('domain_taken'))
})
