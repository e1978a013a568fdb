import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openapi } from '@offhook/contract/openapi/openapi.ts'
import { startWorld } from '#test/world/world.ts'

interface Described {
  paths: Record<string, Record<string, { responses: Record<string, { content?: object }> }>>
}

test('declares the content types that the identity provider and the history answer', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const { paths } = openapi() as unknown as Described
  const answered: Record<string, unknown> = {}
  for (const path of ['/v1/authorization/oauth/jwks', '/v1/authorization/oauth/authorize', '/v2/history', '/v2/history/csv']) {
    const headers = { authorization: `Bearer ${ada.token}`, ...(path.endsWith('authorize') && { accept: 'text/html' }) }
    const reply = await fetch(world.url + path, { headers, redirect: 'manual' })
    const type = reply.headers.get('content-type')?.split(';', 1)[0] ?? ''
    answered[path] = [reply.status, type]
    const declared = Object.keys(paths[path]?.['get']?.responses[reply.status]?.content ?? {})
    assert.deepEqual(declared, path.endsWith('authorize') ? ['application/json', type] : [type], path)
  }
  assert.deepEqual(answered, {
    '/v1/authorization/oauth/jwks': [200, 'application/jwk-set+json'],
    '/v1/authorization/oauth/authorize': [400, 'text/html'],
    '/v2/history': [200, 'application/json'],
    '/v2/history/csv': [200, 'text/csv'],
  })
})
