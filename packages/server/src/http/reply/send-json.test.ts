import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { sendJson } from './send-json.ts'

const answer = { words: 'hello '.repeat(1_000) }
const long = JSON.stringify(answer)
const breathe = (): Promise<void> => Promise.resolve()

test('compresses large replies if the client accepts it', async (t) => {
  const app = Fastify()
  t.after(() => app.close())
  app.route({ method: ['GET', 'HEAD'], url: '/long', handler: (request, reply) => sendJson(request, reply, answer, breathe) })
  app.get('/short', (request, reply) => sendJson(request, reply, {}, breathe))
  const ask = (accepted: string, url = '/long', method: 'GET' | 'HEAD' = 'GET') =>
    app.inject({ method, url, headers: { 'accept-encoding': accepted } })

  for (const accepted of ['gzip', 'br, GZIP;q=0.5', 'gzip, deflate']) {
    const { headers, rawPayload } = await ask(accepted)
    assert.equal(headers['content-encoding'], 'gzip', accepted)
    assert.equal(headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(Number(headers['content-length']), rawPayload.length)
    assert.ok(rawPayload.length < long.length / 10)
    assert.equal(gunzipSync(rawPayload).toString(), long)
  }
  for (const accepted of ['', 'br', 'gzip;q=0', 'gzip; q=0.0, br', 'deflate, gzip;q=0']) {
    const { headers, body } = await ask(accepted)
    assert.equal(headers['content-encoding'], undefined, accepted)
    assert.equal(body, long)
  }
  assert.equal((await ask('gzip', '/short')).body, '{}')
  assert.equal((await ask('gzip', '/long', 'HEAD')).headers['content-encoding'], undefined)
})
