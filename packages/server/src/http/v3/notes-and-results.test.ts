import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { WebSocket } from 'ws'
import { startCustomer, until } from '#test/http/customer-endpoint.ts'
import { TalkClient } from '#test/phones/talk-client.ts'
import { startWorld } from '#test/world/world.ts'

interface Told {
  type: string
  turn: number
  text?: string
}

const card = '4111 1111 1111 1111'

/** A text talk with an assistant whose endpoint is a plain WebSocket. */
const talk = async (t: TestContext, answer: (event: Told, socket: WebSocket) => object[]) => {
  const events: string[] = []
  const customer = await startCustomer(t, undefined, (socket) => {
    socket.on('ping', (data) => socket.pong(data))
    socket.on('message', (data) => {
      const event = JSON.parse((data as Buffer).toString()) as Told
      events.push(event.type)
      for (const action of answer(event, socket)) socket.send(JSON.stringify(action))
    })
  })
  const world = await startWorld(t, { settings: { OFFHOOK_EGRESS_ALLOW: customer.address } })
  const person = await world.newAccount()
  const flow = await person.api.createFlow({}, { name: 'Reception', websocketUrl: `ws://${customer.address}/`, redact: ['card'] })
  const { talkId: callId, url } = await person.api.startTalk({ aiFlowId: flow.id }, { audio: false })
  const client = await TalkClient.open(t, url)
  await client.onEvent('answered')
  await until(() => events.includes('session_start'))
  return { world, person, flow, client, callId, events }
}

test('stores notes and the result of a plain WebSocket without card numbers', async (t) => {
  const texts: (string | undefined)[] = []
  const { world, person, flow, client, callId, events } = await talk(t, ({ type, turn, text }) => {
    texts.push(text)
    if (type === 'user_speak')
      return [
        { type: 'note', turn, name: 'model', data: { tokens: 12 } },
        { type: 'done', turn },
      ]
    return type === 'session_end'
      ? [{ type: 'result', outcome: 'booked', summary: `A table, paid with ${card}.`, next_steps: ['Send the menu'] }]
      : []
  })
  client.send({ type: 'text', text: `A table for two, my card is ${card}` })
  await until(() => events.includes('user_speak'))
  client.send({ type: 'hangup' })
  await client.closed
  await until(() => events.includes('session_end'))
  const notifications = async () => {
    await world.clock.advance(0)
    const { outcome, summary, nextSteps } = await person.api.getResult({ aiFlowId: flow.id, callId })
    return { outcome, summary, nextSteps }
  }
  while ((await notifications()).outcome === undefined);
  assert.deepEqual(await notifications(), { outcome: 'booked', summary: 'A table, paid with [card].', nextSteps: ['Send the menu'] })
  const { items } = await person.api.getTimeline({ callId })
  assert.deepEqual(
    items.flatMap((entry) => (entry.kind === 'note' ? [[entry.turn, entry.name, entry.data]] : [])),
    [
      [1, 'model', { tokens: 12 }],
      [1, 'result', { outcome: 'booked', summary: 'A table, paid with [card].', next_steps: ['Send the menu'] }],
    ],
  )
  assert.doesNotMatch(JSON.stringify(items), /1111/)
  assert.ok(texts.includes(`A table for two, my card is ${card}`), 'the endpoint is told')
})
