import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import * as oidc from 'openid-client'
import { hashSecret } from '#core/account/identity/tokens/tokens.ts'
import { authorizeUrl, Browser, consentInBrowser } from '#test/http/browser.ts'
import { bothDatabases, databases, startWorld, type Person, type World } from '#test/world/world.ts'

const callback = 'https://app.example/callback'

interface App {
  clientId: string
  clientSecret: string
}

const newApp = async (person: Person): Promise<App> => person.api.createOauthClient({}, { name: 'An app', redirectUris: [callback] })

const startOf = (world: World, { clientId }: App, query: Record<string, string> = {}): URL =>
  authorizeUrl(world.url, { client_id: clientId, redirect_uri: callback, ...query })

const getCode = async (world: World, app: App, person: Person, parameters: Record<string, string> = {}): Promise<string> => {
  const end = await consentInBrowser(startOf(world, app, parameters), person)
  const code = end.searchParams.get('code')
  assert.ok(code, `no code in ${end.href}`)
  return code
}

const exchange = (world: World, fields: Record<string, string>): Promise<Response> =>
  fetch(`${world.url}/v1/authorization/oauth/token`, { method: 'POST', body: new URLSearchParams(fields) })

const exchangeCode = (world: World, { clientId, clientSecret }: App, code: string): Promise<Response> =>
  exchange(world, { grant_type: 'authorization_code', client_id: clientId, client_secret: clientSecret, code, redirect_uri: callback })

const refresh = (world: World, { clientId, clientSecret }: App, refresh_token: string): Promise<Response> =>
  exchange(world, { grant_type: 'refresh_token', client_id: clientId, client_secret: clientSecret, refresh_token })

interface Tokens {
  access_token: string
  refresh_token: string
  id_token: string
}

const tokensOf = async (reply: Response): Promise<Tokens> => {
  assert.equal(reply.status, 200, await reply.clone().text())
  return (await reply.json()) as Tokens
}

const errorOf = async (reply: Response): Promise<[number, string]> => [reply.status, ((await reply.json()) as { error: string }).error]

for (const database of databases) {
  test(`${database}: completes the code flow with an independent client library`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const app = await newApp(ada)
    const options = { execute: [oidc.allowInsecureRequests] }
    const config = await oidc.discovery(
      new URL(world.url),
      app.clientId,
      app.clientSecret,
      oidc.ClientSecretPost(app.clientSecret),
      options,
    )
    const verifier = oidc.randomPKCECodeVerifier()
    const checks = { expectedState: oidc.randomState(), expectedNonce: oidc.randomNonce() }
    const start = oidc.buildAuthorizationUrl(config, {
      scope: 'openid account:read users:read',
      redirect_uri: callback,
      state: checks.expectedState,
      nonce: checks.expectedNonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    const end = await consentInBrowser(start, ada)
    assert.equal(end.searchParams.get('iss'), world.url)
    const tokens = await oidc.authorizationCodeGrant(config, end, { ...checks, pkceCodeVerifier: verifier, idTokenExpected: true })
    assert.equal(tokens.claims()?.nonce, checks.expectedNonce)
    assert.equal(tokens.claims()?.aud, app.clientId)
    assert.equal(tokens.expires_in, 300)
    assert.equal(tokens.refresh_expires_in, 2_592_000)
    assert.equal(tokens['not-before-policy'], 0)
    assert.equal(typeof tokens.session_state, 'string')
    assert.equal(tokens.scope, 'openid account:read users:read')

    const keys = createRemoteJWKSet(new URL(config.serverMetadata().jwks_uri ?? ''))
    const verified = await jwtVerify(tokens.id_token ?? '', keys, { issuer: world.url, audience: app.clientId, algorithms: ['RS256'] })
    assert.match(verified.payload.sub ?? '', /^f:.+:\d+$/)
    assert.equal(verified.payload.sub, decodeJwt(tokens.access_token).sub)

    const api = world.client(tokens.access_token)
    assert.equal((await api.getAccount()).company, 'Example Ltd')
    assert.equal((await api.getUserInfo()).sub, ada.userId)
    await assert.rejects(api.listAddresses(), { status: 403 }, 'a scope that was not asked for')
    await assert.rejects(api.listRestrictions(), { status: 403 }, 'internal is only met by all')

    const renewed = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')
    assert.notEqual(renewed.refresh_token, tokens.refresh_token)
    assert.equal((await world.client(renewed.access_token).getAccount()).company, 'Example Ltd')
  })
}

for (const database of bothDatabases) {
  test(`${database}: expires codes and tokens and accepts codes and refresh tokens once`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const app = await newApp(ada)

    const late = await getCode(world, app, ada)
    await world.clock.advance(60_000)
    assert.deepEqual(await errorOf(await exchangeCode(world, app, late)), [400, 'invalid_grant'])

    const tokens = await tokensOf(await exchangeCode(world, app, await getCode(world, app, ada)))
    assert.equal(decodeJwt(tokens.id_token).aud, app.clientId, 'all stands for openid too')
    await assert.rejects(world.client(tokens.refresh_token).getUserInfo(), { status: 401 }, 'a refresh token is no bearer token')
    await world.clock.advance(299_000)
    await world.client(tokens.access_token).getUserInfo()
    await world.clock.advance(1_000)
    await assert.rejects(world.client(tokens.access_token).getUserInfo(), { status: 401 })

    const second = await tokensOf(await refresh(world, app, tokens.refresh_token))
    await world.client(second.access_token).getUserInfo()
    assert.deepEqual(await errorOf(await refresh(world, app, tokens.refresh_token)), [400, 'invalid_grant'], 'a refresh token is good once')
    await assert.rejects(world.client(second.access_token).getUserInfo(), { status: 401 }, 'its second use ends what came from it')
    assert.deepEqual(await errorOf(await refresh(world, app, second.refresh_token)), [400, 'invalid_grant'])

    const third = await tokensOf(await exchangeCode(world, app, await getCode(world, app, ada)))
    await world.clock.jump(30 * 24 * 60 * 60 * 1000)
    assert.deepEqual(await errorOf(await refresh(world, app, third.refresh_token)), [400, 'invalid_grant'], 'after 30 days')
  })
}

