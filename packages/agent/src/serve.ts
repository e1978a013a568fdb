import { LiveServer, hasKey, type LiveServerDeps } from '@offhook/sdk/serve.ts'
import { parentPort } from 'node:worker_threads'
import { agent } from './agent.ts'
import { Channel, hostOver, type AgentOrders, type Port } from './channel.ts'
import { wallClock, type AgentClock } from './clock.ts'
import type { AgentSettings, ServiceHost, Host, Version } from './host.ts'
import { Refusals } from './model/messages.ts'
import { outboundOver } from './outbound.ts'
import { processPort, threadPort } from './ports.ts'
import { measureModel, tryTool } from './trials.ts'
import type { Live } from '@offhook/sdk/index.ts'

/** Runs the whole agent behind the port. */
const serveAgent = (port: Port): void => {
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

/** Runs in a worker thread or in a forked process. */
export const serve = (): void => {
  // An error in one call must not end the others.
  process.on('uncaughtException', complain)
  process.on('unhandledRejection', complain)
  if (parentPort) return serveAgent(threadPort(parentPort))
  if (!process.send) throw new Error('the agent runs in a thread or in a process that the service has started')
  process.on('disconnect', () => process.exit(0))
  serveAgent(processPort(process))
}

/** Logs only the location: the message may contain a caller's words. */
const complain = (error: unknown): void => {
  const { name, stack = '' } = error instanceof Error ? error : new Error('unknown')
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line))
  process.stderr.write(`agent: ${name}\n${frames.slice(0, 8).join('\n')}\n`)
}

/** Versions are immutable, but signing secrets rotate: new ones appear a day before the old ones expire. */
const retentionMs = 60_000

/** Caches published versions; reads a draft every time. */
class SettingsCache {
  readonly #host: Pick<Host, 'settings'>
  readonly #clock: AgentClock
  readonly #known = new Map<string, { settings: Promise<AgentSettings>; until: number }>()

  constructor(host: Pick<Host, 'settings'>, clock: AgentClock) {
    this.#host = host
    this.#clock = clock
  }

  get(flowId: string, version: Version): Promise<AgentSettings> {
    if (version === 'draft') return this.#host.settings(flowId, version)
    const now = this.#clock.elapsed()
    for (const [key, { until }] of this.#known) if (until <= now) this.#known.delete(key)
    const key = `${flowId}/${version}`
    const known = this.#known.get(key)
    if (known) return known.settings
    const settings = this.#host.settings(flowId, version)
    this.#known.set(key, { settings, until: now + retentionMs })
    settings.catch(() => this.#known.delete(key))
    return settings
  }
}

const place = /^\/([\w-]{1,100})\/(draft|[1-9]\d{0,8})(?:\?test=([\w-]{1,100}))?$/

interface AdmissionDeps {
  bot: Live<AgentSettings>
  settings: SettingsCache
  host: Pick<ServiceHost, 'rehearsal'>
}

/** Admits the service: the holder of the key may name any existing assistant. */
const admission =
  (key: string, { bot, settings, host }: AdmissionDeps): LiveServerDeps<AgentSettings>['admit'] =>
  async (request) => {
    if (!hasKey(request, key)) return '401 Unauthorized'
    const [, flowId, version, test] = place.exec(request.url ?? '') ?? []
    if (flowId === undefined || version === undefined) return '404 Not Found'
    try {
      const found = await settings.get(flowId, version === 'draft' ? version : Number(version))
      return { bot, given: test === undefined ? found : { ...found, rehearsal: await host.rehearsal(test) } }
    } catch {
      return '404 Not Found'
    }
  }
