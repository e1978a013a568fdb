import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { IncomingHttpHeaders } from 'node:http'
import { eventMaker, openTestEndpoints, startCustomer, testSession, until, waiting, watcher } from '#test/http/customer-endpoint.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { EndpointUnavailable } from '#core/kernel/ports/assistant.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'

const speak = { type: 'speak', session_id: testSession.id, text: 'Hi' }

interface Frame {
  /** 1 for the first. */
  connection: number
  value: Record<string, unknown>
}

/** A customer whose server accepts WebSockets, and a conversation with it. */
const converse = async (t: TestContext, settingsFor: (address: string) => FlowSettings = () => ({})) => {
  const frames: Frame[] = []
  const upgrades: IncomingHttpHeaders[] = []
  const behaviour = { confirms: true }
  const customer = await startCustomer(
    t,
    (_, response) => response.end(JSON.stringify(speak)),
    (socket, { headers }) => {
      const connection = customer.sockets.length
      upgrades.push(headers)
      socket.on('ping', (data) => behaviour.confirms && socket.pong(data))
      socket.on('message', (data) => {
        frames.push({ connection, value: JSON.parse((data as Buffer).toString()) as Record<string, unknown> })
      })
    },
  )
  const clock = new VirtualClock()
  const world = await openTestEndpoints(t, { clock })
  const flow = await world.newFlow({ websocketUrl: `ws://${customer.address}/ws`, ...settingsFor(customer.address) })
  const seen = watcher()
  const channel = world.endpoints.open(flow, { id: testSession.id, accountId: world.accountId }, seen)
  const rows = async () =>
    (await world.deliveries(flow)).map(({ channel, sequence, attempt, state }) => [channel, sequence, attempt, state])
  const finish = async () => {
    await world.close()
    assert.equal(clock.pending(), 0, 'a timer was left')
  }
  return {
    ...world,
    customer,
    frames,
    upgrades,
    behaviour,
    clock,
    flow,
    seen,
    channel,
    next: eventMaker(world.accountId),
    rows,
    finish,
  }
}

/** Advances time until the condition holds. */
const advanceUntil = async (clock: VirtualClock, isSo: () => boolean): Promise<void> => {
  for (let ms = 0; !isSo(); ms += 50) {
    assert.ok(ms < 60_000, 'it never was so')
    await clock.advance(50)
  }
}

/** Type and number of the frames of one connection. */
const summary = (frames: Frame[], connection: number) =>
  frames.filter((frame) => frame.connection === connection).map(({ value }) => [value['type'], value['sequence'] ?? value['last_sequence']])

test('events over a WebSocket: the key on the upgrade, id and sequence in the frame, actions at any time', async (t) => {
  const { vault } = await openTestEndpoints(t)
  const key = vault.seal('the key')
  const { customer, upgrades, frames, channel, next, seen, flow, deliveries, finish } = await converse(t, () => ({ apiKey: key }))
  const start = next('session_start')
  assert.equal(channel.duplex, true)
  assert.deepEqual(await channel.send(start, waiting), { actions: [], problems: [] })
  await until(() => frames.length === 1)
  assert.deepEqual([upgrades[0]?.['x-api-key'], upgrades[0]?.['x-api-token']], ['the key', 'the key'])
  assert.equal(upgrades[0]?.['sec-websocket-extensions'], undefined)
  assert.deepEqual(frames[0]?.value, { ...start.body, event_id: start.id, sequence: 1, turn: 0 })
  const [socket] = customer.sockets
  socket?.send(JSON.stringify({ ...speak, turn: 0 }))
  socket?.send(JSON.stringify([{ type: 'barge_in' }, speak]))
  socket?.send(JSON.stringify({ type: 'connected' }))
  socket?.send(Buffer.from([1, 2, 3]))
  socket?.send(JSON.stringify({ type: 'hangup', session_id: 'another' }))
  socket?.send(JSON.stringify({ type: 'hangup' }))
  await until(() => seen.acted.length === 3)
  assert.deepEqual(
    seen.acted.map(({ actions }) => actions.map(({ type, turn }) => [type, turn])),
    [
      [['speak', 0]],
      [
        ['barge_in', undefined],
        ['speak', undefined],
      ],
      [['hangup', undefined]],
    ],
  )
  channel.note(start.id, [{ index: 0, message: 'noted' }])
  const [row] = await deliveries(flow)
  assert.deepEqual([row?.channel, row?.state, row?.status, row?.attempt], ['websocket', 'delivered', undefined, 1])
  assert.deepEqual(row?.actions, ['speak', 'barge_in', 'speak', 'hangup'])
  assert.deepEqual(
    row?.problems.map(({ message }) => message),
    ['type is no known action', 'a message must be text, unless the flow has media', 'session_id is that of another session', 'noted'],
  )
  await finish()
})

