import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Channel, type AgentOrders, type Message } from '@offhook/agent/channel.ts'
import type { ServiceHost } from '@offhook/agent/host.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { AgentHost } from './agent-host.ts'
import type { RunningAgent } from './run-agent.ts'

interface Started {
  key: string
  channel: Channel<AgentOrders, ServiceHost>
  die(reason?: Error): void
}

/** Agents in this thread, one after the other; `broken` ones die immediately. */
const openAgents = (broken = 0) => {
  const started: Started[] = []
  const run = (): RunningAgent => {
    const ended = Promise.withResolvers<Error | undefined>()
    let [toAgent, toHost]: ((message: Message) => void)[] = []
    const one: Started = { key: '', channel: undefined as never, die: (reason) => ended.resolve(reason) }
    const orders: AgentOrders = {
      start: async ({ key }) => {
        one.key = key
        return { port: 1000 + started.length }
      },
      testModel: async () => ({ ok: true, totalMs: 1 }),
      testTool: async () => ({ ok: true, ms: 1 }),
      stop: async () => {},
    }
    one.channel = new Channel<AgentOrders, ServiceHost>(
      { post: (message) => queueMicrotask(() => toHost?.(message)), listen: (take) => (toAgent = take) },
      orders,
    )
    started.push(one)
    if (started.length <= broken) one.die(new Error('broken'))
    return {
      port: {
        post: (message) => queueMicrotask(() => started.length > broken && toAgent?.(message)),
        listen: (take) => (toHost = take),
      },
      ended: ended.promise,
      kill: () => ended.resolve(undefined),
    }
  }
  return { started, run }
}

const openHost = (run: (() => RunningAgent) | undefined) => {
  const clock = new VirtualClock()
  const died: (string | undefined)[] = []
  const host = { lookUp: async (flowId: string) => [{ text: flowId }] } as unknown as ServiceHost
  return { clock, died, agent: new AgentHost({ run, host, clock, onDied: (reason) => died.push(reason?.message) }) }
}

test('starts the agent once, on demand, and queries it over its channel', async () => {
  const { started, run } = openAgents()
  const { agent, clock, died } = openHost(run)
  assert.equal(started.length, 0)
  const [one, other] = await Promise.all([agent.reach(), agent.reach()])
  assert.deepEqual([started.length, one, other.port], [1, { port: 1001, key: started[0]?.key }, 1001])
  assert.deepEqual(await agent.testModel({} as never, false), { ok: true, totalMs: 1 })
  assert.deepEqual(await started[0]?.channel.ask('lookUp', 'flow', 'q', 1), [{ text: 'flow' }])
  await agent.close()
  await assert.rejects(agent.reach(), { name: 'AgentUnavailable' })
  assert.deepEqual([clock.pending(), died], [0, []])
})

test('restarts a dead agent immediately, and later with pauses', async () => {
  const { started, run } = openAgents()
  const { agent, clock, died } = openHost(run)
  const { key } = await agent.reach()
  started[0]?.die(new Error('out of memory'))
  await setImmediate()
  await clock.advance(0)
  const again = await agent.reach()
  assert.deepEqual([again.port, again.key === key, died], [1002, false, ['out of memory']])
  started[1]?.die()
  await clock.advance(249)
  assert.equal(started.length, 2)
  await clock.advance(1)
  assert.equal(started.length, 3)
  await clock.advance(120_000)
  started[2]?.die()
  await clock.advance(0)
  assert.equal((await agent.reach()).port, 1004, 'who has lived long begins with the shortest pause')
  await agent.close()
  assert.equal(clock.pending(), 0)
})

test('reports a failed start to callers, and answers as soon as it succeeds', async () => {
  const { started, run } = openAgents(1)
  const { agent, clock } = openHost(run)
  await assert.rejects(agent.reach(), { name: 'AgentUnavailable' })
  const waiting = agent.reach()
  await clock.advance(0)
  assert.deepEqual([(await waiting).port, started.length], [1002, 2])
  await agent.close()
})

test('reports that the agent is switched off', async () => {
  const { agent } = openHost(undefined)
  await assert.rejects(agent.reach(), { name: 'AgentUnavailable', message: /OFFHOOK_AGENT=off/ })
  await agent.close()
})
