import { withDemoAssistant } from '#adapters/demo-outbound.ts'
import { openEndpoints } from '#adapters/endpoint/endpoints.ts'
import { withGateways } from '#adapters/gateways/gateway-sockets.ts'
import { endpointTrials } from '#adapters/endpoint/trials.ts'
import { reportAttempt } from '#core/assistant/delivery/attempts/delivery-span.ts'
import { Listeners, RemoteListeners } from '#core/assistant/delivery/listeners/remote-listeners.ts'
import { keepAfterwards, type OnResult } from '#core/assistant/session/endpoint/session-timeline.ts'
import type { Endpoints, EndpointTrials, Agent } from '#core/kernel/ports/assistant.ts'
import { attemptOf, messageOf } from '#core/telephone/timeline/exchange.ts'
import type { LiveTimelines } from '#core/telephone/timeline/live-timelines.ts'
import type { Platform } from './platform.ts'
import type { RestAddress } from './listening/rest-address.ts'
import type { ServiceHost } from '@offhook/agent/host.ts'
import { AgentHost } from '#adapters/agent-host/agent-host.ts'
import { withAgent } from '#adapters/agent-host/agent-sockets.ts'
import { runAsProcess, runAsThread } from '#adapters/agent-host/run-agent.ts'
import { outboundSockets } from '#adapters/outbound-sockets.ts'
import { readAgentSettings, Rehearsals, AgentInputs, type OrderSms } from '#core/assistant/agent/agent-requests.ts'
import { sendForAssistant } from '#core/messages/orders/send-for-assistant.ts'
import type { SmsOrderDeps } from '#core/messages/orders/send-sms.ts'
import { acceptSms } from '#core/messages/sms/sending/accept-sms.ts'
import type { SmsParts } from '#core/messages/sms/state/sms-parts.ts'
import type { OutboundSockets } from '#core/kernel/ports/outbound.ts'
import type { Settings } from '#settings/config.ts'
import type { Open } from './closing.ts'

export type OpenedEndpoints = Endpoints & { close?(): Promise<void>; readonly openBreakers?: number }

/** Connections to customers' software; the demo assistant and the built-in assistants are reached the same way. */
export interface Customers extends Omit<OpenedAgent, 'sockets'> {
  endpoints: OpenedEndpoints
  /** Developers' machines that receive the events of a flow instead of its endpoint. */
  listeners: Listeners
  trials: EndpointTrials
}

interface CustomersDeps extends OpenAgentDeps {
  replaced: { endpoints?: OpenedEndpoints }
  address: RestAddress
  timelines: LiveTimelines
  onResult: OnResult
  /** Id of this node. */
  self: string
  /** Undefined while this node may send; otherwise it settles when it may. */
  silence: () => Promise<void> | undefined
}

/** The caller closes the endpoints, before the workers that deliver to them. */
export const openCustomers = (deps: CustomersDeps): Customers => {
  const { settings, replaced, platform, open, address, timelines, onResult, self, silence } = deps
  const { callClock: clock, log, measurements, tracer } = platform
  const others = othersListeners(platform, self)
  if (others) open(others)
  const listeners = new Listeners(others)
  const outbound = settings.OFFHOOK_DEMO ? open(withDemoAssistant(platform.outbound, address.listening)) : platform.outbound
  const { sockets: ownAndCustomers, ...agent } = openAgent(deps)
  const sockets = open(withGateways(ownAndCustomers, { clock, outbound: platform.outbound }))
  const ways = { ...platform, clock, outbound, sockets, listeners }
  const endpoints =
    replaced.endpoints ??
    openEndpoints({
      ...ways,
      silence,
      random: Math.random,
      onError: (error) => log('delivery_log_failed', { err: error }),
      onDelivered: (delivery, exchange, event) => {
        measurements.delivered(delivery)
        if (tracer) reportAttempt(tracer, delivery, exchange, event)
        timelines.note(delivery.accountId, delivery.sessionId, attemptOf(delivery, exchange, event))
      },
      onMessage: ({ accountId, sessionId, id }, message) => timelines.note(accountId, sessionId, messageOf(id, message)),
      onAfterwards: keepAfterwards({ timelines, onResult }),
    })
  platform.metrics.add(() => [{ name: 'offhook_endpoint_breakers_open', value: endpoints.openBreakers ?? 0 }])
  return { ...agent, endpoints, listeners, trials: endpointTrials(ways) }
}

