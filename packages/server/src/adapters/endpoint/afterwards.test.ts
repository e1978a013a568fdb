import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { WebSocket } from 'ws'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { eventMaker, openTestEndpoints, startCustomer, testSession, until, waiting, watcher } from '#test/http/customer-endpoint.ts'

const minute = 60_000

/** An ended session whose endpoint has received session_end. `said`: its messages in the session. */
const afterSession = async (t: TestContext, said: object = { type: 'note', name: 'model' }) => {
  const frames: string[] = []
  const customer = await startCustomer(
    t,
    (_, response) => response.end(),
    (socket) => {
      socket.on('ping', (data) => socket.pong(data))
      socket.on('message', (data) => frames.push((JSON.parse((data as Buffer).toString()) as { type: string }).type))
    },
  )
  const clock = new VirtualClock()
  const world = await openTestEndpoints(t, { clock })
  const flow = await world.newFlow({ websocketUrl: `ws://${customer.address}/ws` })
  const next = eventMaker(world.accountId)
  const seen = watcher()
  const channel = world.endpoints.open(flow, { id: testSession.id, accountId: world.accountId }, seen)
  await channel.send(next('session_start'), waiting)
  await until(() => frames.length === 1)
  customer.sockets[0]?.send(JSON.stringify(said))
  await until(() => seen.acted.length === 1)
  await channel.close()
  await world.endpoints.deliver(flow, next('session_end'), { attempt: 1, last: false })
  const says = (...actions: object[]): void => customer.sockets.at(-1)?.send(JSON.stringify(actions))
  const isClosed = (): boolean => customer.sockets.every(({ readyState }) => readyState === WebSocket.CLOSED)
  const finish = async () => {
    await world.close()
    assert.equal(clock.pending(), 0, 'a timer was left')
  }
  return { ...world, customer, clock, flow, frames, seen, says, isClosed, finish }
}

test('closes the connection of an endpoint without notes immediately', async (t) => {
  const { isClosed, finish } = await afterSession(t, { type: 'speak', text: 'Hello' })
  await until(isClosed)
  await finish()
})

test('keeps notes and the result after the session, and rejects other actions', async (t) => {
  for (const said of [{ type: 'note', name: 'model' }, { type: 'done' }, { type: 'result', outcome: 'early' }]) {
    const { says, isClosed, afterwards, seen, deliveries, flow, finish } = await afterSession(t, said)
    says({ type: 'note', name: 'model', data: 1 }, { type: 'speak', text: 'Are you still there?' }, { type: 'done' })
    says({ type: 'result', outcome: 'booked' })
    await until(isClosed)
    assert.deepEqual(
      afterwards.map((action) => [action.type, action.type === 'result' ? action.outcome : undefined]),
      [
        ['note', undefined],
        ['result', 'booked'],
      ],
    )
    assert.equal(seen.acted.length, 1, 'the session is not told')
    const end = (await deliveries(flow)).find(({ eventType }) => eventType === 'session_end')
    assert.equal(end?.state, 'delivered')
    assert.deepEqual(
      end?.problems.map(({ type, message }) => [type, message]),
      [['speak', 'the session is over: only notes and results are kept']],
    )
    await finish()
  }
})

test('closes a silent connection after a minute, when the endpoint leaves, or when the service stops', async (t) => {
  const silent = await afterSession(t)
  await silent.clock.advance(minute - 1)
  assert.equal(silent.isClosed(), false)
  await silent.clock.advance(1)
  await until(silent.isClosed)
  await silent.finish()

  const leaves = await afterSession(t)
  leaves.customer.sockets[0]?.close(1000)
  await until(leaves.isClosed)
  await new Promise((resolve) => setImmediate(resolve))
  await leaves.clock.advance(minute)
  assert.equal(leaves.customer.upgrades, 1, 'nobody calls it again')
  await leaves.finish()

  const stopped = await afterSession(t)
  await stopped.finish()
})

test('resumes a connection that breaks before the result, and keeps the result', async (t) => {
  const { customer, clock, says, isClosed, afterwards, frames, finish } = await afterSession(t)
  customer.hangUp()
  for (let ms = 0; customer.sockets.length < 2; ms += 50) {
    assert.ok(ms < 10_000, 'it was not resumed')
    await clock.advance(50)
  }
  await until(() => frames.at(-1) === 'session_resume')
  says({ type: 'result', outcome: 'booked' })
  await until(isClosed)
  assert.deepEqual(
    afterwards.map(({ type }) => type),
    ['result'],
  )
  await finish()
})

test("accepts the result in a webhook's answer to session_end", async (t) => {
  const result = { type: 'result', session_id: testSession.id, summary: 'All said.' }
  const customer = await startCustomer(t, (_, response) => response.end(JSON.stringify(result)))
  const { endpoints, newFlow, accountId, afterwards } = await openTestEndpoints(t)
  const flow = await newFlow({ webhookUrl: `http://${customer.address}/` })
  await endpoints.deliver(flow, eventMaker(accountId)('session_end'), { attempt: 1, last: false })
  assert.deepEqual(afterwards, [result])
})
