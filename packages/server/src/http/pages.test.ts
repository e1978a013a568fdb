import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import Fastify from 'fastify'
import { startWorld } from '../../../../test/support/world.ts'
import { sqliteStore } from '../adapters/store/sqlite-store.ts'
import { installErrors } from './errors.ts'
import { mountPages } from './pages.ts'

test('the start page says where things are, without script, and every link on it leads somewhere', async (t) => {
  const { url } = await startWorld(t)
  const reply = await fetch(`${url}/console/`)
  assert.equal(reply.status, 200)
  assert.equal(reply.headers.get('content-type'), 'text/html; charset=utf-8')
  assert.match(reply.headers.get('content-security-policy') ?? '', /default-src 'none'/)
  const page = await reply.text()
  assert.ok(page.includes(`${url}/v1/`))
  assert.doesNotMatch(page, /<script|\{\{/)
  const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, href]) => href ?? '')
  assert.ok(links.length >= 3)
  for (const href of links) assert.equal((await fetch(new URL(href, url))).status, 200, href)

  for (const path of ['/', '/console']) {
    const redirected = await fetch(url + path, { redirect: 'manual' })
    assert.deepEqual([redirected.status, redirected.headers.get('location')], [303, '/console/'])
  }
})

test('the public address is shown as it was set, never as markup', async (t) => {
  const { url } = await startWorld(t, { settings: { OFFHOOK_PUBLIC_URL: 'https://phone.example/"><b>' } })
  const page = await (await fetch(`${url}/console/`)).text()
  assert.ok(page.includes('https://phone.example/&quot;&gt;&lt;b&gt;/v1/'))
})

test('the description of the interface is served as it is checked in', async (t) => {
  const { url } = await startWorld(t)
  const reply = await fetch(`${url}/docs/openapi.json`)
  const described = (await reply.json()) as { openapi: string; paths: object }
  assert.match(described.openapi, /^3\.1/)
  assert.ok('/v1/account' in described.paths)
})

test('health asks the database', async (t) => {
  const world = await startWorld(t)
  const healthy = await fetch(`${world.url}/health`)
  assert.deepEqual([healthy.status, await healthy.json()], [200, { status: 'ok' }])

  const store = await sqliteStore(join(world.data, 'other.db'))
  await store.close()
  const app = Fastify()
  t.after(() => app.close())
  installErrors(app)
  mountPages(app, { store, installation: world.running.parts.installation })
  const sick = await app.inject('/health')
  assert.deepEqual([sick.statusCode, sick.json<{ name: string }>().name], [503, 'UNAVAILABLE'])
})