test("shows the endpoint's messages unchanged, even unreadable ones, up to a limit", async (t) => {
  const { customer, frames, channel, next, seen, messages, finish } = await converse(t)
  const start = next('session_start')
  await channel.send(start, waiting)
  await until(() => frames.length === 1)
  const odd = ['{"type" : "barge_in"}', 'no JSON ü']
  for (const text of odd) customer.sockets[0]?.send(text)
  for (let count = 0; count < 100; count++) customer.sockets[0]?.send('{"type":"barge_in"}')
  await until(() => seen.acted.length === 101)
  assert.deepEqual(
    messages.slice(0, 2),
    odd.map((text) => ({ eventId: start.id, text })),
  )
  assert.equal(messages.length, 64)

  await channel.send(next('user_speak'), waiting)
  await until(() => frames.length === 2)
  for (let count = 0; count < 10; count++) customer.sockets[0]?.send(`{"type":"barge_in","reason":"${'x'.repeat(50_000)}"}`)
  await until(() => seen.acted.length === 111)
  assert.equal(messages.length, 64 + 3, 'long ones fill the room sooner')
  await finish()
})

test('resumes a broken connection and resends unconfirmed events in order', async (t) => {
  const { customer, frames, behaviour, channel, next, clock, seen, rows, finish } = await converse(t)
  await channel.send(next('session_start'), waiting)
  await until(() => frames.length === 1)
  await clock.advance(0)
  behaviour.confirms = false
  await channel.send(next('user_speak', 1), waiting)
  await until(() => frames.length === 2)
  customer.hangUp()
  behaviour.confirms = true
  while ((await rows()).length < 2) await new Promise((resolve) => setImmediate(resolve))
  await channel.send(next('user_speak', 2), waiting)
  await clock.advance(250)
  await until(() => frames.length === 5)
  assert.deepEqual(summary(frames, 1), [
    ['session_start', 1],
    ['user_speak', 2],
  ])
  assert.deepEqual(summary(frames, 2), [
    ['session_resume', 1],
    ['user_speak', 2],
    ['user_speak', 3],
  ])
  assert.equal((frames[2]?.value['session'] as { id?: string } | undefined)?.id, testSession.id)
  assert.equal(frames[1]?.value['event_id'], frames[3]?.value['event_id'])
  customer.sockets[1]?.send(JSON.stringify(speak))
  await until(() => seen.acted.length === 1)
  assert.deepEqual(await rows(), [
    ['websocket', 1, 1, 'delivered'],
    ['websocket', 2, 1, 'failed'],
    ['websocket', 2, 2, 'delivered'],
    ['websocket', 3, 1, 'delivered'],
  ])
  assert.equal(seen.lostTimes, 0)
  await finish()
})

test('falls back to the webhook in order when the connection does not come back in time', async (t) => {
  const { customer, behaviour, frames, channel, next, clock, seen, rows, finish } = await converse(t, (address) => ({
    webhookUrl: `http://${address}/hook`,
  }))
  await channel.send(next('session_start'), waiting)
  await until(() => frames.length === 1)
  await clock.advance(0)
  customer.takesSockets = false
  behaviour.confirms = false
  await channel.send(next('user_speak', 1), waiting)
  await until(() => frames.length === 2)
  customer.hangUp()
  while ((await rows()).length < 2) await new Promise((resolve) => setImmediate(resolve))
  await channel.send(next('user_speak', 2), waiting)
  await advanceUntil(clock, () => !channel.duplex)
  const answer = await channel.send(next('user_speak', 3), waiting)
  assert.deepEqual(answer.actions, [speak])
  assert.deepEqual(
    customer.received.map(({ headers }) => headers['x-offhook-sequence']),
    ['2', '3', '4'],
  )
  assert.deepEqual(
    seen.acted.map(({ actions }) => actions.map(({ type, turn }) => [type, turn])),
    [[['speak', 1]], [['speak', 2]]],
    'answers for which nobody waits say which turn they belong to',
  )
  assert.deepEqual(await rows(), [
    ['websocket', 1, 1, 'delivered'],
    ['websocket', 2, 1, 'failed'],
    ['websocket', 3, 0, 'failed'],
    ['webhook', 2, 1, 'delivered'],
    ['webhook', 3, 1, 'delivered'],
    ['webhook', 4, 1, 'delivered'],
  ])
  assert.equal(seen.lostTimes, 0)
  await finish()
})

