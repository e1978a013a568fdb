import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import Fastify from 'fastify'
import { startWorld } from '#test/world/world.ts'
import { sqliteStore } from '#adapters/store/sqlite-store.ts'
import { installErrors } from '../reply/errors.ts'
import { mountPages } from '../server.ts'

test('serves the checked-in API description', async (t) => {
  const { url } = await startWorld(t)
  const reply = await fetch(`${url}/docs/openapi.json`)
  const described = (await reply.json()) as { openapi: string; paths: object }
  assert.match(described.openapi, /^3\.1/)
  assert.ok('/v1/account' in described.paths)
})

test('is alive but not ready without its database', async (t) => {
  const world = await startWorld(t)
  const healthy = await fetch(`${world.url}/health`)
  assert.deepEqual([healthy.status, await healthy.json()], [200, { status: 'ok', instance: world.running.deps.presence.id }])

  const store = await sqliteStore(join(world.data, 'other.db'))
  await store.close()
  const app = Fastify()
  t.after(() => app.close())
  installErrors(app, () => {})
  mountPages(app, { store, storage: { full: false }, presence: world.running.deps.presence })
  assert.equal((await app.inject('/health')).statusCode, 200)
  const notReady = await app.inject('/ready')
  assert.deepEqual([notReady.statusCode, notReady.json<{ name: string }>().name], [503, 'UNAVAILABLE'])
})

test('is not ready but alive while drained', async (t) => {
  const world = await startWorld(t)
  const statuses = async () => Promise.all(['/ready', '/health'].map(async (page) => (await fetch(`${world.url}${page}`)).status))
  assert.deepEqual(await statuses(), [200, 200])
  const operator = await world.operator()
  const nodeId = world.running.deps.presence.id
  await operator.drainNode({ nodeId }, { value: true })
  assert.deepEqual(await statuses(), [503, 200])
  await operator.drainNode({ nodeId }, { value: false })
  assert.deepEqual(await statuses(), [200, 200])
  await world.running.drain(0)
  assert.deepEqual(await statuses(), [503, 200])
})

test('sends HSTS where the public address is https, also from the identity provider', async (t) => {
  const notifications = async (publicUrl: string) => {
    const world = await startWorld(t, { settings: { OFFHOOK_PUBLIC_URL: publicUrl } })
    const pages = ['/health', '/console/', '/v1/account', '/nothing', '/.well-known/openid-configuration']
    return Promise.all(pages.map(async (page) => (await fetch(`${world.url}${page}`)).headers.get('strict-transport-security')))
  }
  assert.deepEqual(new Set(await notifications('https://phone.example')), new Set(['max-age=31536000']))
  assert.deepEqual(new Set(await notifications('')), new Set([null]))
})
