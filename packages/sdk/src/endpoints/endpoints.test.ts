import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { WebSocketServer } from 'ws'
import type { Scenario } from '@offhook/contract/assistant/scenario.ts'
import { assistant } from '../assistant.ts'
import { live } from '../live/live.ts'
import { runScenario } from '../simulate/run-scenario.ts'
import { simulate } from '../simulate/simulate.ts'
import { serve } from '../serve.ts'
import { endpointAt } from './endpoint-at.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const scenario: Scenario = {
  name: 'echo',
  steps: [
    { expect: { said: 'hello' } },
    { say: 'One' },
    { expect: { said: 'you said one' } },
    { say: 'Bye' },
    { expect: { said: 'goodbye', ended: 'assistant_hangup' } },
  ],
}
const echo = {
  session_start: () => 'Hello.',
  user_speak: ({ text }: { text: string }) => (text === 'Bye' ? ['Goodbye.', { type: 'hangup' } as const] : `You said: ${text}`),
}

const served = async (t: TestContext, handle: Parameters<typeof createServer>[1]): Promise<string> => {
  const server = createServer(handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

test('runs webhook handlers without a server', async () => {
  const { state, failures } = await runScenario(scenario, assistant(echo))
  assert.deepEqual([state, failures], ['passed', []])
  const errors: unknown[] = []
  const failing = assistant({ ...echo, user_speak: () => Promise.reject(new Error('oh')) }, { onError: (error) => errors.push(error) })
  const report = await runScenario(scenario, failing)
  assert.match(report.failures.at(-1)?.message ?? '', /could not be read: the handler of user_speak failed/)
  assert.equal(errors.length, 2)
})

test('sends signed requests to a webhook address, as the service does', async (t) => {
  const { handle } = assistant(echo, { secret })
  const url = await served(t, (request, response) => void handle(request, response))
  const { state, failures } = await runScenario(scenario, endpointAt(url, { secret }))
  assert.deepEqual([state, failures], ['passed', []])
  const unsigned = await runScenario(scenario, endpointAt(url))
  assert.equal(unsigned.ended, 'endpoint_unavailable')
  assert.match(unsigned.failures.at(-1)?.message ?? '', /could not be read: status 401/)
})

test('connects to a WebSocket address', async (t) => {
  const keys: unknown[] = []
  const bot = live(echo)
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  t.after(() => server.close())
  server.on('connection', (socket, request) => {
    keys.push(request.headers['x-api-key'])
    bot.attach(socket)
  })
  await new Promise((resolve) => server.once('listening', resolve))
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const { state, failures } = await runScenario(scenario, endpointAt(url, { apiKey: 'k1' }))
  assert.deepEqual([state, failures, keys], ['passed', [], ['k1']])
  assert.equal(bot.calls, 0)
})

test('reports the unreachable address as an error of the scenario', async (t) => {
  const url = await served(t, (_, response) => response.destroy())
  const dead = url.replace(/:\d+/, ':1')
  for (const address of [`${dead}?key=hidden`, dead.replace('http', 'ws')]) {
    const { state, failures } = await runScenario(scenario, endpointAt(address))
    assert.equal(state, 'error')
    assert.match(failures[0]?.message ?? '', /127\.0\.0\.1:1\/ cannot be reached: /)
  }
  await assert.rejects(simulate(endpointAt(url)), { name: 'Unreachable' })
  await assert.rejects(simulate(endpointAt(dead.replace('http', 'ws'))), /ECONNREFUSED/)
  const { url: locked, close } = await serve(live({}), { port: 0, apiKey: 'k1' })
  t.after(() => close(0))
  await assert.rejects(simulate(endpointAt(locked, { apiKey: 'k2' })), /wants the key .*401/)
  await assert.rejects(simulate(endpointAt(url.replace('http', 'ws'))), { name: 'Unreachable' })
  assert.throws(() => endpointAt('ftp://x/'), /ftp: is no address/)
})
