import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientModel } from '#core/account/identity/oauth/connected-apps.ts'
import { hashSecret } from '#core/account/identity/tokens/tokens.ts'
import { authorizeUrl, consentInBrowser } from '#test/http/browser.ts'
import { databases, startWorld, type Database, type World } from '#test/world/world.ts'
import type { TestContext } from 'node:test'

const redirectUri = 'http://127.0.0.1:33418/callback'
const hour = 60 * 60 * 1000
const perAddressAndDay = 50

const startBehindProxy = (t: TestContext, database: Database): Promise<World> =>
  startWorld(t, { database, settings: { OFFHOOK_TRUST_PROXY: 'on' } })

interface Registered {
  status: number
  retryAfter: number
  client_id: string
  client_secret?: string
  token_endpoint_auth_method?: string
  error?: string
}

const register = async (world: World, metadata: object = {}, ip = '203.0.113.1'): Promise<Registered> => {
  const reply = await fetch(`${world.url}/v1/authorization/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': ip },
    body: JSON.stringify({ redirect_uris: [redirectUri], ...metadata }),
  })
  const retryAfter = Number(reply.headers.get('retry-after'))
  return { status: reply.status, retryAfter, ...((await reply.json()) as Omit<Registered, 'status' | 'retryAfter'>) }
}

const pkce = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' }

const authorize = (world: World, clientId: string, ip = '203.0.113.1') =>
  fetch(authorizeUrl(world.url, { client_id: clientId, redirect_uri: redirectUri, ...pkce }), {
    redirect: 'manual',
    headers: { 'x-forwarded-for': ip },
  })

for (const database of databases) {
  test(`${database}: limits client registrations per address and day, with an IPv6 /64 as one address`, async (t) => {
    const world = await startBehindProxy(t, database)
    for (let count = 0; count < perAddressAndDay; count++)
      assert.equal((await register(world, {}, `2001:db8:1:2::${count + 1}`)).status, 201)
    const { status, error, retryAfter } = await register(world, {}, '2001:db8:1:2:ffff::1')
    assert.deepEqual([status, error], [429, 'slow_down'])
    assert.equal(retryAfter, 24 * 60 * 60)
    assert.equal((await register(world, {}, '2001:db8:1:3::1')).status, 201, 'another network')
    await world.clock.jump(23 * hour)
    assert.equal((await register(world, {}, '2001:db8:1:2::1')).status, 429)
    await world.clock.jump(hour + 1_000)
    assert.equal((await register(world, {}, '2001:db8:1:2::1')).status, 201)
  })

  test(`${database}: removes a registered client after an hour without a consent, and keeps one with a consent`, async (t) => {
    const world = await startBehindProxy(t, database)
    const ada = await world.newAccount()
    const [unused, used] = [await register(world), await register(world)]
    await consentInBrowser(authorizeUrl(world.url, { client_id: used.client_id, redirect_uri: redirectUri, ...pkce }), ada)
    await world.clock.jump(hour + 1_000)
    const isStored = ({ client_id: id }: Registered) => world.write(({ oidcRecords }) => oidcRecords.hold(clientModel, hashSecret(id)))
    assert.deepEqual([await isStored(unused), await isStored(used)], [false, true])
    assert.deepEqual([(await authorize(world, unused.client_id)).status, (await authorize(world, used.client_id)).status], [400, 303])
  })

  test(`${database}: removes the oldest unconsented client when there are too many`, async (t) => {
    const world = await startBehindProxy(t, database)
    const oldest = await register(world)
    await world.clock.advance(1_000)
    const expiresAt = world.clock.now() + hour
    await world.write(async ({ oidcRecords }) => {
      const empty = { sealed: 'x', grantId: undefined, uid: undefined, subject: undefined, clientId: undefined, expiresAt }
      for (let count = 0; count < 1_000; count++) await oidcRecords.put({ model: clientModel, idHash: `client-${count}`, ...empty })
    })
    await world.clock.advance(1_000)
    const newest = await register(world)
    assert.deepEqual([(await authorize(world, oldest.client_id)).status, (await authorize(world, newest.client_id)).status], [400, 303])
  })

  test(`${database}: registers a client without token_endpoint_auth_method, which authenticates with its secret by Basic`, async (t) => {
    const world = await startBehindProxy(t, database)
    const ada = await world.newAccount()
    const { status, client_id, client_secret = '', token_endpoint_auth_method } = await register(world, { client_name: 'An app' })
    assert.deepEqual([status, token_endpoint_auth_method], [201, 'client_secret_basic'])
    const end = await consentInBrowser(authorizeUrl(world.url, { client_id, redirect_uri: redirectUri }), ada)
    const post = (path: string, secret: string, form: Record<string, string>) =>
      fetch(`${world.url}/v1/authorization/oauth/${path}`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(`${client_id}:${secret}`).toString('base64')}` },
        body: new URLSearchParams(form),
      })
    const code = { grant_type: 'authorization_code', code: end.searchParams.get('code') ?? '', redirect_uri: redirectUri }
    assert.equal((await post('token', 'wrong', code)).status, 401)
    const reply = await post('token', client_secret, code)
    assert.equal(reply.status, 200)
    const { access_token: token } = (await reply.json()) as { access_token: string }
    assert.equal((await post('introspect', 'wrong', { token })).status, 401)
    assert.equal(((await (await post('introspect', client_secret, { token })).json()) as { active: boolean }).active, true)
    assert.equal((await world.client(token).listLeashes()).items.length, 1)
    const record = await world.write(({ oidcRecords }) => oidcRecords.find(clientModel, hashSecret(client_id), world.clock.now()))
    assert.doesNotMatch(world.running.deps.vault.open(record?.sealed ?? ''), new RegExp(client_secret), 'only a hash is stored')
  })

  test(`${database}: limits the login pages that an address opens per minute`, async (t) => {
    const world = await startBehindProxy(t, database)
    const { client_id: id } = await register(world)
    for (let count = 0; count < 60; count++) assert.equal((await authorize(world, id)).status, 303)
    assert.equal((await authorize(world, id)).status, 429)
    assert.equal((await authorize(world, id, '203.0.113.2')).status, 303)
    await world.clock.advance(60_001)
    assert.equal((await authorize(world, id)).status, 303)
  })
}

test('rejects client metadata that is too long, and fetches no address in it', async (t) => {
  const world = await startWorld(t)
  const uris = Array.from({ length: 10 }, (_, count) => `https://app.example/${count}/${'x'.repeat(900)}`)
  assert.equal((await register(world, { redirect_uris: uris })).error, 'invalid_client_metadata')
  const outside = await register(world, { sector_identifier_uri: 'https://192.0.2.1/sector.json' })
  assert.equal(outside.error, 'invalid_client_metadata')
  for (let count = 0; count < perAddressAndDay; count++) assert.equal((await register(world, { redirect_uris: [] })).status, 400)
  assert.equal((await register(world)).status, 201, 'a rejected registration does not count')
})
