import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { operations, type Operation } from '@offhook/contract'
import { startWorld, type World } from '#test/world/world.ts'

const json = 'application/json; charset=utf-8'

/** Sends raw bytes and returns the reply until the connection ends. */
const sendBytes = async (world: World, bytes: string): Promise<{ head: string; body: string }> => {
  const { hostname, port } = new URL(world.url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(bytes)
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
  return { head, body }
}

const codeOf = (body: string): string => (JSON.parse(body) as { code: string }).code

test('answers 405 with Allow to a wrong method and 404 to an unknown address', async (t) => {
  const world = await startWorld(t)
  const ask = async (method: string, path: string) => {
    const reply = await fetch(world.url + path, { method })
    return [reply.status, reply.headers.get('allow'), reply.headers.get('content-type'), await reply.text()]
  }
  const refused = JSON.stringify({
    name: 'METHOD_NOT_ALLOWED',
    message: 'This address does not support this method.',
    code: 'method_not_allowed',
  })
  assert.deepEqual(await ask('POST', '/v1/account'), [405, 'GET, HEAD, OPTIONS', json, refused])
  assert.deepEqual(await ask('PATCH', '/v1/devices/e0?x=1'), [405, 'DELETE, GET, HEAD, OPTIONS, PUT', json, refused])
  assert.deepEqual(await ask('GET', '/login/token'), [405, 'OPTIONS, POST', json, refused])
  assert.deepEqual(await ask('DELETE', '/.well-known/openid-configuration'), [405, 'GET, HEAD, OPTIONS', json, refused])
  assert.deepEqual(await ask('OPTIONS', '/v1/account'), [204, 'GET, HEAD, OPTIONS', null, ''])
  for (const [method, path] of [
    ['OPTIONS', '/v1/nothing'],
    ['POST', '/xwell-known/openid-configuration'],
    ['GET', '/v1/nothing/'],
    ['GET', '/v1/devices/e0//'],
  ] as const) {
    const [status, allow, type, body] = await ask(method, path)
    assert.deepEqual([status, allow, type, codeOf(String(body))], [404, null, json, 'route_not_found'], path)
  }
})

test('ignores a trailing slash for every operation and page', async (t) => {
  const world = await startWorld(t)
  const { token } = await world.newAccount()
  const ask = async (method: string, path: string): Promise<number> => {
    const reply = await fetch(world.url + path, { method, redirect: 'manual' })
    await reply.body?.cancel()
    return reply.status
  }
  for (const { method, path } of Object.values<Operation>(operations)) {
    const concrete = path.replaceAll(/\{\w+\}/g, 'x').replace(/\/$/, '')
    const without = await ask(method, concrete)
    assert.notEqual(without, 405)
    assert.equal(await ask(method, `${concrete}/`), without, `${method} ${concrete}`)
  }
  for (const page of ['/health', '/login/reset/x', '/.well-known/oauth-authorization-server', '/v1/authorization/oauth/jwks'])
    assert.equal(await ask('GET', `${page}/`), await ask('GET', page), page)
  const headers = { authorization: `Bearer ${token}` }
  const answers = ['/v1/restrictions?restriction=CAN_SEND_FAX', '/v1/restrictions/?restriction=CAN_SEND_FAX'].map(async (path) =>
    (await fetch(world.url + path, { headers })).text(),
  )
  const [plain, slashed] = await Promise.all(answers)
  assert.equal(slashed, plain)
  for (const index of ['/v1', '/v1/']) assert.equal(await ask('GET', index), 200)
  assert.deepEqual([await ask('GET', '/console/'), await ask('GET', '/docs'), await ask('GET', '/docs/')], [200, 303, 200])
})

test('answers HEAD like GET without the body', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const headers = { authorization: `Bearer ${ada.token}` }
  const [get, head] = await Promise.all(['GET', 'HEAD'].map((method) => fetch(`${world.url}/v1/account`, { method, headers })))
  assert.deepEqual([head?.status, head?.headers.get('content-length')], [200, get?.headers.get('content-length')])
  assert.equal(await head?.text(), '')
  assert.equal((await fetch(`${world.url}/v1/account`, { method: 'HEAD' })).status, 401)
})

test('uses the common error format for requests rejected before routing', async (t) => {
  const world = await startWorld(t)
  const misspelt = await fetch(`${world.url}/v1/users/%zz`)
  assert.deepEqual([misspelt.status, misspelt.headers.get('content-type'), codeOf(await misspelt.text())], [400, json, 'request_malformed'])
  const long = await fetch(`${world.url}/v1/users/${'a'.repeat(501)}`)
  assert.deepEqual([long.status, codeOf(await long.text())], [404, 'route_not_found'])

  const garbage = await sendBytes(world, 'FOO /v1/ HTTP/1.1\r\nhost: x\r\n\r\n')
  assert.match(garbage.head, /^HTTP\/1\.1 400 Bad Request\r\ncontent-type: application\/json; charset=utf-8/)
  assert.equal(codeOf(garbage.body), 'request_malformed')
  const swollen = await sendBytes(world, `GET /v1/ HTTP/1.1\r\nhost: x\r\nx-big: ${'a'.repeat(20_000)}\r\n\r\n`)
  assert.match(swollen.head, /^HTTP\/1\.1 431 /)
  assert.equal(codeOf(swollen.body), 'headers_too_large')
})

