import assert from 'node:assert/strict'
import { test } from 'node:test'
import { replyAhead } from './replies-ahead.ts'

test('hands over a prefetched reply once, to the same person, if it arrived', async (t) => {
  t.after(() => (globalThis.offhookAhead = undefined))
  assert.equal(await replyAhead('/v1/restrictions', 'GET', 'mine'), undefined)
  const reply = new Response('{}')
  const replies = new Map<string, Promise<Response | undefined>>([
    ['/v1/restrictions', Promise.resolve(reply)],
    ['/v1/users/w0', Promise.resolve(undefined)],
  ])
  globalThis.offhookAhead = { token: 'mine', replies }
  assert.equal(await replyAhead('/v1/restrictions', 'GET', 'of another'), undefined)
  assert.equal(await replyAhead('/v1/restrictions', 'PUT', 'mine'), undefined)
  assert.equal(await replyAhead('/v1/restrictions', undefined, 'mine'), reply)
  assert.equal(await replyAhead('/v1/restrictions', 'GET', 'mine'), undefined)
  assert.equal(await replyAhead('/v1/users/w0', 'GET', 'mine'), undefined)
})