test('without a webhook the channel is lost, reports it once, and rejects further events', async (t) => {
  const { customer, frames, channel, next, clock, seen, finish } = await converse(t)
  await channel.send(next('session_start'), waiting)
  await until(() => frames.length === 1)
  customer.takesSockets = false
  customer.hangUp()
  const brokeAt = clock.now()
  await advanceUntil(clock, () => seen.lostTimes > 0)
  assert.ok(clock.now() - brokeAt <= 10_000)
  await assert.rejects(channel.send(next('user_speak'), waiting), EndpointUnavailable)
  assert.equal(seen.lostTimes, 1)
  await finish()
})

test('does not retry an endpoint that rejects the connection; 410 disables it', async (t) => {
  for (const status of [401, 410]) {
    const { customer, store, accountId, flow, channel, next, seen, rows, errors, finish } = await converse(t)
    customer.takesSockets = status
    await channel.send(next('session_start'), waiting)
    await until(() => seen.lostTimes === 1)
    assert.equal(customer.upgrades, 1)
    assert.deepEqual(await rows(), [['websocket', 1, 0, 'failed']])
    await finish()
    const { disabledBecause } = (await store.read.flows.find(accountId, flow.id))!.settings
    assert.equal(disabledBecause !== undefined, status === 410)
    assert.deepEqual(errors, [])
  }
})

test('sends an undelivered session_start to the fallback address', async (t) => {
  const { customer, channel, next, seen, rows, finish } = await converse(t, (address) => ({
    fallbackUrl: `http://${address}/fallback`,
  }))
  customer.takesSockets = 403
  await channel.send(next('session_start'), waiting)
  await until(() => seen.acted.length === 1)
  assert.deepEqual(seen.acted[0]?.actions, [{ turn: 0, ...speak }])
  await assert.rejects(channel.send(next('user_speak', 1), waiting), EndpointUnavailable)
  assert.equal(seen.lostTimes, 0)
  assert.deepEqual(await rows(), [
    ['websocket', 1, 0, 'failed'],
    ['webhook', 1, 0, 'failed'],
    ['fallback', 1, 1, 'delivered'],
    ['webhook', 2, 0, 'failed'],
  ])
  await finish()
})

test('a silent connection is dead after two unanswered pings', async (t) => {
  const { customer, frames, behaviour, channel, next, clock, finish } = await converse(t)
  await channel.send(next('session_start'), waiting)
  await until(() => frames.length === 1)
  await clock.advance(0)
  behaviour.confirms = false
  await clock.advance(59_999)
  assert.equal(customer.sockets[0]?.readyState, 1)
  await clock.advance(1)
  await until(() => customer.sockets[0]?.readyState === 3)
  behaviour.confirms = true
  await advanceUntil(clock, () => customer.sockets.length === 2)
  await until(() => frames.length === 2)
  for (let i = 0; i < 10; i++) await clock.advance(20_000)
  assert.equal(customer.sockets[1]?.readyState, 1, 'one that answers lives on')
  await finish()
})

test('takes a close with 1000 after session_end for its confirmation', async (t) => {
  for (const last of [speak, { type: 'done' }]) {
    const { customer, endpoints, flow, frames, behaviour, channel, next, clock, rows, finish } = await converse(t)
    await channel.send(next('session_start'), waiting)
    await until(() => frames.length === 1)
    customer.sockets[0]?.send(JSON.stringify(last))
    behaviour.confirms = false
    await channel.close()
    const told = endpoints.deliver(flow, next('session_end', 5), { attempt: 1, last: false })
    await until(() => frames.length === 2)
    customer.sockets[0]?.close(1000)
    await told
    assert.deepEqual((await rows()).at(-1), ['websocket', 2, 1, 'delivered'])
    await clock.advance(60_000)
    assert.equal(customer.upgrades, 1)
    await finish()
  }
})