for (const database of databases) {
  test(`${database}: revokes everything when a code is used twice`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const app = await newApp(ada)
    const code = await getCode(world, app, ada)
    const tokens = await tokensOf(await exchangeCode(world, app, code))
    await world.client(tokens.access_token).getUserInfo()
    assert.deepEqual(await errorOf(await exchangeCode(world, app, code)), [400, 'invalid_grant'])
    await assert.rejects(world.client(tokens.access_token).getUserInfo(), { status: 401 })
    assert.deepEqual(await errorOf(await refresh(world, app, tokens.refresh_token)), [400, 'invalid_grant'])
  })
}

for (const database of bothDatabases) {
  test(`${database}: accepts one of a hundred concurrent exchanges of a code and revokes its tokens`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const app = await newApp(ada)
    const code = await getCode(world, app, ada)
    const replies = await Promise.all(Array.from({ length: 100 }, () => exchangeCode(world, app, code)))
    const winners = replies.filter(({ status }) => status === 200)
    assert.equal(winners.length, 1)
    assert.ok(replies.every(({ status }) => status === 200 || status === 400))
    const tokens = await tokensOf(winners[0] as Response)
    await assert.rejects(world.client(tokens.access_token).getUserInfo(), { status: 401 })
    assert.deepEqual(await errorOf(await refresh(world, app, tokens.refresh_token)), [400, 'invalid_grant'])
  })
}

for (const database of databases) {
  test(`${database}: revokes all grants of a deleted client`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const app = await newApp(ada)
    const tokens = await tokensOf(await exchangeCode(world, app, await getCode(world, app, ada)))
    const { clientSecret } = await ada.api.resetOauthClientSecret({ clientId: app.clientId })
    assert.deepEqual(await errorOf(await refresh(world, app, tokens.refresh_token)), [401, 'invalid_client'], 'the old secret')
    const renewed = await tokensOf(await refresh(world, { ...app, clientSecret }, tokens.refresh_token))
    await ada.api.deleteOauthClient({ clientId: app.clientId })
    await assert.rejects(world.client(renewed.access_token).getUserInfo(), { status: 401 })
    assert.deepEqual(await errorOf(await refresh(world, { ...app, clientSecret }, renewed.refresh_token)), [401, 'invalid_client'])
  })
}

