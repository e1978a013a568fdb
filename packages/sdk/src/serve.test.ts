import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { assistant } from './assistant.ts'
import { live } from './live/live.ts'
import { endpointAt } from './endpoints/endpoint-at.ts'
import { serve } from './serve.ts'
import { simulate } from './simulate/simulate.ts'

const saying = (text: string) => live({ session_start: () => text, user_speak: () => ['Bye.', { type: 'hangup' }] })

test('serves several flows, each at its path and with its key', async (t) => {
  const flows = { '/a': saying('I am A.'), '/b': { bot: assistant({ session_start: () => 'I am B.' }), apiKey: 'kb' } }
  const { url, close } = await serve(flows, { port: 0, apiKey: 'ka' })
  t.after(() => close(0))
  const greeting = async (path: string, apiKey: string): Promise<string> => {
    const call = await simulate(endpointAt(`${url}${path}`, { apiKey }), { quietMs: 30 })
    await call.hangUp()
    return call.transcript[0]?.text ?? ''
  }
  assert.equal(await greeting('a', 'ka'), 'I am A.')
  assert.equal(await greeting('b', 'kb'), 'I am B.')
  for (const [path, key] of [
    ['a', 'kb'],
    ['b', 'ka'],
    ['c', 'ka'],
  ] as const)
    await assert.rejects(greeting(path, key), { name: 'Unreachable' })
})

test('rejects new calls after close and lets active ones finish', async () => {
  const { url, close } = await serve(saying('Hello.'), { port: 0 })
  const call = await simulate(endpointAt(url))
  let closed = false
  const closing = close().then(() => (closed = true))
  await assert.rejects(once(new WebSocket(url), 'open'))
  assert.equal(closed, false)
  await call.say('One more thing')
  call.expect({ said: 'bye', ended: 'assistant_hangup' })
  await closing
  const other = await serve(saying('Hello.'), { port: 0 })
  const socket = new WebSocket(other.url)
  await once(socket, 'open')
  const left = once(socket, 'close')
  await other.close(0)
  await left
})
