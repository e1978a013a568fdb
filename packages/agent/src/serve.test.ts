// test: own process
import assert from 'node:assert/strict'
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { Worker } from 'node:worker_threads'
import { WebSocket } from 'ws'
import { startModelServer } from '#test/model/model-server.ts'
import { startLoopbackServer } from '#test/http/loopback-server.ts'
import { Channel, type AgentOrders, type Port } from './channel.ts'
import type { AgentSettings, Host } from './host.ts'
import { processPort, threadPort } from './ports.ts'
import { ScriptedHost } from './testing/agent-scene.ts'

const entry = join(import.meta.dirname, 'testing/agent-thread.ts')

const settingsFor = (url: string): AgentSettings => ({
  flowId: 'flow-1',
  version: 1,
  language: 'en-US',
  secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  assistant: { greeting: 'Hello.', prompt: 'Be kind.', model: { url, name: 'm' }, disclosure: { mode: 'off', reason: 'test' } },
})

const startThread = (t: TestContext): Port => {
  const worker = new Worker(entry)
  t.after(() => worker.terminate())
  return threadPort(worker)
}

const startProcess = (t: TestContext): Port => {
  const child: ChildProcess = fork(entry)
  t.after(() => child.kill())
  return processPort(child)
}

/** Starts both ends: the agent in its thread or process, and a service with one assistant. */
const startAgent = async (port: Port, settings: AgentSettings) => {
  const host = new ScriptedHost()
  const { addresses, lookUp, sendSms, takeMessage, calendar, spend } = host
  const asked: string[] = []
  const ours: Host = {
    settings: async (flowId, version) => {
      asked.push(`${flowId}/${version}`)
      if (flowId !== 'flow-1') throw new Error('there is no such version')
      return { ...settings, version }
    },
    addresses,
    lookUp,
    sendSms,
    takeMessage,
    calendar,
    spend,
  }
  const channel = new Channel<Host, AgentOrders>(port, ours)
  const { port: number } = await channel.ask('start', { key: 'secret' })
  return { channel, asked, address: `ws://127.0.0.1:${number}` }
}

const session = { id: 's1', account_id: '1', phone_number: '4930' }

/** Collects the frames of a socket up to each `done`. */
const answersOf = (socket: WebSocket) => {
  const frames: Record<string, unknown>[] = []
  const waiting: (() => void)[] = []
  socket.on('message', (data: Buffer) => {
    frames.push(JSON.parse(data.toString()) as Record<string, unknown>)
    waiting.shift()?.()
  })
  return async (): Promise<Record<string, unknown>[]> => {
    while (!frames.some(({ type }) => type === 'done')) await new Promise<void>((resolve) => waiting.push(resolve))
    return frames.splice(0)
  }
}

const textOf = (frames: Record<string, unknown>[]): string => frames.map(({ text = '' }) => text).join('')

for (const [where, start] of [
  ['a thread', startThread],
  ['a process', startProcess],
] as const) {
  test(`answers calls in ${where} within the limits of the service`, { timeout: 30_000 }, async (t) => {
    const { url } = await startModelServer(t, [{ when: 'open', say: 'Yes, until five.' }])
    const { channel, address, asked } = await startAgent(start(t), settingsFor(url))
    const socket = new WebSocket(`${address}/flow-1/1`, { headers: { 'x-api-key': 'secret' } })
    await once(socket, 'open')
    const answer = answersOf(socket)
    socket.send(JSON.stringify({ type: 'session_start', session, turn: 0, sequence: 1 }))
    assert.equal(textOf(await answer()), 'Hello.')
    socket.send(JSON.stringify({ type: 'user_speak', session, turn: 1, sequence: 2, text: 'Are you open?', barged_in: false }))
    assert.equal(textOf(await answer()), 'Yes, until five.')
    assert.deepEqual(asked, ['flow-1/1'])
    const stopped = channel.ask('stop', 5_000)
    socket.close()
    await stopped
  })
}

/** Returns a port without a listener. */
const closedPort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

test('agent requests other than calls', { timeout: 60_000 }, async (t) => {
  const { url } = await startModelServer(t, [
    { when: 'hello', say: 'Hello, nice to meet you.' },
    { when: 'Berlin', calls: [{ name: 'time_in', arguments: { city: 'Berlin' } }] },
    { when: 'sky', json: { colour: 'blue' } },
  ])
  const { channel, address } = await startAgent(startThread(t), settingsFor(url))

  await t.test('rejects other keys and unknown versions', async () => {
    const statusOf = async (path: string, key: string): Promise<string> => {
      const socket = new WebSocket(`${address}${path}`, { headers: { 'x-api-key': key } })
      const [error] = (await once(socket, 'error').catch((reason: unknown) => [reason])) as [Error]
      return error.message
    }
    assert.match(await statusOf('/flow-1/1', 'wrong'), /401/)
    assert.match(await statusOf('/flow-2/1', 'secret'), /404/)
    assert.match(await statusOf('/flow-1/zero', 'secret'), /404/)
  })

  await t.test('measures a model and gives advice when it is unreachable', async () => {
    const { firstTokenMs, totalMs, tokensPerSecond, ...able } = await channel.ask('testModel', settingsFor(url), false)
    assert.deepEqual(able, { ok: true, text: 'Hello, nice to meet you.', tools: true, json: true })
    assert.ok(totalMs >= (firstTokenMs ?? Infinity) && (tokensPerSecond ?? 0) > 0)
    const nobody = await channel.ask('testModel', settingsFor(`http://127.0.0.1:${await closedPort()}/v1`), false)
    assert.match(nobody.problem ?? '', /ECONNREFUSED.*ollama run m/)
    assert.equal((await channel.ask('testModel', settingsFor(url), true)).problem, 'No second model is set.')
  })

  await t.test('tries a tool and shows request and response without secrets', async () => {
    const service = await startLoopbackServer(t, (request, response) => {
      request.resume().on('end', () => response.end(JSON.stringify({ free: ['10:00'], key: request.headers['x-key'] })))
    })
    const settings = settingsFor(url)
    const parameters = { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] }
    const headers = [{ name: 'X-Key', value: 'hidden' }]
    settings.assistant.tools = { http: [{ name: 'slots', description: 'Free slots', url: `http://${service}/slots`, parameters, headers }] }
    const tried = await channel.ask('testTool', settings, 'slots', { day: 'Monday' })
    assert.deepEqual(tried.response, { status: 200, body: '{"free":["10:00"],"key":"hidden"}' })
    assert.equal(tried.request?.headers['x-key'], '***')
    assert.match(tried.request?.headers['webhook-signature'] ?? '', /^v1,/)
    assert.match((await channel.ask('testTool', settings, 'slots', {})).problem ?? '', /do not fit.*day/)
    await assert.rejects(channel.ask('testTool', settings, 'other', {}), /there is no tool other/)
  })
  await channel.ask('stop', 0)
})
