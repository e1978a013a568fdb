import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { text } from 'node:stream/consumers'
import { ApiError, createClient, type Client } from './index.ts'

interface Seen {
  line: string
  headers: IncomingMessage['headers']
  body: string
}

interface Answer {
  status: number
  body?: string
  headers?: Record<string, string>
}

/** A server that gives the same answer to every request and records the requests. */
const serve = async (t: TestContext, answer: Answer): Promise<{ baseUrl: string; seen: Seen[] }> => {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      seen.push({ line: `${request.method} ${request.url}`, headers: request.headers, body })
      response.writeHead(answer.status, answer.headers).end(answer.body)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

test('builds path and query from the parameters, repeats list parameters, omits undefined ones', async (t) => {
  const { baseUrl, seen } = await serve(t, { status: 200, body: '{"items":[]}' })
  const api = createClient({ baseUrl: `${baseUrl}/`, token: 'a.b.c' })
  await api.listRestrictions({ userId: 'w 0&x', restriction: ['CAN_SEND_FAX', 'CAN_GET_USERS'] })
  await api.listRestrictions()
  await api.getUser({ userId: '../w0?' })
  assert.deepEqual(
    seen.map(({ line }) => line),
    [
      'GET /v1/restrictions?userId=w+0%26x&restriction=CAN_SEND_FAX&restriction=CAN_GET_USERS',
      'GET /v1/restrictions',
      'GET /v1/users/..%2Fw0%3F',
    ],
  )
  assert.equal(seen[0]?.headers.authorization, 'Bearer a.b.c')
  assert.equal(seen[0]?.headers['content-type'], undefined, 'nothing is sent, so it has no type')
})

test('rejects a parameter that would change the address before sending the request', async (t) => {
  const { baseUrl, seen } = await serve(t, { status: 204 })
  const api = createClient({ baseUrl })
  for (const deviceId of ['', '.', '..', undefined as unknown as string])
    await assert.rejects(api.deleteDevice({ deviceId }), new TypeError('deviceId is required'))
  assert.deepEqual(seen, [])
})

test('sends JSON bodies, or forms for OAuth; returns undefined for an empty reply', async (t) => {
  const { baseUrl, seen } = await serve(t, { status: 204 })
  const api = createClient({ baseUrl })
  assert.equal(await api.setDefaultDevice({ userId: 'w0' }, { deviceId: 'e0' }), undefined)
  await api.logIn({}, { client_id: 'x', grant_type: 'password', username: 'a@b.example', password: 'p&=' })
  const [json, form] = seen
  assert.deepEqual([json?.line, json?.headers['content-type']], ['PUT /v1/users/w0/defaultdevice', 'application/json'])
  assert.deepEqual(JSON.parse(json?.body ?? ''), { deviceId: 'e0' })
  assert.equal(json?.headers.authorization, undefined)
  assert.equal(form?.headers['content-type'], 'application/x-www-form-urlencoded')
  assert.equal(new URLSearchParams(form?.body).get('password'), 'p&=')
})

test('sends the Idempotency-Key if given', async (t) => {
  const { baseUrl, seen } = await serve(t, { status: 204 })
  const api = createClient({ baseUrl })
  const message = { smsId: 's0', recipient: '+4915790000001', message: 'Hello' }
  await api.sendSms({}, message, { idempotencyKey: 'once-1' })
  await api.sendSms({}, message)
  assert.deepEqual(
    seen.map(({ headers }) => headers['idempotency-key']),
    ['once-1', undefined],
  )
})

const failure = async (t: TestContext, answer: Answer, call: (api: Client) => Promise<unknown> = (api) => api.getAccount()) => {
  const { baseUrl } = await serve(t, answer)
  const error = await call(createClient({ baseUrl })).catch((thrown: unknown) => thrown)
  assert.ok(error instanceof ApiError)
  const { status, name, message, retryAfter, body } = error
  return { status, name, message, retryAfter, body }
}

test("throws an ApiError with the service's message on an error reply", async (t) => {
  const body = { name: 'RATE_LIMIT_EXCEEDED', message: 'Too many requests.', code: 'rate_limited' }
  const notified = await failure(t, { status: 429, body: JSON.stringify(body), headers: { 'retry-after': '7' } })
  assert.deepEqual(notified, { status: 429, name: 'RATE_LIMIT_EXCEEDED', message: 'Too many requests.', retryAfter: 7, body })

  const oauth = { error: 'invalid_grant', error_description: 'The credentials are not valid.' }
  const refused = await failure(t, { status: 400, body: JSON.stringify(oauth) })
  assert.deepEqual(refused, { status: 400, name: 'ApiError', message: oauth.error_description, retryAfter: undefined, body: oauth })
})

test('throws an ApiError on a reply in another format, does not follow redirects', async (t) => {
  const unknown = { name: 'ApiError', retryAfter: undefined, body: {} }
  const html = await failure(t, { status: 502, body: '<h1>Bad Gateway</h1>' })
  assert.deepEqual(html, { ...unknown, status: 502, message: 'the service answered 502' })
  const nothing = await failure(t, { status: 500, body: 'null' })
  assert.deepEqual(nothing, { ...unknown, status: 500, message: 'the service answered 500' })
  const redirect = await failure(t, { status: 303, headers: { location: 'http://127.0.0.1:1/' } })
  assert.deepEqual(redirect, { ...unknown, status: 303, message: 'the service answered 303' })
})

test('rejects a body passed in place of the parameters before sending the request', async (t) => {
  const { baseUrl, seen } = await serve(t, { status: 200, body: '{}' })
  const untyped = createClient({ baseUrl }) as unknown as Record<string, (...input: unknown[]) => Promise<unknown>>
  await assert.rejects(untyped['createFlow']?.({ name: 'mine' }) ?? Promise.resolve(), {
    name: 'TypeError',
    message: 'createFlow: name is not part of /v3/ai-flows. The body is the second argument: createFlow({}, { name, … })',
  })
  await assert.rejects(
    untyped['changeFlow']?.({ aiFlowId: '1', name: 'mine' }) ?? Promise.resolve(),
    /changeFlow\(\{ aiFlowId \}, \{ name, … \}\)$/,
  )
  assert.deepEqual(seen, [])
})
