import { LiveServer } from '@offhook/sdk/serve.ts'
import { parentPort } from 'node:worker_threads'
import { admission } from './admission.ts'
import { agent } from './agent.ts'
import { Channel, hostOver, type AgentOrders, type Port } from './channel.ts'
import { wallClock } from './clock.ts'
import type { AgentSettings, ServiceHost } from './host.ts'
import { Refusals } from './model/flavours.ts'
import { outboundOver } from './outbound.ts'
import { processPort, threadPort } from './ports.ts'
import { SettingsCache } from './settings-cache.ts'
import { measureModel } from './trials/measure-model.ts'
import { tryTool } from './trials/try-tool.ts'

/** The whole agent, for who is at the other end of the port. */
export const serveAgent = (port: Port): void => {
  let server: LiveServer<AgentSettings> | undefined
  const orders: AgentOrders = {
    start: async ({ key }) => {
      if (server) throw new Error('the agent was started already')
      const settings = new SettingsCache(host, wallClock)
      server = new LiveServer({ admit: admission(key, { bot: agent(parts), settings, host }) })
      return { port: await server.listen() }
    },
    testModel: (settings, second) => measureModel(parts, settings, second),
    testTool: (settings, tool, args) => tryTool(parts, settings, tool, args),
    stop: async (withinMs) => {
      await server?.stop(withinMs)
      await outbound.close()
    },
  }
  const host = hostOver(new Channel<AgentOrders, ServiceHost>(port, orders))
  const outbound = outboundOver(host)
  const parts = { clock: wallClock, host, fetch: outbound.fetch, refusals: new Refusals(), onFailure: complain }
}

/** In a thread or in a process that was forked: whatever this is. */
export const serve = (): void => {
  // What goes wrong in one call must not end the others.
  process.on('uncaughtException', complain)
  process.on('unhandledRejection', complain)
  if (parentPort) return serveAgent(threadPort(parentPort))
  if (!process.send) throw new Error('the agent runs in a thread or in a process that the service has started')
  process.on('disconnect', () => process.exit(0))
  serveAgent(processPort(process))
}

/** Where it happened, and no more: what an error says may be somebody's words. */
const complain = (error: unknown): void => {
  const { name, stack = '' } = error instanceof Error ? error : new Error('unknown')
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line))
  process.stderr.write(`agent: ${name}\n${frames.slice(0, 8).join('\n')}\n`)
}