test('answers the errors of RFC 6749 at the token endpoint', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const app = await newApp(ada)
  const other = await newApp(ada)
  const { clientId: client_id, clientSecret: client_secret } = app
  const code = await getCode(world, app, ada)
  const good = { grant_type: 'authorization_code', client_id, client_secret, code, redirect_uri: callback }
  const cases: [string, Record<string, string>, number, string][] = [
    ['wrong secret', { ...good, client_secret: 'wrong' }, 401, 'invalid_client'],
    ['empty secret', { ...good, client_secret: '' }, 401, 'invalid_client'],
    ['the stored hash as secret', { ...good, client_secret: hashSecret(client_secret) }, 401, 'invalid_client'],
    ['unknown client', { ...good, client_id: 'nobody' }, 401, 'invalid_client'],
    ['a client with a NUL', { ...good, client_id: 'a\0b' }, 401, 'invalid_client'],
    ['no client', { grant_type: 'authorization_code', code, redirect_uri: callback }, 400, 'invalid_request'],
    ['another client', { ...good, client_id: other.clientId, client_secret: other.clientSecret }, 400, 'invalid_grant'],
    ['another redirect_uri', { ...good, redirect_uri: `${callback}/` }, 400, 'invalid_grant'],
    ['no redirect_uri', { grant_type: 'authorization_code', client_id, client_secret, code }, 400, 'invalid_request'],
    ['unknown code', { ...good, code: 'nonsense' }, 400, 'invalid_grant'],
    ['a code with a NUL', { ...good, code: 'a\0b' }, 400, 'invalid_grant'],
    ['a verifier without a challenge', { ...good, code_verifier: 'x'.repeat(43) }, 400, 'invalid_grant'],
    ['password grant', { ...good, grant_type: 'password', username: ada.email, password: ada.password }, 400, 'unsupported_grant_type'],
    ['client credentials', { grant_type: 'client_credentials', client_id, client_secret }, 400, 'unsupported_grant_type'],
    ['implicit', { ...good, grant_type: 'implicit' }, 400, 'unsupported_grant_type'],
    ['no grant type', { client_id, client_secret, code, redirect_uri: callback }, 400, 'invalid_request'],
  ]
  for (const [name, fields, status, error] of cases) {
    const reply = await exchange(world, fields)
    assert.equal(reply.headers.get('cache-control'), 'no-store', name)
    assert.deepEqual(await errorOf(reply), [status, error], name)
  }
  const json = await fetch(`${world.url}/v1/authorization/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(good),
  })
  assert.deepEqual(await errorOf(json), [400, 'invalid_request'])
  const huge = await exchange(world, { ...good, padding: 'x'.repeat(100_000) })
  assert.deepEqual(await errorOf(huge), [400, 'invalid_request'])
  const inHeader = { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` }
  const { client_id: _id, client_secret: _secret, ...grant } = good
  const url = `${world.url}/v1/authorization/oauth/token`
  await tokensOf(await fetch(url, { method: 'POST', headers: inHeader, body: new URLSearchParams(grant) }))
})

test('accepts only PKCE S256, and requires the verifier if a challenge was sent', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const app = await newApp(ada)
  const verifier = oidc.randomPKCECodeVerifier()
  const challenge = { code_challenge: await oidc.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' }
  const { clientId: client_id, clientSecret: client_secret } = app
  const browser = new Browser()
  const send = async (code_verifier?: string): Promise<Response> => {
    const end = await consentInBrowser(startOf(world, app, challenge), ada, { browser })
    const fields = { grant_type: 'authorization_code', client_id, client_secret, redirect_uri: callback }
    return exchange(world, { ...fields, code: end.searchParams.get('code') ?? '', ...(code_verifier !== undefined && { code_verifier }) })
  }
  assert.deepEqual(await errorOf(await send()), [400, 'invalid_grant'])
  assert.deepEqual(await errorOf(await send('a'.repeat(43))), [400, 'invalid_grant'])
  await tokensOf(await send(verifier))
  for (const wrong of [{ code_challenge: verifier, code_challenge_method: 'plain' }, { code_challenge: verifier }]) {
    const { url } = await browser.follow(startOf(world, app, wrong), world.url)
    assert.equal(url.origin, 'https://app.example')
    assert.equal(url.searchParams.get('error'), 'invalid_request')
  }
})

