import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { Tasks } from '#core/kernel/work/worker.ts'
import type { SessionEndMessage } from '#core/assistant/delivery/events/deliver-session-end.ts'
import type { FlowRuntime, OutgoingEvent } from '#core/kernel/ports/assistant.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Tracer } from '#core/kernel/trace/tracer.ts'
import { assistant } from '#core/assistant/session/run-session.ts'
import type { AssistantDeps } from '#core/assistant/session/assistant-deps.ts'
import { SessionStates } from '#core/assistant/session/session-state.ts'
import type { TurnTimes } from '#core/assistant/session/turn-times.ts'
import { openTestStore } from '../store/databases.ts'
import { addFlow } from '../routing/flow-calls.ts'
import { ScriptedEndpoints, type ScriptedChannel } from './scripted-endpoint.ts'
import { Exchange, type Customer } from '../routing/scripted-exchange.ts'
import { ScriptedConversation } from './scripted-conversation.ts'
import type { ScriptedLeg } from '../ports/scripted-leg.ts'

export interface SessionFixtureOptions {
  settings?: FlowSettings
  openConversation?: (fixture: SessionFixture) => AssistantDeps['openConversation']
  /** Records timelines of calls. */
  keepsTimelines?: boolean
  /** Stores takeover data for another process. */
  noted?: boolean
  /** Start of another process. */
  startAt?: number
  tracer?: Tracer
}

/** Assistants on scripted phones with scripted endpoints; call routing, the store and the rules are real. */
export class SessionFixture {
  readonly exchange: Exchange
  readonly endpoints: ScriptedEndpoints
  readonly conversations: ScriptedConversation[] = []
  readonly turns: TurnTimes[] = []
  readonly deps: AssistantDeps
  readonly states: SessionStates | undefined
  readonly #closing = new AbortController()

  constructor(store: Store, options: SessionFixtureOptions = {}) {
    const { openConversation = scriptedConversation, keepsTimelines = false, noted = false, startAt, tracer } = options
    const flows: FlowRuntime = { run: (...taken) => runtime.run(...taken) }
    this.exchange = new Exchange(store, flows, undefined, undefined, keepsTimelines, startAt)
    const { clock, outside, watched, failures } = this.exchange
    this.endpoints = new ScriptedEndpoints(outside)
    const onFailure = (error: unknown): void => void failures.push(error)
    const books = { store: watched, clock, tasks: new Tasks(), closing: this.#closing.signal, onFailure }
    const noting = { store: watched, clock, owner: this.exchange.leases.owner, onError: onFailure }
    this.states = noted ? new SessionStates(noting) : undefined
    this.deps = {
      ...books,
      states: this.states,
      endpoints: this.endpoints,
      leases: this.exchange.leases,
      timelines: this.exchange.timelines,
      openConversation: openConversation(this),
      wake: () => {},
      tracer,
      onTurn: (_callId, times) => this.turns.push(times),
    }
    const runtime = assistant(this.deps)
  }

  /** Customer whose number is routed to a flow with these settings. */
  async newCustomer(settings: FlowSettings = {}): Promise<Customer> {
    const customer = await this.exchange.newCustomer()
    await addFlow(this.exchange, customer, settings)
    return customer
  }

  /** Newest channel. */
  get channel(): ScriptedChannel {
    return this.endpoints.channel
  }

  get conversation(): ScriptedConversation {
    return this.conversations.at(-1) ?? assert.fail(`no session has begun: ${this.exchange.failures.join()}`)
  }

  seconds(seconds: number): Promise<void> {
    return this.exchange.seconds(seconds)
  }

  rest(): Promise<void> {
    return this.exchange.rest()
  }

  /** Takes new outbox entries. */
  async ends(): Promise<OutgoingEvent[]> {
    const far = this.exchange.clock.now() + 1
    const entries = await this.exchange.store.write(({ outbox }) => outbox.lease(['session_end'], far, 10_000, 1e12))
    return entries.map(({ payload }) => (payload as SessionEndMessage).event)
  }

  /** Simulates a stop of the service: nothing is awaited. */
  hurry(): void {
    this.#closing.abort()
  }

  async close(): Promise<void> {
    this.hurry()
    await this.states?.close()
    await this.exchange.close()
    if (this.exchange.gone) return
    for (const conversation of this.conversations) assert.ok(conversation.closed, 'somebody still listens')
    for (const { closed, waiting } of this.endpoints.channels) assert.ok(closed && waiting === 0, 'a conversation is left open')
  }
}

const scriptedConversation =
  ({ exchange, conversations }: SessionFixture): AssistantDeps['openConversation'] =>
  ({ language }, observer) => {
    exchange.outside.step('conversation.open')
    const conversation = new ScriptedConversation({ clock: exchange.clock, outside: exchange.outside, language }, observer)
    conversations.push(conversation)
    return conversation
  }

/** Running session: the flow has answered a call. */
export const openSession = async (
  t: TestContext,
  options: SessionFixtureOptions & { reply?: ScriptedEndpoints['reply']; duplex?: boolean } = {},
) => {
  let fixture: SessionFixture | undefined
  // Registered first, so that it runs before the store is closed.
  t.after(() => fixture?.close())
  fixture = new SessionFixture(await openTestStore(t, 'sqlite'), options)
  if (options.reply) fixture.endpoints.reply = options.reply
  fixture.endpoints.duplex = options.duplex ?? false
  const customer = await fixture.newCustomer(options.settings)
  const caller: ScriptedLeg = await fixture.exchange.callIn(customer.number)
  return { fixture, customer, caller }
}