/** A single node has all listeners. */
const othersListeners = ({ bus, wallClock: clock, log }: Platform, self: string): RemoteListeners | undefined => {
  const onError = (error: unknown): void => log('listener_lookup_failed', { err: error })
  return bus.alone ? undefined : new RemoteListeners({ bus, self, clock, onError })
}

interface OpenAgentDeps {
  settings: Settings
  platform: Platform
  open: Open
  /** Available once everything is open. */
  sms: () => SmsParts
  /** Called after an outbox message was queued. */
  wake: () => void
}

/** Runs the built-in assistants. */
interface OpenedAgent {
  agent: Agent
  /** Connections to customers' endpoints, and to these assistants. */
  sockets: OutboundSockets
  /** Test runs of these assistants. */
  rehearsals: Rehearsals
  /** Preloads the agent where assistants are in use, so that the first caller does not wait for it. */
  prepareAgent: () => Promise<void>
}

/** The egress rules forbid its address to all other connections. */
const socketsTo = (address: string): OutboundSockets => outboundSockets({ allow: [address] })

const runs = { thread: runAsThread, process: runAsProcess, off: undefined }

const openAgent = ({ settings, platform, open, sms, wake }: OpenAgentDeps): OpenedAgent => {
  const { callStore: store, callClock: clock, vault, log, metrics, lookUp, allowedAddresses: addresses } = platform
  /** Account by flow: the agent does not know accounts, and gets only data of flows that have a call. */
  const accounts = new Map<string, string>()
  const accountOf = (flowId: string): string => {
    const accountId = accounts.get(flowId)
    if (accountId === undefined) throw new Error('there is no call of this flow')
    return accountId
  }
  const rehearsals = new Rehearsals()
  const orders: SmsOrderDeps['orders'] = { sendSms: (order) => acceptSms(sms(), order) }
  const orderSms: OrderSms = (order) => sendForAssistant({ ...platform, orders, wake }, order)
  const inputs = new AgentInputs({
    store,
    clock,
    vault,
    orderSms,
    wake,
    rehearsals,
    onError: (error) => log('agent_wish_failed', { err: error }),
  })
  const host: ServiceHost = {
    settings: (flowId, version) => readAgentSettings({ store, clock, vault }, accountOf(flowId), flowId, version),
    addresses,
    lookUp: (flowId, question, limit) => lookUp({ accountId: accountOf(flowId), flowId }, question, limit),
    sendSms: (sessionId, sms) => inputs.sendSms(sessionId, sms),
    takeMessage: (sessionId, message) => inputs.takeMessage(sessionId, message),
    calendar: (sessionId, language, request) => inputs.calendar(sessionId, language, request),
    spend: (sessionId, tokens) => inputs.spend(sessionId, tokens),
    rehearsal: async (sessionId) => rehearsals.of(sessionId)?.tools ?? Promise.reject(new Error('there is no such test')),
  }
  let restarts = 0
  metrics.add(() => [{ name: 'offhook_agent_restarts_total', value: restarts }])
  const onDied = (reason: Error | undefined): void => {
    restarts++
    log('agent_ended', { err: reason })
  }
  const agent = open(new AgentHost({ run: runs[settings.OFFHOOK_AGENT], host, clock: platform.evenClock, onDied }))
  const sockets = open(
    withAgent(platform.sockets, { agent, clock, socketsTo, announce: ({ flowId, accountId }) => accounts.set(flowId, accountId) }),
  )
  return {
    agent,
    sockets,
    rehearsals,
    prepareAgent: async () => {
      if (settings.OFFHOOK_AGENT !== 'off' && (await store.read.assistants.areUsed())) await agent.reach().catch(() => {})
    },
  }
}