test('parses a body without a content type as JSON and rejects other types', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const logIn = (path: string, body: string, type?: string) =>
    // A Blob without a type sends no content type.
    fetch(world.url + path, { method: 'POST', body: new Blob([body]), ...(type !== undefined && { headers: { 'content-type': type } }) })
  const credentials = JSON.stringify({ username: ` ${ada.email.toUpperCase()} `, password: ada.password })
  assert.equal((await logIn('/v1/authorization/token', credentials)).status, 200)
  assert.equal((await logIn('/v1/authorization/token', credentials, 'application/json;charset=utf-8')).status, 200)
  assert.equal((await logIn('/v1/authorization/token', credentials, 'application/x-www-form-urlencoded')).status, 200, 'as curl sends it')
  const refused = await logIn('/v1/authorization/token', credentials, 'text/plain')
  assert.deepEqual([refused.status, codeOf(await refused.text())], [415, 'media_type_unsupported'])
  const form = await logIn('/login', JSON.stringify({ client_id: 'x', grant_type: 'password', username: {}, password: {} }))
  assert.deepEqual([form.status, ((await form.json()) as { error: string }).error], [415, 'invalid_request'])
})

test('parses the Authorization header per HTTP and ignores tokens elsewhere', async (t) => {
  const world = await startWorld(t)
  const { token } = await world.newAccount()
  const ask = async (authorization: string | undefined, query = '') => {
    const reply = await fetch(`${world.url}/v1/account${query}`, { headers: authorization === undefined ? {} : { authorization } })
    await reply.body?.cancel()
    return reply.status
  }
  for (const good of [`Bearer ${token}`, `bearer ${token}`, `BEARER    ${token}  `]) assert.equal(await ask(good), 200, good)
  for (const bad of [token, 'Bearer', 'Bearer ', `Token ${token}`, `Bearer ${token}x`, `Basic ${token}`, `Bearer ${token} ${token}`, ''])
    assert.equal(await ask(bad), 401, bad)
  assert.equal(await ask(undefined, `?access_token=${token}`), 401)
})

const statuses = async (times: number, ask: (turn: number) => Promise<Response>): Promise<number[]> => {
  const found = new Set<number>()
  for (let turn = 0; turn < times; turn++) {
    const reply = await ask(turn)
    await reply.body?.cancel()
    found.add(reply.status)
  }
  return [...found]
}

/** One request per second, so a burst of ten; the clock does not advance. */
const slowWorld = (t: TestContext, trust: 'on' | 'off') =>
  startWorld(t, { settings: { OFFHOOK_RATE_LIMIT: '1', OFFHOOK_TRUST_PROXY: trust } })

test("trusts X-Forwarded-For only behind a proxy, and only the proxy's own entry", async (t) => {
  const ask = (world: World, forwarded: string) =>
    fetch(`${world.url}/v1/translations/en_US`, { headers: { 'x-forwarded-for': forwarded } })
  const direct = await slowWorld(t, 'off')
  assert.deepEqual(await statuses(11, (turn) => ask(direct, `192.0.2.${turn}`)), [200, 429])
  const behindProxy = await slowWorld(t, 'on')
  assert.deepEqual(await statuses(11, (turn) => ask(behindProxy, `192.0.2.${turn}`)), [200])
  assert.deepEqual(await statuses(11, (turn) => ask(behindProxy, `198.51.100.${turn}, 203.0.113.1`)), [200, 429])
  assert.deepEqual(await statuses(11, (turn) => ask(behindProxy, `2001:db8::${turn}`)), [200, 429], 'one network')
})

test('rate-limits token guesses without affecting a valid token from the same address', async (t) => {
  const world = await slowWorld(t, 'off')
  const { api } = await world.newAccount()
  const guess = (turn: number) => fetch(`${world.url}/v1/account`, { headers: { authorization: `Bearer ${turn}` } })
  assert.deepEqual(await statuses(11, guess), [401, 429])
  assert.equal((await guess(12)).headers.get('retry-after'), '1')
  await api.getAccount()
  const page = await fetch(`${world.url}/login/reset/x`)
  assert.deepEqual([page.status, page.headers.get('retry-after')], [429, '1'], 'pages say it too')
})

test('rate-limits every page, including health checks and unknown paths; health checks are counted separately', async (t) => {
  const world = await startWorld(t, { settings: { OFFHOOK_RATE_LIMIT: '1', OFFHOOK_TRUST_PROXY: 'on', OFFHOOK_DEMO: 'on' } })
  const ask = (path: string, from: number, method = 'GET') =>
    fetch(`${world.url}${path}`, { method, headers: { 'x-forwarded-for': `192.0.2.${from}` } })
  const pages = ['/health', '/ready', '/carrier/v1/optin/x', '/docs/', '/console/', '/nothing/here']
  for (const [from, path] of pages.entries()) {
    const found = await statuses(11, () => ask(path, from))
    assert.deepEqual([found.length, found.at(-1)], [2, 429], path)
  }
  assert.deepEqual(await statuses(11, () => ask('/demo/assistant', 100, 'POST')), [204, 429])
  assert.equal((await ask('/health', 100)).status, 200)
})

test('limits an account over all its tokens', async (t) => {
  const world = await slowWorld(t, 'off')
  const { api } = await world.newAccount()
  const authorization: string[] = []
  for (let count = 0; count < 5; count++) {
    const { tokenId, token } = await api.createPersonalToken({}, { name: `number ${count}` })
    authorization.push(`Basic ${Buffer.from(`${tokenId}:${token}`).toString('base64')}`)
  }
  const ask = (turn: number) => fetch(`${world.url}/v1/account`, { headers: { authorization: authorization[turn % 5] ?? '' } })
  assert.deepEqual(await statuses(35, ask), [200], 'five of forty were spent making them')
  assert.deepEqual(await statuses(1, ask), [429])
  const other = await world.newAccount()
  await other.api.getAccount()
})
