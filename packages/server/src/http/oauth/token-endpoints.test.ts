import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import * as oidc from 'openid-client'
import { authorizeUrl, consentInBrowser } from '#test/http/browser.ts'
import { databases, startWorld, type Person, type World } from '#test/world/world.ts'

const callback = 'https://app.example/callback'

interface App {
  clientId: string
  clientSecret: string
  /** Configuration that the client library discovered. */
  config: oidc.Configuration
}

const newApp = async (world: World, person: Person, name = 'An app'): Promise<App> => {
  const { clientId, clientSecret } = await person.api.createOauthClient({}, { name, redirectUris: [callback] })
  const insecure = { execute: [oidc.allowInsecureRequests] }
  const config = await oidc.discovery(new URL(world.url), clientId, clientSecret, oidc.ClientSecretBasic(clientSecret), insecure)
  return { clientId, clientSecret, config }
}

const logIn = async (world: World, { clientId, config }: App, person: Person, scope = 'all') => {
  const end = await consentInBrowser(authorizeUrl(world.url, { client_id: clientId, redirect_uri: callback, scope }), person)
  return oidc.authorizationCodeGrant(config, end, { expectedState: 'the-state' })
}

for (const database of databases) {
  test(`${database}: introspects and revokes tokens with a client library`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const app = await newApp(world, ada)
    const tokens = await logIn(world, app, ada, 'openid account:read')
    const { sub } = decodeJwt(tokens.id_token ?? '')
    const seconds = Math.floor(world.clock.now() / 1000)

    const known = { active: true, client_id: app.clientId, scope: 'openid account:read', sub, iss: world.url }
    const access = await oidc.tokenIntrospection(app.config, tokens.access_token)
    assert.deepEqual(access, { ...known, token_type: 'Bearer', exp: seconds + 300 })
    assert.partialDeepStrictEqual(await oidc.tokenIntrospection(app.config, tokens.refresh_token ?? ''), known)
    const other = await newApp(world, ada, 'Another')
    for (const foreign of [tokens.access_token, tokens.refresh_token ?? '', 'nonsense', ada.token])
      assert.deepEqual(await oidc.tokenIntrospection(other.config, foreign), { active: false })
    await assert.rejects(oidc.tokenRevocation(other.config, tokens.access_token), { error: 'invalid_request' })

    await oidc.tokenRevocation(app.config, tokens.access_token)
    await assert.rejects(world.client(tokens.access_token).getAccount(), { status: 401 })
    assert.deepEqual(await oidc.tokenIntrospection(app.config, tokens.access_token), { active: false })
    const renewed = await oidc.refreshTokenGrant(app.config, tokens.refresh_token ?? '')
    assert.equal((await oidc.tokenIntrospection(app.config, tokens.refresh_token ?? '')).active, false, 'spent')
    await oidc.tokenRevocation(app.config, renewed.refresh_token ?? '', { token_type_hint: 'refresh_token' })
    await assert.rejects(world.client(renewed.access_token).getAccount(), { status: 401 }, 'what came from the same consent ends')
    await assert.rejects(oidc.refreshTokenGrant(app.config, renewed.refresh_token ?? ''), { error: 'invalid_grant' })
    await oidc.tokenRevocation(app.config, 'nonsense')
    await oidc.tokenRevocation(app.config, ada.token)
    await ada.api.getAccount()
  })

  test(`${database}: lists connected apps and withdraws a consent`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const app = await newApp(world, ada, 'Calendar')
    const tokens = await logIn(world, app, bob, 'openid users:read')
    const [grant, ...more] = (await bob.api.listGrants()).items
    assert.ok(grant)
    assert.equal(more.length, 0)
    assert.partialDeepStrictEqual(grant, { clientId: app.clientId, clientName: 'Calendar', scopes: ['openid', 'users:read'] })
    assert.ok(grant.lastUsedAt !== undefined && grant.lastUsedAt >= grant.createdAt)
    assert.deepEqual(await ada.api.listGrants(), { items: [] }, 'not those of others')
    await assert.rejects(ada.api.deleteGrant(grant), { status: 404 })
    await assert.rejects(world.client(tokens.access_token).listGrants(), { status: 403 }, 'an app does not decide about apps')

    await world.client(tokens.access_token).getUserInfo()
    await bob.api.deleteGrant(grant)
    await assert.rejects(world.client(tokens.access_token).getUserInfo(), { status: 401 })
    await assert.rejects(oidc.refreshTokenGrant(app.config, tokens.refresh_token ?? ''), { error: 'invalid_grant' })
    assert.deepEqual(await bob.api.listGrants(), { items: [] })
    await assert.rejects(bob.api.deleteGrant(grant), { status: 404 })
    const actions = (await world.running.deps.store.read.audit.list(ada.accountId, { afterSeq: 0, limit: 100 })).map(({ action }) => action)
    assert.equal(actions.at(-1), 'oauth_client.withdraw')
  })
}

