import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issueToken } from '#core/account/identity/tokens/tokens.ts'
import { startWorld } from '#test/world/world.ts'
import { buildServer } from '../server.ts'
import { RateLimit } from './rate-limit.ts'

const openLimit = (perSecond: number) => {
  const time = { now: 1_000_000 }
  const limit = new RateLimit({ now: () => time.now, elapsed: () => time.now, after: () => () => {} }, perSecond)
  const take = (times: number) => {
    for (let count = 0; count < times; count++) limit.take('somebody')
  }
  return { time, take, limit }
}

test('allows a burst of ten seconds, then the rate per second', () => {
  const { time, take } = openLimit(5)
  take(50)
  assert.throws(() => take(1), { status: 429, retryAfter: 1 })
  time.now += 1_000
  take(5)
  assert.throws(() => take(1), { status: 429 })
})

test('locks out no client when the clock is set back', () => {
  const { time, take } = openLimit(5)
  take(10)
  time.now -= 3_600_000
  take(40)
  time.now += 1_000
  take(5)
})

test('keeps an exhausted key that continues to ask among many other keys', () => {
  const { take, limit } = openLimit(5)
  take(50)
  for (let other = 0; other < 120_000; other++) {
    limit.take(`other ${other}`)
    if (other % 1_000 === 0) assert.throws(() => take(1), { status: 429 })
  }
})

test('reports the requests left and the seconds until all are back', () => {
  const { time, take, limit } = openLimit(5)
  assert.equal(limit.policy, '"requests";q=50;w=10')
  take(1)
  assert.equal(limit.state('somebody'), '"requests";r=49;t=1')
  take(49)
  assert.equal(limit.state('somebody'), '"requests";r=0;t=10')
  time.now += 4_000
  take(1)
  assert.equal(limit.state('somebody'), '"requests";r=19;t=7')
})

test('sends the limits of the token and the account with every answer', async (t) => {
  const { running } = await startWorld(t)
  const app = buildServer(running.deps, { rateLimit: 2, trustProxy: false })
  t.after(() => app.close())
  const headersOf = async (url: string, token?: string) => {
    const { statusCode, headers } = await app.inject({ url, ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }) })
    return [statusCode, headers['ratelimit-policy'], headers['ratelimit']]
  }
  const token = await running.deps.store.write(async (tables) => {
    await tables.operators.insert({ id: 'o', email: 'o@example.com', name: 'O', passwordHash: 'x', createdAt: 1 })
    return issueToken(tables, running.deps.clock, { kind: 'operator', holder: { operatorId: 'o' }, subject: 'o', scopes: ['all'] })
  })
  const policy = '"requests";q=20;w=10'
  assert.deepEqual(await headersOf('/operator/v1/accounts', token), [200, policy, '"requests";r=19;t=1'])
  assert.deepEqual(await headersOf('/v1/users', token), [401, policy, '"requests";r=18;t=1'])
  assert.deepEqual(await headersOf('/v1/nothing'), [404, policy, '"requests";r=19;t=1'])
  assert.deepEqual(await headersOf('/v1/users'), [401, policy, '"requests";r=18;t=1'])
  for (let count = 0; count < 18; count++) await headersOf('/v1/users')
  assert.deepEqual(await headersOf('/v1/authorization/oauth/jwks'), [429, policy, '"requests";r=0;t=10'])
})
