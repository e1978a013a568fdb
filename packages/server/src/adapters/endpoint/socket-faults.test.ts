// test: chance
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventMaker, openTestEndpoints, advanceUntil, startCustomer, until, waiting, watcher } from '#test/http/customer-endpoint.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { outboundSockets } from '../outbound-sockets.ts'

test('delivers every event in order over a WebSocket that breaks repeatedly', async (t) => {
  const seen = new Map<string, { sequence: number; text: string }[]>()
  const resumed = new Map<string, number>()
  const customer = await startCustomer(
    t,
    () => {},
    (socket) => {
      socket.on('ping', (data) => socket.pong(data))
      socket.on('message', (data) => {
        const text = (data as Buffer).toString()
        const { type, sequence, session } = JSON.parse(text) as { type: string; sequence: number; session: { id: string } }
        if (type === 'session_resume') {
          resumed.set(session.id, (resumed.get(session.id) ?? 0) + 1)
          return
        }
        const list = seen.get(session.id) ?? []
        seen.set(session.id, [...list, { sequence, text }])
        if (list.length % 25 === 24) socket.terminate()
        else socket.send(JSON.stringify({ type: 'barge_in', session_id: session.id, turn: sequence }))
      })
    },
  )
  // Time advances with event-loop turns, so a slow machine has enough of it.
  const clock = new VirtualClock()
  const { endpoints, accountId, errors } = await openTestEndpoints(t, { clock, sockets: outboundSockets({ allow: ['127.0.0.1'], clock }) })
  const runSession = async (session: string): Promise<void> => {
    const flow = { id: session, name: '', settings: { websocketUrl: `ws://${customer.address}/${session}` } }
    const observer = watcher()
    const channel = endpoints.open(flow, { id: session, accountId }, observer)
    const next = eventMaker(accountId, session)
    for (let i = 0; i < 60; i++) {
      await channel.send(next('user_speak', i), waiting)
      await until(() => (seen.get(session)?.length ?? 0) >= i - 20)
    }
    await channel.close()
    await endpoints.deliver(flow, next('session_end', 60), { attempt: 1, last: false })
    assert.equal(observer.lostTimes, 0)
    assert.ok(observer.acted.length > 10)
  }
  const names = Array.from({ length: 30 }, (_, at) => `socket-${at}`)
  await advanceUntil(clock, Promise.all(names.map(runSession)), 5)
  assert.deepEqual(errors, [])
  for (const session of names) {
    const frames = seen.get(session) ?? []
    const firsts = new Map(frames.map(({ sequence, text }) => [sequence, text]))
    assert.deepEqual(
      [...firsts.keys()],
      Array.from({ length: 61 }, (_, at) => at + 1),
    )
    for (const { sequence, text } of frames) assert.equal(text, firsts.get(sequence))
    assert.ok((resumed.get(session) ?? 0) >= 2)
  }
})
