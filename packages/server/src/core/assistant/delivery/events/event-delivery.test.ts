import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventDelivery } from './event-delivery.ts'

const nobodyWaits = new Error('nobody waits')
const open = <T>(): PromiseWithResolvers<T> => Promise.withResolvers<T>()

test('whoever waits gets the answer; what happens later changes nothing', async () => {
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

test('leaving takes effect when the event is on the wire, in whichever order the two come', async () => {
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

test('an event that fails before it is on the wire is told as failed even when nobody waits', async () => {
  const delivery = new EventDelivery(AbortSignal.abort(nobodyWaits))
  await assert.rejects(delivery.until(Promise.reject(new Error('no connection'))), /no connection/)
  assert.equal(delivery.detached, false)
})

test('when it is tried again, whoever leaves waits until that attempt is on the wire too', async () => {
  const fence = new AbortController()
  const delivery = new EventDelivery(fence.signal)
  const waited = assert.rejects(delivery.until(open<string>().promise), nobodyWaits)
  delivery.wired()
  delivery.tryAgain()
  fence.abort(nobodyWaits)
  assert.equal(delivery.detached, false)
  delivery.wired()
  assert.equal(delivery.detached, true)
  await waited
})