test('gives up on an endpoint that confirms no events when 64 wait', async (t) => {
  const { frames, behaviour, channel, next, seen, finish } = await converse(t)
  behaviour.confirms = false
  for (let i = 0; i < 64; i++) await channel.send(next('user_speak', i), waiting)
  assert.equal(seen.lostTimes, 0)
  await assert.rejects(channel.send(next('user_speak', 64), waiting), EndpointUnavailable)
  assert.equal(seen.lostTimes, 1)
  assert.ok(frames.length <= 64)
  await finish()
})

test("sends session_end over the session's connection, then closes it", async (t) => {
  const { customer, endpoints, flow, frames, channel, next, clock, seen, rows, finish } = await converse(t)
  await channel.send(next('session_start'), waiting)
  await channel.close()
  const goodbye = new Promise(
    (resolve) => void until(() => customer.sockets.length > 0).then(() => customer.sockets[0]?.on('close', resolve)),
  )
  await until(() => frames.length === 1)
  customer.sockets[0]?.send(JSON.stringify(speak))
  await endpoints.deliver(flow, next('session_end', 5), { attempt: 1, last: false })
  assert.equal(await goodbye, 1000)
  assert.deepEqual(summary(frames, 1), [
    ['session_start', 1],
    ['session_end', 2],
  ])
  assert.deepEqual(seen.acted, [], 'the session was over')
  assert.deepEqual(await rows(), [
    ['websocket', 1, 1, 'delivered'],
    ['websocket', 2, 1, 'delivered'],
  ])
  await clock.advance(60_000)
  assert.equal(customer.sockets.length, 1)
  await finish()
})

test('sends a later session_end over a separate connection, which fails like any other', async (t) => {
  const { customer, endpoints, flow, frames, behaviour, channel, next, clock, rows, finish } = await converse(t)
  await channel.send(next('session_start'), waiting)
  await until(() => frames.length === 1)
  await channel.close()
  await clock.advance(15_000)
  await until(() => customer.sockets[0]?.readyState === 3)
  const end = next('session_end')
  await endpoints.deliver(flow, end, { attempt: 1, last: false })
  assert.deepEqual(summary(frames, 2), [['session_end', 2]])
  behaviour.confirms = false
  const silent = assert.rejects(endpoints.deliver(flow, end, { attempt: 2, last: false }), EndpointUnavailable)
  await until(() => frames.length === 3)
  await clock.advance(15_000)
  await silent
  customer.takesSockets = 401
  await assert.rejects(endpoints.deliver(flow, end, { attempt: 10, last: true }), EndpointUnavailable)
  assert.deepEqual((await rows()).slice(1), [
    ['websocket', 2, 1, 'delivered'],
    ['websocket', 2, 2, 'failed'],
    ['websocket', 2, 0, 'dead'],
  ])
  await finish()
})

test('sends a session_end that is requested twice concurrently once, and informs both callers', async (t) => {
  const { endpoints, flow, frames, channel, next, clock, finish } = await converse(t)
  await channel.send(next('session_start'), waiting)
  await channel.close()
  await clock.advance(15_000)
  const end = next('session_end')
  await Promise.all([1, 2].map((attempt) => endpoints.deliver(flow, end, { attempt, last: false })))
  assert.deepEqual(summary(frames, 2), [['session_end', 2]])
  await finish()
})

test('does not retry an address forbidden by our own rules', async (t) => {
  const forbidden = (): FlowSettings => ({ websocketUrl: 'ws://10.0.0.1/' })
  const { channel, next, seen, deliveries, flow, finish } = await converse(t, forbidden)
  await channel.send(next('session_start'), waiting)
  await until(() => seen.lostTimes > 0)
  const [row] = await deliveries(flow)
  assert.deepEqual([row?.attempt, row?.error?.endsWith('OFFHOOK_EGRESS_ALLOW=10.0.0.1:80')], [0, true], row?.error)
  await finish()
})

test('throttles an endpoint that sends too much', async (t) => {
  const { customer, frames, channel, next, clock, seen, finish } = await converse(t)
  await channel.send(next('session_start'), waiting)
  await until(() => frames.length === 1)
  const { promise: sent, resolve } = Promise.withResolvers<void>()
  const frame = JSON.stringify({ type: 'barge_in', more: 'x'.repeat(10_000) })
  for (let i = 1; i <= 600; i++) customer.sockets[0]?.send(frame, () => i === 600 && resolve())
  await until(() => seen.acted.length >= 500)
  const early = seen.acted.length
  assert.ok(early < 600, `${early} frames in one moment`)
  await clock.advance(1_000)
  await until(() => seen.acted.length === 600)
  await sent
  await finish()
})
