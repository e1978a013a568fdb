import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorld, type World } from '#test/world/world.ts'

const app = 'https://app.example'

/** CORS preflight of a request with a token. */
const preflight = async (world: World, path: string, origin = app, method = 'PUT') => {
  const headers = { origin, 'access-control-request-method': method, 'access-control-request-headers': 'authorization,content-type' }
  const reply = await fetch(world.url + path, { method: 'OPTIONS', headers })
  await reply.body?.cancel()
  const allowed = (name: string) => reply.headers.get(`access-control-allow-${name}`)
  return { status: reply.status, origin: allowed('origin'), methods: allowed('methods'), headers: allowed('headers') }
}

const allowedOrigin = async (world: World, path: string, init: RequestInit = {}, origin = app) => {
  const reply = await fetch(world.url + path, { ...init, headers: { ...(init.headers as Record<string, string>), origin } })
  await reply.body?.cancel()
  return reply.headers.get('access-control-allow-origin')
}

const answered = [
  '/v1/account',
  '/v2/calls',
  '/v3/ai-flows',
  '/v1/authorization/oauth/token',
  '/v1/authorization/oauth/userinfo',
  '/v1/authorization/oauth/revoke',
  '/v1/authorization/oauth/jwks',
  '/.well-known/openid-configuration',
]

test('allows pages of any site to call the API with a token, including error replies', async (t) => {
  const world = await startWorld(t)
  const { token } = await world.newAccount()
  for (const path of answered) {
    const { status, origin, methods, headers } = await preflight(world, path)
    assert.deepEqual([status, origin], [204, '*'], path)
    assert.match(methods ?? '', /GET.*POST.*PUT.*DELETE/)
    assert.match(headers ?? '', /authorization.*content-type/)
  }
  const headers = { authorization: `Bearer ${token}` }
  const reply = await fetch(`${world.url}/v1/account`, { headers: { ...headers, origin: app } })
  assert.equal(reply.headers.get('access-control-allow-origin'), '*')
  assert.equal(reply.headers.get('access-control-allow-credentials'), null, 'no cookie of ours counts there')
  assert.match(reply.headers.get('access-control-expose-headers') ?? '', /www-authenticate.*retry-after/)
  assert.equal(await allowedOrigin(world, '/v1/account'), '*', 'a page has to see that its token is missing')
  assert.equal(await allowedOrigin(world, '/v1/nothing', { headers }), '*')
  assert.equal(await allowedOrigin(world, '/v2/timeline', { headers }), '*', 'events as they happen')
  const form = { method: 'POST', body: new URLSearchParams({ client_id: 'nobody' }) }
  for (const path of ['/v1/authorization/oauth/token', '/v1/authorization/oauth/revoke'])
    assert.equal(await allowedOrigin(world, path, form), '*', path)
  for (const path of ['/v1/authorization/oauth/jwks', '/.well-known/openid-configuration'])
    assert.equal(await allowedOrigin(world, path), '*', path)
})

test('blocks other sites from password, operator, carrier and login endpoints', async (t) => {
  const world = await startWorld(t)
  for (const path of ['/v1/authorization/token', '/v1/passwordreset', '/operator/v1/accounts', '/carrier/v1/messages', '/login/token']) {
    assert.equal((await preflight(world, path, app, 'POST')).origin, null, path)
    assert.equal(await allowedOrigin(world, path, { method: 'POST' }), null, path)
  }
})

test('allows only the configured origins', async (t) => {
  const some = await startWorld(t, { settings: { OFFHOOK_CORS: `https://other.example, ${app}` } })
  assert.equal((await preflight(some, '/v1/account')).origin, app)
  assert.equal((await preflight(some, '/v1/account', 'https://evil.example')).origin, null)
  assert.equal(await allowedOrigin(some, '/v1/authorization/oauth/jwks'), app)
  assert.equal(await allowedOrigin(some, '/v1/authorization/oauth/jwks', {}, 'https://evil.example'), null)
  const reply = await fetch(`${some.url}/v1/account`, { headers: { origin: 'https://evil.example' } })
  assert.equal(reply.headers.get('vary'), 'origin', 'caches must not mix them up')
  const off = await startWorld(t, { settings: { OFFHOOK_CORS: 'off' } })
  for (const path of answered) {
    assert.equal((await preflight(off, path)).origin, null, path)
    assert.equal(await allowedOrigin(off, path), null, path)
  }
})
