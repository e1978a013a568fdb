import { usualExtendedEvents } from '@offhook/contract/assistant/events.ts'
import type { Flow } from '#core/kernel/ports/store/assistant.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { assistantAddress } from '#core/kernel/webhook/web-address.ts'
import type { AssistantChoice } from '#core/kernel/ports/store/session.ts'
import { withGateway } from '../flows/gateway-flow.ts'
import { chooseVersion } from './versions.ts'

/** Chooses the assistant version at the start of a call; undefined if the flow uses another endpoint. */
export const chooseAssistant = async (
  tables: Tables,
  { id: flowId, settings }: Flow,
  call: { accountId: string; callId: string; caller: string | undefined; draft: boolean },
): Promise<AssistantChoice | undefined> => {
  if (call.draft) return 'draft'
  if (settings.endpoint !== 'assistant') return undefined
  const rollout = await tables.assistants.rollout(call.accountId, flowId)
  return rollout ? chooseVersion(rollout, flowId, call) : 'none'
}

/** The flow as a session uses it: the assistant is addressed like an endpoint and gets all usual extended events. */
export const withAssistant = (flow: Flow, accountId: string, choice: AssistantChoice | undefined): Flow => {
  if (choice === undefined) return withGateway(flow)
  const {
    webhookUrl: _hook,
    protocol: _protocol,
    fallbackUrl: _fallback,
    apiKey: _key,
    disabledBecause: _disabled,
    ...settings
  } = flow.settings
  const extendedEvents = [...new Set([...usualExtendedEvents, ...(settings.extendedEvents ?? [])])]
  return {
    ...flow,
    settings: {
      ...settings,
      endpoint: 'assistant',
      extendedEvents,
      websocketUrl: assistantAddress({ accountId, flowId: flow.id, choice }),
    },
  }
}
