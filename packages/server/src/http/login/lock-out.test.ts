import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { authorizeUrl, Browser, consentInBrowser } from '#test/http/browser.ts'
import { databases, startWorld, type Database, type World } from '#test/world/world.ts'
import { takeAttempt } from '#core/account/identity/attempts/attempt-limits.ts'

/** Behind a proxy, so that a test can use any client address. */
const startBehindProxy = (t: TestContext, database: Database = 'sqlite'): Promise<World> =>
  startWorld(t, { database, settings: { OFFHOOK_TRUST_PROXY: 'on' } })

const post = (world: World, path: string, body: object, ip: string, browser = new Browser()): Promise<Response> =>
  browser.open(world.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': ip },
    body: JSON.stringify(body),
  })

const logIn = async (world: World, username: string, password: string, ip: string, browser?: Browser): Promise<number> =>
  (await post(world, '/v1/authorization/token', { username, password }, ip, browser)).status

const logInAsOperator = async (world: World, email: string, password: string, ip: string, browser?: Browser): Promise<number> =>
  (await post(world, '/operator/v1/session', { email, password }, ip, browser)).status

const newOperator = async (world: World): Promise<{ email: string; password: string }> => {
  const [email, password] = ['boss@example.com', 'the operator’s own words']
  const passwordHash = await world.running.deps.passwords.hash(password)
  await world.write(({ operators }) => operators.insert({ id: 'o1', email, name: 'Boss', passwordHash, createdAt: 0 }))
  return { email, password }
}

/** Counted wrong passwords per name: five from each address. */
const ceiling = 300
const guesser = (tried: number): string => `198.51.100.${Math.floor(tried / 5)}`

/** Same effect as over HTTP, but faster. */
const guessAll = (world: World, name: string): Promise<void> =>
  world.write(async (tables) => {
    for (let tried = 0; tried < ceiling; tried++) await takeAttempt(tables, world.clock, { kind: 'login', name, ip: guesser(tried) })
  })

for (const database of databases) {
  test(`${database}: locks out only the guesser, at every login`, async (t) => {
    const world = await startBehindProxy(t, database)
    const ada = await world.newAccount()
    const boss = await newOperator(world)
    const form = (ip: string, password: string) =>
      fetch(`${world.url}/login`, {
        method: 'POST',
        headers: { 'x-forwarded-for': ip },
        body: new URLSearchParams({ client_id: 'x', grant_type: 'password', username: ada.email, password }),
      })
    for (let tried = 0; tried < 5; tried++) {
      assert.equal(await logIn(world, ada.email, 'wrong', '198.51.100.1'), 401)
      assert.equal(await logInAsOperator(world, boss.email, 'wrong', '198.51.100.1'), 401)
    }
    assert.equal(await logIn(world, ada.email, ada.password, '198.51.100.1'), 429)
    assert.equal((await form('198.51.100.1', ada.password)).status, 429)
    assert.equal(await logInAsOperator(world, boss.email, boss.password, '198.51.100.1'), 429)
    assert.equal(await logIn(world, ada.email, ada.password, '192.0.2.1'), 200)
    assert.equal((await form('192.0.2.1', ada.password)).status, 200)
    assert.equal(await logInAsOperator(world, boss.email, boss.password, '192.0.2.1'), 200)
  })

  test(`${database}: limits a name to 300 attempts per hour and exempts its known browsers`, async (t) => {
    const world = await startBehindProxy(t, database)
    const ada = await world.newAccount()
    const known = new Browser()
    assert.equal(await logIn(world, ada.email, ada.password, '192.0.2.1', known), 200)
    for (let tried = 0; tried < ceiling; tried++) assert.equal(await logIn(world, ada.email, 'wrong', guesser(tried)), 401)
    assert.equal(await logIn(world, ada.email, ada.password, '192.0.2.2'), 429, 'a stranger’s browser, wherever it is')
    assert.equal(await logIn(world, ada.email, ada.password, '198.51.100.0', known), 200, 'even at an address that guesses')
    for (let tried = 0; tried < 5; tried++) assert.equal(await logIn(world, ada.email, 'wrong', '192.0.2.1', known), 401)
    assert.equal(await logIn(world, ada.email, ada.password, '192.0.2.1', known), 429, 'a known browser is counted, too')
    await world.clock.jump(60 * 60_000)
    assert.equal(await logIn(world, ada.email, ada.password, '192.0.2.2'), 200)
  })
}

