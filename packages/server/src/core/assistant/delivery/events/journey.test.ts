import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Journey } from './journey.ts'

const nobodyWaits = new Error('nobody waits')
const open = <T>(): PromiseWithResolvers<T> => Promise.withResolvers<T>()

test('whoever waits gets the answer; what happens later changes nothing', async () => {
  const fence = new AbortController()
  const journey = new Journey(fence.signal)
  const answer = open<string>()
  const waited = journey.until(answer.promise)
  journey.wired()
  answer.resolve('hello')
  assert.equal(await waited, 'hello')
  fence.abort(nobodyWaits)
  assert.equal(journey.detached, false)
})

test('leaving takes effect when the event is on the wire, in whichever order the two come', async () => {
  for (const order of ['leave', 'wire']) {
    const fence = new AbortController()
    const journey = new Journey(fence.signal)
    const answer = open<string>()
    const waited = assert.rejects(journey.until(answer.promise), nobodyWaits)
    const steps = [() => fence.abort(nobodyWaits), journey.wired]
    for (const step of order === 'leave' ? steps : steps.toReversed()) {
      assert.equal(journey.detached, false)
      step()
    }
    assert.equal(journey.detached, true)
    await waited
    answer.resolve('late')
  }
})

test('an event that fails before it is on the wire is told as failed even when nobody waits', async () => {
  const journey = new Journey(AbortSignal.abort(nobodyWaits))
  await assert.rejects(journey.until(Promise.reject(new Error('no connection'))), /no connection/)
  assert.equal(journey.detached, false)
})

test('when it is tried again, whoever leaves waits until that attempt is on the wire too', async () => {
  const fence = new AbortController()
  const journey = new Journey(fence.signal)
  const waited = assert.rejects(journey.until(open<string>().promise), nobodyWaits)
  journey.wired()
  journey.tryAgain()
  fence.abort(nobodyWaits)
  assert.equal(journey.detached, false)
  journey.wired()
  assert.equal(journey.detached, true)
  await waited
})
