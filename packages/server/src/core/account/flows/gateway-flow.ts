import { usualExtendedEvents, type ExtendedEvent } from '@offhook/contract/assistant/events.ts'
import type { Flow } from '#core/kernel/ports/store/assistant.ts'

/** Third-party systems do not know preview events. */
const ours: readonly ExtendedEvent[] = ['user_speak_preview', 'user_speak_revoked']

/**
 * The flow as a session uses it when its endpoint speaks a third-party protocol: a gateway takes everything over a WebSocket, whichever transport
 * the endpoint has. Third-party systems play no fillers, so fillers are off unless the flow sets them.
 */
export const withGateway = (flow: Flow): Flow => {
  const { protocol, webhookUrl, fallbackUrl: _fallback, ...settings } = flow.settings
  if (protocol === undefined) return flow
  const wanted = (settings.extendedEvents ?? []).filter((event) => !ours.includes(event))
  const websocketUrl = settings.websocketUrl ?? webhookUrl
  return {
    ...flow,
    settings: {
      ...settings,
      protocol,
      ...(websocketUrl !== undefined && { websocketUrl }),
      extendedEvents: [...new Set([...usualExtendedEvents, ...wanted])],
      fillers: settings.fillers ?? { off: true },
    },
  }
}