test('joins repeated scope parameters, ignores unknown scopes, and rejects an empty result', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const app = await newApp(ada)
  const granted = async (search: string): Promise<string> => {
    const start = new URL(startOf(world, app).href.replace('scope=all', search))
    const end = await consentInBrowser(start, ada)
    const reply = await exchangeCode(world, app, end.searchParams.get('code') ?? '')
    return ((await reply.json()) as { scope: string }).scope
  }
  assert.equal(await granted('scope=account:read&scope=balance:read'), 'account:read balance:read')
  assert.equal(await granted('scope[]=account:read&scope[]=openid'), 'account:read openid')
  assert.equal(await granted('scope=openid+profile+email+offline_access+account%3Aread'), 'openid profile email account:read')
  for (const none of ['scope=internal', 'scope=nonsense', 'scope=', 'x=y']) {
    const start = new URL(startOf(world, app).href.replace('scope=all', none))
    const { url } = await new Browser().follow(start, world.url)
    assert.equal(url.searchParams.get('error'), 'invalid_scope', none)
    assert.equal(url.searchParams.get('state'), 'the-state')
  }
})

test('supports only response type code and response mode query', async (t) => {
  const world = await startWorld(t)
  const app = await newApp(await world.newAccount())
  for (const parameters of [
    { response_type: 'token' },
    { response_type: 'id_token' },
    { response_type: 'code id_token' },
    { response_type: 'none' },
    { response_mode: 'form_post' },
    { response_mode: 'fragment' },
    { request: 'x.y.z' },
    { request_uri: 'https://evil.example/request' },
  ]) {
    const reply = await fetch(startOf(world, app, parameters), { redirect: 'manual' })
    const location = new URL(reply.headers.get('location') ?? 'none:')
    assert.equal(location.origin, 'https://app.example', JSON.stringify(parameters))
    assert.match(
      location.href,
      /error=(unsupported_response_type|unsupported_response_mode|invalid_request|request_not_supported|request_uri_not_supported)/,
    )
    assert.doesNotMatch(location.href, /code=|token=/)
  }
})

test('answers unsupported_response_type to clients of the implicit flow', async (t) => {
  const world = await startWorld(t)
  const app = await newApp(await world.newAccount())
  for (const response_type of ['token', 'id_token', 'id_token token', 'code id_token', 'none']) {
    const reply = await fetch(startOf(world, app, { response_type, nonce: 'n' }), { redirect: 'manual' })
    const { hash, searchParams } = new URL(reply.headers.get('location') ?? 'none:')
    const answer = hash === '' ? searchParams : new URLSearchParams(hash.slice(1))
    assert.equal(answer.get('error'), 'unsupported_response_type', response_type)
    assert.equal(answer.get('state'), 'the-state')
  }
})

test('uses public addresses and secure cookies behind a proxy', async (t) => {
  const world = await startWorld(t, { settings: { OFFHOOK_PUBLIC_URL: 'https://phone.example/base' } })
  const app = await newApp(await world.newAccount())
  const discovery = (await (
    await fetch(`${world.url}/.well-known/openid-configuration`, { headers: { 'x-forwarded-host': 'evil.example' } })
  ).json()) as Record<string, string>
  assert.equal(discovery.issuer, 'https://phone.example/base')
  assert.equal(discovery.token_endpoint, 'https://phone.example/base/v1/authorization/oauth/token')
  const reply = await fetch(startOf(world, app), { redirect: 'manual' })
  assert.match(reply.headers.get('location') ?? '', /^https:\/\/phone\.example\/base\/login\/interaction\/[\w-]+$/)
  const cookies = reply.headers.getSetCookie()
  assert.ok(cookies.length >= 4)
  for (const cookie of cookies) {
    assert.match(cookie, /; secure/i)
    assert.match(cookie, /; httponly/i)
    assert.match(cookie, /; samesite=lax/i)
    assert.match(cookie, /; path=\/base\//i)
  }
})