test('limits a name to thirty attempts per hour from one address', async (t) => {
  const world = await startBehindProxy(t)
  const ada = await world.newAccount()
  const results: number[] = []
  for (let tried = 0; tried < 31; tried++) {
    results.push(await logIn(world, ada.email, 'wrong', '198.51.100.1'))
    await world.clock.advance(20_000)
  }
  assert.deepEqual([results.slice(0, 30).every((status) => status === 401), results[30]], [true, 429])
  assert.equal(await logIn(world, ada.email, ada.password, '198.51.100.2'), 200)
})

test('counts an IPv6 /64 as one address', async (t) => {
  const world = await startBehindProxy(t)
  const ada = await world.newAccount()
  for (let tried = 0; tried < 5; tried++) assert.equal(await logIn(world, ada.email, 'wrong', `2001:db8:0:1::${tried}`), 401)
  assert.equal(await logIn(world, ada.email, ada.password, '2001:db8:0:1:ffff::1'), 429)
  assert.equal(await logIn(world, ada.email, ada.password, '2001:db8:0:2::1'), 200)
})

test('accepts a browser mark for its name only and rejects forged ones', async (t) => {
  const world = await startBehindProxy(t)
  const ada = await world.newAccount()
  const bob = await world.newUser(ada.accountId)
  const shared = new Browser()
  assert.equal(await logIn(world, bob.email, bob.password, '192.0.2.1', shared), 200)
  const [cookie = ''] = shared.cookies()
  assert.match(cookie, /^offhook_browser=[\w.-]+; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Lax$/)
  assert.ok(!cookie.includes(bob.email))
  await guessAll(world, ada.email)
  assert.equal(await logIn(world, ada.email, ada.password, '192.0.2.1', shared), 429, 'somebody else’s browser')
  const forged = await fetch(`${world.url}/v1/authorization/token`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-forwarded-for': '192.0.2.1',
      cookie: `offhook_browser=${'x'.repeat(22)}.1900000000.${'x'.repeat(43)}~garbage~~${'y'.repeat(9000)}`,
    },
    body: JSON.stringify({ username: ada.email, password: ada.password }),
  })
  assert.equal(forged.status, 429)

  await world.clock.jump(60 * 60_000)
  assert.equal(await logIn(world, ada.email, ada.password, '192.0.2.1', shared), 200)
  await guessAll(world, ada.email)
  await guessAll(world, bob.email)
  assert.equal(await logIn(world, ada.email, ada.password, '192.0.2.9', shared), 200, 'both are known there now')
  assert.equal(await logIn(world, bob.email, bob.password, '192.0.2.9', shared), 200)
})

test('recognises and marks browsers on the login page for applications', async (t) => {
  const world = await startBehindProxy(t)
  const ada = await world.newAccount()
  const { clientId } = await ada.api.createOauthClient({}, { name: 'App', redirectUris: ['https://app.example/'] })
  const start = authorizeUrl(world.url, { client_id: clientId, redirect_uri: 'https://app.example/' })
  const known = new Browser()
  await consentInBrowser(start, ada, { browser: known })
  await guessAll(world, ada.email)
  await assert.rejects(consentInBrowser(start, ada), /answered with 429/)
  assert.equal(await logIn(world, ada.email, ada.password, '192.0.2.1', known), 200, 'one mark for every login')
  const again = authorizeUrl(world.url, { client_id: clientId, redirect_uri: 'https://app.example/', prompt: 'login' })
  assert.ok((await consentInBrowser(again, ada, { browser: known })).searchParams.get('code'))
})

test('limits reset mails without locking out the named user', async (t) => {
  const world = await startBehindProxy(t)
  const ada = await world.newAccount()
  const ask = async (ip: string, browser?: Browser) => (await post(world, '/v1/passwordreset', { username: ada.email }, ip, browser)).status
  const known = new Browser()
  await logIn(world, ada.email, ada.password, '192.0.2.1', known)
  for (let asked = 0; asked < 3; asked++) assert.equal(await ask('198.51.100.1'), 204)
  assert.equal(await ask('198.51.100.1'), 429)
  assert.equal(await ask('192.0.2.2'), 204, 'from elsewhere')
  for (let asked = 0; asked < 11; asked++) assert.equal(await ask(`198.51.100.${10 + asked}`), 204)
  assert.equal(await ask('192.0.2.3'), 429, 'fifteen an hour')
  assert.equal(await ask('198.51.100.1', known), 204, 'a known browser passes')
})
