import { usualExtendedEvents, type ExtendedEvent } from '@offhook/contract/assistant/events.ts'
import type { Flow } from '#core/kernel/ports/store/assistant/flows.ts'

/** Answers ahead of time are unknown elsewhere. */
const ours: readonly ExtendedEvent[] = ['user_speak_preview', 'user_speak_revoked']

/**
 * The flow as a session has it whose endpoint speaks the language of another system: a gateway takes everything over a WebSocket, whatever the
 * endpoint has. Other systems say nothing by themselves, so nor do we unless the flow wants it.
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
