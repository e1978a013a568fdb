import type { ServiceHost } from '@offhook/agent/host.ts'
import { AgentHost } from '#adapters/agent-host/agent-host.ts'
import { withAgent } from '#adapters/agent-host/agent-sockets.ts'
import { runAsProcess, runAsThread } from '#adapters/agent-host/run-agent.ts'
import { outboundSockets } from '#adapters/outbound-sockets.ts'
import { readAgentSettings } from '#core/assistant/agent/agent-settings.ts'
import { Rehearsals } from '#core/assistant/agent/rehearsals.ts'
import { AgentInputs, type OrderSms } from '#core/assistant/agent/agent-requests.ts'
import { sendForAssistant } from '#core/messages/orders/send-for-assistant.ts'
import type { SmsOrderDeps } from '#core/messages/orders/send-sms.ts'
import { acceptSms } from '#core/messages/sms/sending/accept-sms.ts'
import type { SmsParts } from '#core/messages/sms/state/sms-parts.ts'
import type { Agent } from '#core/kernel/ports/assistant/agent.ts'
import type { OutboundSockets } from '#core/kernel/ports/outbound-sockets.ts'
import type { Settings } from '#settings/config.ts'
import type { Open } from '../closing.ts'
import type { Platform } from '../platform.ts'

export interface OpenAgentDeps {
  settings: Settings
  platform: Platform
  open: Open
  /** Known when everything is open. */
  sms: () => SmsParts
  /** Something was put into the outbox. */
  wake: () => void
}

/** What runs the assistants that are written here. */
export interface OpenedAgent {
  agent: Agent
  /** To endpoints of customers, and to these assistants. */
  sockets: OutboundSockets
  /** Tests of these assistants. */
  rehearsals: Rehearsals
  /** Where assistants are in use, the first caller does not wait for it. */
  prepareAgent: () => Promise<void>
}

/** The egress rules forbid its address to everybody else. */
const socketsTo = (address: string): OutboundSockets => outboundSockets({ allow: [address] })

const runs = { thread: runAsThread, process: runAsProcess, off: undefined }

export const openAgent = ({ settings, platform, open, sms, wake }: OpenAgentDeps): OpenedAgent => {
  const { callStore: store, callClock: clock, vault, log, metrics, lookUp, allowedAddresses: addresses } = platform
  /** By flow: the agent names no accounts, and gets only what belongs to flows that it was told of. */
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
