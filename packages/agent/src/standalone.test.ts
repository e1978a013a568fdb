import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { startModelServer } from '#test/model/model-server.ts'
import { listenAlone } from './standalone.ts'

test('runs as a separate program with its own message handler', async (t) => {
  const call = { name: 'take_message', arguments: { text: 'Call me' } }
  const { url: model } = await startModelServer(t, [{ when: '^user', calls: [call] }, { say: 'It is noted.' }])
  const messages: string[] = []
  const own = { takeMessage: async (_: string, { text }: { text: string }) => (messages.push(text), { done: true as const }) }
  const settings = { greeting: 'Hello.', prompt: 'Be kind.', model: { url: model, name: 'm' }, tools: { take_message: {} } }
  const { url, close } = await listenAlone(settings, { port: 0, apiKey: 'key', own })
  t.after(close)
  const [refused] = (await once(new WebSocket(url), 'error').catch((error: unknown) => [error])) as [Error]
  assert.match(refused.message, /401/)
  const socket = new WebSocket(url, { headers: { 'x-api-key': 'key' } })
  await once(socket, 'open')
  const said = new Promise<string>((resolve) => {
    let words = ''
    socket.on('message', (data: Buffer) => {
      const { type, text = '' } = JSON.parse(data.toString()) as { type: string; text?: string }
      words += text
      if (type === 'done') resolve(words)
    })
  })
  const session = { id: 's', account_id: '1', phone_number: '49' }
  socket.send(JSON.stringify({ type: 'user_speak', session, turn: 1, sequence: 1, text: 'Please note', barged_in: false }))
  assert.equal(await said, 'It is noted.')
  assert.deepEqual(messages, ['Call me'])
})

test('rejects unusable settings before the first call and names the problem', async () => {
  const settings = { greeting: 'Hello.', prompt: '', tools: { transfer: [{ name: 'Sales!', target: '+4930111', when: 'always' }] } }
  await assert.rejects(listenAlone(settings, { port: 0 }), /The settings of the assistant cannot be used: tools\/transfer\/0\/name /)
})