test('serves userinfo with a matching subject; the name only with the scope to read users', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const app = await newApp(world, ada)
  const some = await logIn(world, app, ada, 'openid account:read')
  const sub = some.claims()?.sub ?? ''
  const { domain } = await ada.api.getUserInfo()
  const little = { sub, locale: 'en-US', zoneinfo: 'Europe/Berlin', userId: 'w0', domain, masterSipId: ada.accountId }
  assert.deepEqual(await oidc.fetchUserInfo(app.config, some.access_token, sub), little)
  await assert.rejects(oidc.fetchUserInfo(app.config, some.access_token, 'somebody-else'), /unexpected/)
  assert.equal((await world.client(some.access_token).getUserInfo()).sub, 'w0', 'the account interface keeps its own word')
  const all = await logIn(world, app, ada)
  const name = { name: 'Ada L1', given_name: 'Ada', family_name: 'L1', email: ada.email }
  assert.deepEqual(await oidc.fetchUserInfo(app.config, all.access_token, sub), { ...little, ...name })
  const headers = { authorization: `Bearer ${all.access_token}` }
  const posted = await fetch(`${world.url}/v1/authorization/oauth/userinfo`, { method: 'POST', headers })
  assert.equal(((await posted.json()) as { sub: string }).sub, sub)
  const none = await logIn(world, app, ada, 'account:read')
  await assert.rejects(oidc.fetchUserInfo(app.config, none.access_token, sub), (error: oidc.WWWAuthenticateChallengeError) => {
    assert.deepEqual(error.cause[0]?.parameters, { realm: 'offhook', error: 'insufficient_scope', scope: 'openid' })
    return true
  })
})

test('gives name and e-mail address for the scopes profile and email, in userinfo and the id_token', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const app = await newApp(world, ada)
  const { scopes_supported = [], claims_supported = [] } = app.config.serverMetadata()
  for (const scope of ['openid', 'profile', 'email']) assert.ok(scopes_supported.includes(scope), scope)
  const names = { name: 'Ada L1', given_name: 'Ada', family_name: 'L1' }
  for (const claim of [...Object.keys(names), 'email']) assert.ok(claims_supported.includes(claim), claim)

  const cases: [string, Record<string, string>][] = [
    ['openid', {}],
    ['openid profile', names],
    ['openid email', { email: ada.email }],
    ['openid profile email', { ...names, email: ada.email }],
    ['openid users:read', { ...names, email: ada.email }],
  ]
  const shown = (claims: object) => Object.fromEntries(Object.entries(claims).filter(([claim]) => claim in names || claim === 'email'))
  for (const [scope, expected] of cases) {
    const tokens = await logIn(world, app, ada, scope)
    const claims = tokens.claims()
    assert.ok(claims)
    assert.deepEqual(shown(claims), expected, scope)
    assert.deepEqual(shown(await oidc.fetchUserInfo(app.config, tokens.access_token, claims.sub)), expected, scope)
  }
})

test('explains an invalid token in WWW-Authenticate', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const { tokenId, token } = await ada.api.createPersonalToken({}, { name: 'Narrow', scopes: ['account:read'] })
  const challenge = async (authorization?: string, path = '/v1/numbers') => {
    const reply = await fetch(world.url + path, { headers: authorization === undefined ? {} : { authorization } })
    await reply.body?.cancel()
    return [reply.status, reply.headers.get('www-authenticate')]
  }
  const narrow = `Basic ${Buffer.from(`${tokenId}:${token}`).toString('base64')}`
  assert.deepEqual(await challenge(), [401, 'Bearer realm="offhook"'])
  assert.deepEqual(await challenge('Bearer nonsense'), [401, 'Bearer realm="offhook", error="invalid_token"'])
  assert.deepEqual(await challenge(narrow), [403, 'Bearer realm="offhook", error="insufficient_scope", scope="numbers:read"'])
  const internal = 'Bearer realm="offhook", error="insufficient_scope", scope="all"'
  assert.deepEqual(await challenge(narrow, '/v1/authorization/personaltokens'), [403, internal])
  assert.deepEqual(await challenge(`Bearer ${ada.token}`, '/v1/addresses/7'), [404, null])
})

test('answers the RFC errors of revocation and introspection; our own programs need no secret to log out', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const { clientId: client_id, clientSecret: client_secret } = await newApp(world, ada)
  const ask = async (path: 'revoke' | 'introspect', fields: Record<string, string>, authorization?: string) => {
    const headers = { ...(authorization !== undefined && { authorization }) }
    const url = `${world.url}/v1/authorization/oauth/${path}`
    const reply = await fetch(url, { method: 'POST', headers, body: new URLSearchParams(fields) })
    const text = await reply.text()
    return [reply.status, text === '' ? '' : (JSON.parse(text) as { error?: string }).error, reply.headers.get('www-authenticate')]
  }
  const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`
  for (const path of ['revoke', 'introspect'] as const) {
    assert.deepEqual(await ask(path, { token: 'x' }), [400, 'invalid_request', null], 'who asks?')
    assert.deepEqual(await ask(path, { client_id, client_secret }), [400, 'invalid_request', null], 'for what?')
    assert.deepEqual(await ask(path, { client_id, token: 'x' }), [401, 'invalid_client', null])
    assert.deepEqual(await ask(path, { client_id, client_secret: 'wrong', token: 'x' }), [401, 'invalid_client', null])
    assert.deepEqual(await ask(path, { token: 'x' }, basic(`${client_id}:wrong`)), [401, 'invalid_client', 'Basic realm="offhook"'])
    assert.deepEqual(await ask(path, { token: 'x' }, basic('a\0b:c')), [401, 'invalid_client', 'Basic realm="offhook"'])
  }
  const form = { client_id: 'our-app', grant_type: 'password', username: ada.email, password: ada.password }
  const reply = await fetch(`${world.url}/login/token`, { method: 'POST', body: new URLSearchParams(form) })
  const pair = (await reply.json()) as { access_token: string; refresh_token: string }
  assert.deepEqual(await ask('introspect', { client_id: 'our-app', token: pair.access_token }), [401, 'invalid_client', null])
  assert.deepEqual(await ask('revoke', { client_id: 'their-app', token: pair.refresh_token }), [400, 'invalid_request', null])
  assert.deepEqual(await ask('revoke', { client_id: 'our-app', token: pair.refresh_token }), [200, '', null])
  await assert.rejects(world.client(pair.access_token).getAccount(), { status: 401 })
})
