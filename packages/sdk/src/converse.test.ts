import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { WebSocket, WebSocketServer } from 'ws'
import { assistant, type AssistantOptions, type Handlers } from './index.ts'

const session = { id: 's1', account_id: '1234567', phone_number: '493023125000' }

/** The service's end of a connection to an assistant. */
const connected = async (t: TestContext, handlers: Handlers, options?: AssistantOptions) => {
  const { attach } = assistant(handlers, options)
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  server.on('connection', (socket) => attach(socket))
  await once(server, 'listening')
  const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  t.after(async () => {
    socket.terminate()
    server.close()
    await once(server, 'close')
  })
  const came: string[] = []
  socket.on('message', (data: Buffer) => void came.push(data.toString()))
  await once(socket, 'open')
  return {
    notify: (event: object) => socket.send(JSON.stringify({ session, ...event })),
    /** The next `count` messages. */
    heard: async (count = 1): Promise<unknown[]> => {
      while (came.length < count) await once(socket, 'message')
      return came.splice(0, count).map((text) => (/^[[{]/.test(text) ? (JSON.parse(text) as unknown) : text))
    },
  }
}

test('WebSocket: names the turn in each action; sends an empty answer only for awaited events', async (t) => {
  const { notify, heard } = await connected(t, {
    session_start: () => 'Hello!',
    user_speak: ({ text }) => (text === 'Mum' ? undefined : ['Goodbye!', { type: 'hangup' }]),
  })
  notify({ type: 'session_start', turn: 0, event_id: 'e0' })
  assert.deepEqual(await heard(), [[{ type: 'speak', session_id: 's1', text: 'Hello!', turn: 0 }]])
  for (const type of ['assistant_speak', 'user_backchannel', 'session_resume', 'of_tomorrow']) notify({ type, turn: 0 })
  notify({ type: 'user_speak', text: 'Mum', turn: 1 })
  assert.deepEqual(await heard(), [[]])
  notify({ type: 'user_speak', text: 'Bye', turn: 2 })
  const hangup = { type: 'hangup', session_id: 's1', turn: 2 }
  assert.deepEqual(await heard(), [[{ type: 'speak', session_id: 's1', text: 'Goodbye!', turn: 2 }, hangup]])
})

test('does not send an empty answer for an older turn', async (t) => {
  const old = Promise.withResolvers<undefined>()
  const { notify, heard } = await connected(t, { user_speak: ({ text }) => (text === 'Old' ? old.promise : `You said ${text}`) })
  notify({ type: 'user_speak', text: 'Old', turn: 1 })
  notify({ type: 'user_speak', text: 'New', turn: 2 })
  assert.deepEqual(await heard(), [[{ type: 'speak', session_id: 's1', text: 'You said New', turn: 2 }]])
  old.resolve(undefined)
  notify({ type: 'user_speak', text: 'Newest', turn: 3 })
  assert.deepEqual(await heard(), [[{ type: 'speak', session_id: 's1', text: 'You said Newest', turn: 3 }]])
})

test('names the preview in its answer; skips a turn answered ahead, answers one that was not', async (t) => {
  const stopped: string[] = []
  const { notify, heard } = await connected(t, {
    user_speak_preview: ({ text }, { signal }) => {
      signal.addEventListener('abort', () => stopped.push(text))
      return text === 'Hello' ? 'Hello to you' : null
    },
    user_speak: ({ text }) => `In the end you said ${text}`,
  })
  const preview = (turn_token: string, text: string) =>
    notify({ type: 'user_speak_preview', turn_token, text, end_probability: 0.8, turn: 1 })
  preview('one', 'Hello')
  assert.deepEqual(await heard(), [[{ type: 'speak', session_id: 's1', text: 'Hello to you', turn_token: 'one' }]])
  notify({ type: 'user_speak', text: 'Hello', previewed: true, turn: 2 })
  preview('two', 'A table')
  notify({ type: 'user_speak', text: 'A table', previewed: true, turn: 3 })
  assert.deepEqual(await heard(), [[{ type: 'speak', session_id: 's1', text: 'In the end you said A table', turn: 3 }]])
  assert.deepEqual(stopped, [])
  preview('three', 'I want')
  notify({ type: 'user_speak_revoked', turn_token: 'two', turn: 3 })
  preview('four', 'I want a')
  notify({ type: 'session_end', reason: 'caller_hangup', turn: 3 })
  notify({ type: 'transfer_failed', target: '1', cause: 'busy', turn: 3 })
  assert.deepEqual(await heard(), [[]])
  assert.deepEqual(stopped, ['I want', 'I want a'])
})

test('sends a failed answer when a handler throws, as over a webhook; handles a repeated event once', async (t) => {
  const notified: string[] = []
  let handled = 0
  const handlers: Handlers = {
    user_speak: ({ text }) => {
      handled++
      if (text === 'Trouble') throw new Error('no luck')
      return 'Done'
    },
    dtmf_received: () => Promise.reject(new Error('no key')),
  }
  const { notify, heard } = await connected(t, handlers, { onError: (error) => notified.push((error as Error).message) })
  notify({ type: 'user_speak', text: 'Trouble', turn: 1 })
  notify({ type: 'dtmf_received', digit: '1', turn: 1 })
  notify({ type: 'user_speak', text: 'Order', turn: 2, event_id: 'e1' })
  notify({ type: 'user_speak', text: 'Order', turn: 2, event_id: 'e1' })
  const done = [{ type: 'speak', session_id: 's1', text: 'Done', turn: 2 }]
  assert.deepEqual(await heard(3), ['the handler of user_speak failed', done, done])
  assert.deepEqual([handled, notified], [2, ['no luck', 'no key']])
})
