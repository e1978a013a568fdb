import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import type { Passwords } from '#core/kernel/ports/account.ts'
import { argon2Passwords } from '#adapters/passwords/argon2-passwords.ts'
import { bothDatabases, databases, startWorld, type World } from '#test/world/world.ts'

const logIn = (world: World, fields: Record<string, string>, path = '/login'): Promise<Response> =>
  fetch(world.url + path, { method: 'POST', headers: { accept: 'application/json' }, body: new URLSearchParams(fields) })

const errorOf = async (reply: Response): Promise<[number, string]> => [reply.status, ((await reply.json()) as { error: string }).error]

for (const database of databases) {
  test(`${database}: returns a token and a single-use refresh token for a password`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const fields = { client_id: 'our-app', grant_type: 'password', username: ada.email, password: ada.password }
    for (const path of ['/login', '/login/token']) assert.equal((await logIn(world, fields, path)).status, 200)

    const first = await world.client().logIn({}, { ...fields, grant_type: 'password' })
    const { token, access_token, refresh_token, session_state, ...rest } = first
    assert.equal(token, access_token)
    assert.ok(session_state)
    assert.deepEqual(rest, {
      token_type: 'bearer',
      expires_in: 300,
      refresh_expires_in: 2_592_000,
      'not-before-policy': 0,
      scope: 'all',
    })
    const claims = decodeJwt(token)
    assert.equal(claims.azp, 'our-app')
    assert.match(claims.sub ?? '', /^f:/)
    assert.deepEqual(claims.realm_access, { roles: ['all'] })
    await world.client(token).getUserInfo()
    await assert.rejects(world.client(refresh_token).getUserInfo(), { status: 401 }, 'a refresh token is no bearer token')
    await world.clock.advance(300_000)
    await assert.rejects(world.client(token).getUserInfo(), { status: 401 })

    const renew = (value: string, client_id = 'our-app') => logIn(world, { client_id, grant_type: 'refresh_token', refresh_token: value })
    assert.deepEqual(await errorOf(await renew(refresh_token, 'another-app')), [400, 'invalid_grant'])
    const second = (await (await renew(refresh_token)).json()) as { token: string; refresh_token: string }
    await world.client(second.token).getUserInfo()
    assert.deepEqual(await errorOf(await renew(refresh_token)), [400, 'invalid_grant'])
    await assert.rejects(world.client(second.token).getUserInfo(), { status: 401 }, 'the second use ended the login')
    assert.deepEqual(await errorOf(await renew(second.refresh_token)), [400, 'invalid_grant'])
    await ada.api.getUserInfo()
  })
}

for (const database of bothDatabases) {
  test(`${database}: accepts one of a hundred concurrent renewals`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const fields = { client_id: 'our-app', grant_type: 'password', username: ada.email, password: ada.password }
    const { refresh_token } = (await (await logIn(world, fields)).json()) as { refresh_token: string }
    const replies = await Promise.all(
      Array.from({ length: 100 }, () => logIn(world, { client_id: 'our-app', grant_type: 'refresh_token', refresh_token })),
    )
    const [winner, ...others] = replies.filter(({ status }) => status === 200)
    assert.equal(others.length, 0)
    const { token } = (await (winner as Response).json()) as { token: string }
    await assert.rejects(world.client(token).getUserInfo(), { status: 401 }, 'and is taken for a thief')
  })
}

