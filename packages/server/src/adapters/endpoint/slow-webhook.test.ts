import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { eventMaker, openTestEndpoints, startCustomer, testSession, until, waiting, watcher } from '#test/http/customer-endpoint.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import { outboundHttp } from '../outbound-http.ts'

const hello = [{ type: 'speak', session_id: testSession.id, text: 'Hi' }]

/** A customer in virtual time that answers each request after so many milliseconds. */
const slowCustomer = async (t: TestContext, ms: number) => {
  const clock = new VirtualClock()
  const customer = await startCustomer(t, (_, response) => void clock.after(ms, () => response.end(JSON.stringify(hello))))
  const outbound = outboundHttp({ allow: ['127.0.0.1'], clock })
  const { endpoints, newFlow, accountId } = await openTestEndpoints(t, { clock, outbound })
  const send = async (settings: FlowSettings, type: 'session_start' | 'user_speak' = 'user_speak') => {
    const flow = await newFlow({ webhookUrl: `http://${customer.address}/`, ...settings })
    const sent = endpoints.open(flow, { id: testSession.id, accountId }, watcher()).send(eventMaker(accountId)(type), waiting)
    const answer = sent.then(
      ({ actions }) => actions.length,
      (error: Error) => error.message,
    )
    await until(() => customer.received.length > 0)
    return answer
  }
  return { clock, customer, send, paths: () => customer.received.map(({ path }) => path) }
}

test('waits for a slow answer up to the limit of the flow, and posts the event once', async (t) => {
  const cases: [number, NonNullable<FlowSettings['timeouts']>, number | RegExp][] = [
    [7_000, {}, 1],
    [14_900, {}, 1],
    [15_100, {}, /15000 ms/],
    [59_900, { totalMs: 60_000 }, 1],
    [3_000, { totalMs: 2_000 }, /2000 ms/],
    [3_000, { attemptMs: 1_000, totalMs: 9_000 }, /1000 ms/],
    [19_000, { attemptMs: 20_000 }, 1],
  ]
  for (const [ms, timeouts, expected] of cases) {
    const { clock, send, paths } = await slowCustomer(t, ms)
    const answer = send({ timeouts })
    await until(() => paths().length === 1)
    await clock.advance(ms)
    const got = await answer
    if (typeof expected === 'number') assert.equal(got, expected, `${ms} ms`)
    else assert.match(String(got), expected)
    assert.deepEqual(paths(), ['/'], `${ms} ms`)
  }
})

test('asks the fallback address when session_start has no answer after 5 s', async (t) => {
  const { clock, customer, send, paths } = await slowCustomer(t, 8_000)
  const answer = send({ fallbackUrl: `http://${customer.address}/fallback` }, 'session_start')
  await until(() => paths().length === 1)
  await clock.advance(5_000)
  await until(() => paths().length === 2)
  await clock.advance(8_000)
  assert.equal(await answer, 1)
  assert.deepEqual(paths(), ['/', '/fallback'])
})
