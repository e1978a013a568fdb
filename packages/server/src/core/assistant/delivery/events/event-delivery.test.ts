import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventDelivery } from './event-delivery.ts'

const nobodyWaits = new Error('nobody waits')
const open = <T>(): PromiseWithResolvers<T> => Promise.withResolvers<T>()

test('the session gets the reply; what happens later changes nothing', async () => {
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

test('waiting ends when the event is sent and the signal aborted, in either order', async () => {
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

test('an event that fails before it is sent is reported as failed, even when its reply is not waited for', async () => {
  const delivery = new EventDelivery(AbortSignal.abort(nobodyWaits))
  await assert.rejects(delivery.until(Promise.reject(new Error('no connection'))), /no connection/)
  assert.equal(delivery.detached, false)
})

test('when an event is sent again, it is waited for until that attempt is sent, too', async () => {
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