for (const database of databases) {
  test(`${database}: revokes the refresh token at logout`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const fields = { client_id: 'our-app', grant_type: 'password', username: ada.email, password: ada.password }
    const { token, refresh_token } = (await (await logIn(world, fields)).json()) as { token: string; refresh_token: string }
    await world.client(token).deleteSessionToken()
    assert.deepEqual(await errorOf(await logIn(world, { client_id: 'our-app', grant_type: 'refresh_token', refresh_token })), [
      400,
      'invalid_grant',
    ])
  })

  test(`${database}: limits failures to five per minute for a name and twenty for an address over all logins`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const grant = { client_id: 'x', grant_type: 'password', username: ada.email }
    for (let failures = 0; failures < 3; failures++)
      assert.deepEqual(await errorOf(await logIn(world, { ...grant, password: 'wrong' })), [400, 'invalid_grant'])
    const anyone = world.client()
    for (let failures = 0; failures < 2; failures++)
      await assert.rejects(anyone.createSessionToken({}, { username: ada.email, password: 'wrong' }), { status: 401 })
    const locked = await logIn(world, { ...grant, username: ` ${ada.email.toUpperCase()}`, password: ada.password })
    assert.equal(locked.headers.get('retry-after'), '60')
    assert.deepEqual(await errorOf(locked), [429, 'slow_down'])
    const refused = await fetch(`${world.url}/v1/authorization/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: ada.email, password: ada.password }),
    })
    assert.equal(refused.status, 429)
    assert.equal(refused.headers.get('retry-after'), '60')
    await assert.rejects(anyone.createOperatorSession({}, { email: ada.email, password: ada.password }), { status: 429 })

    for (let others = 0; others < 15; others++)
      await assert.rejects(anyone.createSessionToken({}, { username: `user${others}@example.com`, password: 'wrong' }), { status: 401 })
    const bob = await world.newUser(ada.accountId)
    await assert.rejects(
      anyone.createSessionToken({}, { username: bob.email, password: bob.password }),
      { status: 429 },
      'the address is locked',
    )
    await world.clock.advance(60_000)
    for (let successes = 0; successes < 25; successes++)
      await anyone.createSessionToken({}, { username: bob.email, password: bob.password })
    assert.equal((await logIn(world, { ...grant, password: ada.password })).status, 200, 'successes do not count')
  })
}

for (const database of bothDatabases) {
  test(`${database}: counts a hundred concurrent wrong passwords as five attempts`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const tries = Array.from({ length: 100 }, () =>
      logIn(world, { client_id: 'x', grant_type: 'password', username: ada.email, password: 'wrong' }),
    )
    const replies = await Promise.all(tries)
    assert.equal(replies.filter(({ status }) => status === 400).length, 5)
    assert.equal(replies.filter(({ status }) => status === 429).length, 95)
  })
}

test('spends the same time on an unknown user as on a wrong password', async (t) => {
  const real = argon2Passwords()
  const calls: string[] = []
  const passwords: Passwords = {
    hash: (password) => real.hash(password),
    matches: (password, hash) => {
      calls.push(hash === undefined ? 'dummy' : 'real')
      return real.matches(password, hash)
    },
  }
  const world = await startWorld(t, { replaced: { passwords } })
  const ada = await world.newAccount()
  const grant = { client_id: 'x', grant_type: 'password', password: 'wrong' }
  const known = await logIn(world, { ...grant, username: ada.email })
  const unknown = await logIn(world, { ...grant, username: 'nobody@example.com' })
  assert.deepEqual([known.status, await known.text()], [unknown.status, await unknown.text()])
  const anyone = world.client()
  for (const username of [ada.email, 'nobody@example.com'])
    await assert.rejects(anyone.createSessionToken({}, { username, password: 'wrong' }), { status: 401 })
  for (const email of [ada.email, 'nobody@example.com'])
    await assert.rejects(anyone.createOperatorSession({}, { email, password: 'wrong' }), { status: 401 })
  assert.deepEqual(calls, ['real', 'dummy', 'real', 'dummy', 'dummy', 'dummy'], 'one hash each time, known or not')
})

test('answers errors in the OAuth format', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const { clientId } = await ada.api.createOauthClient({}, { name: 'x', redirectUris: ['https://app.example/'] })
  const good = { client_id: 'our-app', grant_type: 'password', username: ada.email, password: ada.password }
  const { client_id: _, ...noClient } = good
  const cases: [Record<string, string>, number, string][] = [
    [noClient, 400, 'invalid_request'],
    [{ ...good, username: '' }, 400, 'invalid_request'],
    [{ client_id: 'x', grant_type: 'password' }, 400, 'invalid_request'],
    [{ client_id: 'x', grant_type: 'refresh_token' }, 400, 'invalid_request'],
    [{ ...good, grant_type: 'client_credentials' }, 400, 'unsupported_grant_type'],
    [{ ...good, grant_type: '__proto__' }, 400, 'unsupported_grant_type'],
    [{ ...good, client_id: clientId }, 400, 'unauthorized_client'],
    [{ ...good, scope: 'account:read nonsense' }, 400, 'invalid_scope'],
    [{ ...good, scope: 'internal' }, 400, 'invalid_scope'],
    [{ ...good, password: 'x'.repeat(2000) }, 400, 'invalid_grant'],
    [{ ...good, username: 'a\0b' }, 400, 'invalid_request'],
  ]
  for (const [fields, status, error] of cases)
    assert.deepEqual(await errorOf(await logIn(world, fields)), [status, error], JSON.stringify(fields))
  const twice = await fetch(`${world.url}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'client_id=a&client_id=b&grant_type=password',
  })
  assert.deepEqual(await errorOf(twice), [400, 'invalid_request'])
  const json = await fetch(`${world.url}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(good),
  })
  assert.deepEqual(await errorOf(json), [415, 'invalid_request'])
  const huge = await logIn(world, { ...good, padding: 'x'.repeat(20_000) })
  assert.deepEqual(await errorOf(huge), [413, 'invalid_request'])

  const narrow = (await (await logIn(world, { ...good, scope: 'account:read', unknown: 'ignored' })).json()) as {
    token: string
    scope: string
  }
  assert.equal(narrow.scope, 'account:read')
  await world.client(narrow.token).getAccount()
  await assert.rejects(world.client(narrow.token).listUsers(), { status: 403 })
})

test('rejects logins to a closed account', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  await world.write((tables) => tables.accounts.close(ada.accountId, world.clock.now()))
  await assert.rejects(world.client().createSessionToken({}, { username: ada.email, password: ada.password }), { status: 401 })
})

test('rejects password logins when they are switched off', async (t) => {
  const world = await startWorld(t, { settings: { OFFHOOK_PASSWORD_GRANT: 'off' } })
  const ada = await world.newAccount()
  const reply = await logIn(world, { client_id: 'x', grant_type: 'password', username: ada.email, password: ada.password })
  assert.deepEqual(await errorOf(reply), [400, 'unsupported_grant_type'])
  const login = { username: ada.email, password: ada.password }
  await assert.rejects(world.client().createSessionToken({}, login), { status: 403 })
  const fromPage = async (origin: string) => {
    const headers = { 'content-type': 'application/json', origin }
    return (await fetch(`${world.url}/v1/authorization/token`, { method: 'POST', headers, body: JSON.stringify(login) })).status
  }
  assert.equal(await fromPage('https://elsewhere.example'), 403)
  assert.equal(await fromPage('null'), 403)
  assert.equal(await fromPage(world.url), 200, 'people still log in to the console')
})
