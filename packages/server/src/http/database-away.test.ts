import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations, type Operation } from '@offhook/contract'
import { startDatabaseProxy } from '#test/store/database-proxy.ts'
import { freshPostgres } from '#test/store/databases.ts'
import { startWorld } from '#test/world/world.ts'

/** Served by a library that is loaded with the first request. */
const ofProvider: readonly string[] = ['authorize', 'exchangeToken', 'getSigningKeys', 'getOpenidConfiguration']

test('answers 503 with Retry-After, never 500, while the database is unavailable', async (t) => {
  const proxy = await startDatabaseProxy(t, await freshPostgres())
  const world = await startWorld(t, { settings: { DATABASE_URL: proxy.url } })
  const { token } = await world.newAccount()
  const ask = async ({ method, path }: Pick<Operation, 'method' | 'path'>) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const body = method === 'GET' ? {} : { body: '{}' }
    const reply = await fetch(`${world.url}${path.replaceAll(/\{\w+\}/g, '1')}`, { method, headers, redirect: 'manual', ...body })
    await reply.arrayBuffer()
    return { status: reply.status, again: reply.headers.get('retry-after') }
  }
  const check = async (some: readonly Operation[]): Promise<number> => {
    const replies = await Promise.all(some.map(async (operation) => ({ id: operation.id, ...(await ask(operation)) })))
    for (const { id, status, again } of replies) {
      assert.notEqual(status, 500, id)
      if (status === 503) assert.equal(again, '5', id)
    }
    return replies.filter(({ status }) => status === 503).length
  }
  const all = Object.values<Operation>(operations)
  proxy.refuse()
  assert.ok((await check(all)) > 0.9 * all.length)
  proxy.heal()
  assert.equal((await ask({ method: 'GET', path: '/.well-known/openid-configuration' })).status, 200)
  proxy.refuse()
  await check(all.filter(({ id }) => ofProvider.includes(id)))
})
