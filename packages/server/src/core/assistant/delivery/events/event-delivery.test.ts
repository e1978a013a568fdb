import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventDelivery } from './deliver-live.ts'

const nobodyWaits = new Error('nobody waits')
const open = <T>(): PromiseWithResolvers<T> => Promise.withResolvers<T>()

test('returns the reply and ignores a later abort', async () => {
  const fence = new AbortController()
  const delivery = new EventDelivery(fence.signal)
  const reply = open<string>()
  const waited = delivery.until(reply.promise)
  delivery.wired()
  reply.resolve('hello')
  assert.equal(await waited, 'hello')
  fence.abort(nobodyWaits)
  assert.equal(delivery.detached, false)
})

test('stops waiting once the event is sent and the signal aborted, in either order', async () => {
  for (const order of ['leave', 'wire']) {
    const fence = new AbortController()
    const delivery = new EventDelivery(fence.signal)
    const reply = open<string>()
    const waited = assert.rejects(delivery.until(reply.promise), nobodyWaits)
    const steps = [() => fence.abort(nobodyWaits), delivery.wired]
    for (const step of order === 'leave' ? steps : steps.toReversed()) {
      assert.equal(delivery.detached, false)
      step()
    }
    assert.equal(delivery.detached, true)
    await waited
    reply.resolve('late')
  }
})

test('reports an event that fails before it is sent, even if its reply is not awaited', async () => {
  const delivery = new EventDelivery(AbortSignal.abort(nobodyWaits))
  await assert.rejects(delivery.until(Promise.reject(new Error('no connection'))), /no connection/)
  assert.equal(delivery.detached, false)
})

test('waits until a retry is sent, too', async () => {
  const fence = new AbortController()
  const delivery = new EventDelivery(fence.signal)
  const waited = assert.rejects(delivery.until(open<string>().promise), nobodyWaits)
  delivery.wired()
  delivery.retry()
  fence.abort(nobodyWaits)
  assert.equal(delivery.detached, false)
  delivery.wired()
  assert.equal(delivery.detached, true)
  await waited
})
