import { randomBytes } from 'node:crypto'
import { Channel, type AgentOrders } from '@offhook/agent/channel.ts'
import type { ServiceHost } from '@offhook/agent/host.ts'
import { AgentUnavailable, type Agent, type AgentSettings } from '#core/kernel/ports/assistant.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { atMost } from '#core/kernel/work/waiting.ts'
import type { RunningAgent } from './run-agent.ts'

interface AgentHostDeps {
  /** Starts it; undefined: assistants are switched off here. */
  run: (() => RunningAgent) | undefined
  /** Functions that it may call. */
  host: ServiceHost
  clock: Clock
  /** It ended unexpectedly. */
  onDied: (reason: Error | undefined) => void
}

/** Address at which it accepts calls. */
export interface AgentPlace {
  port: number
  key: string
}

interface Attempt {
  agent: RunningAgent
  channel: Channel<ServiceHost, AgentOrders>
  /** Rejects when it ends before it is ready. */
  place: Promise<AgentPlace>
}

const startMs = 20_000
/** Calls wait ten seconds for it, so the first pauses are short. */
const pausesMs = [0, 250, 1_000, 2_000, 5_000]
/** Milliseconds; an agent that lived longer did not fail at its start. */
const soundMs = 60_000
const goodbyeMs = 3_000

/** Starts the agent on first use, and again whenever it has ended. */
export class AgentHost implements Agent {
  readonly #deps: AgentHostDeps
  #attempt: Attempt | undefined
  #failures = 0
  #cancelRestart: (() => void) | undefined
  #closed = false
  /** Resolves at the end of the pause before the next start. */
  #rest: Promise<void> = Promise.resolve()

  constructor(deps: AgentHostDeps) {
    this.#deps = deps
  }

  /** Rejects with AgentUnavailable. */
  async reach(): Promise<AgentPlace> {
    return (await this.#running()).place
  }

  async testModel(settings: AgentSettings, second: boolean): ReturnType<Agent['testModel']> {
    return this.#ask((channel) => channel.ask('testModel', settings, second))
  }

  async testTool(settings: AgentSettings, tool: string, args: Record<string, unknown>): ReturnType<Agent['testTool']> {
    return this.#ask((channel) => channel.ask('testTool', settings, tool, args))
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancelRestart?.()
    const attempt = this.#attempt
    if (!attempt) return
    const goodbye = attempt.channel.ask('stop', goodbyeMs).catch(() => {})
    await Promise.race([atMost(this.#deps.clock, goodbyeMs, goodbye, undefined), attempt.agent.ended])
    attempt.agent.kill()
    await attempt.agent.ended
  }

  async #ask<T>(question: (channel: Attempt['channel']) => Promise<T>): Promise<T> {
    const { channel, place } = await this.#running()
    await place
    return question(channel)
  }

  async #running(): Promise<Attempt> {
    await this.#rest
    if (this.#closed) throw new AgentUnavailable('the service stops')
    if (!this.#deps.run) throw new AgentUnavailable('Assistants that are written here are switched off (OFFHOOK_AGENT=off)')
    this.#attempt ??= this.#start(this.#deps.run)
    return this.#attempt
  }

  #start(run: () => RunningAgent): Attempt {
    const { clock, host } = this.#deps
    const agent = run()
    const channel = new Channel<ServiceHost, AgentOrders>(agent.port, host)
    const key = randomBytes(32).toString('base64url')
    const late = clock.after(startMs, () => agent.kill())
    const startedAt = clock.elapsed()
    const place = channel.ask('start', { key }).then(
      ({ port }) => ({ port, key }),
      (error: unknown) => {
        agent.kill()
        throw new AgentUnavailable('What runs the assistants could not be started', { cause: error })
      },
    )
    place.then(late, late)
    const attempt = { agent, channel, place }
    void agent.ended.then((reason) => this.#ended(attempt, reason, clock.elapsed() - startedAt))
    return attempt
  }

  #ended({ channel }: Attempt, reason: Error | undefined, livedMs: number): void {
    channel.broke('what runs the assistants has ended')
    this.#attempt = undefined
    if (this.#closed) return
    this.#deps.onDied(reason)
    this.#failures = livedMs > soundMs ? 0 : this.#failures + 1
    const pause = pausesMs[Math.min(this.#failures, pausesMs.length) - 1] ?? 0
    const over = Promise.withResolvers<void>()
    this.#rest = over.promise
    const cancel = this.#deps.clock.after(pause, () => over.resolve())
    this.#cancelRestart = () => {
      cancel()
      over.resolve()
    }
    // Sessions that were connected to it reconnect immediately.
    void this.#running().catch(() => {})
  }
}
