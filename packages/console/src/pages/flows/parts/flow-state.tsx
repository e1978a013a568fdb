import type { OutputOf } from '#api/use-service.ts'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

export type Flow = OutputOf<'getFlow'>
export type ListedFlow = OutputOf<'listFlows'>['items'][number]

/** Whether the endpoint is the prompt written here; otherwise a customer's program. */
export const isAssistant = (flow: Flow): boolean => flow.endpoint === 'assistant'

/** The most important state of a flow. */
export const FlowState = ({ flow }: { flow: ListedFlow }) => {
  const say = useText(text)
  const { listener, disabledBecause, webhookUrl, websocketUrl, speech, health } = flow
  if (listener) return <StatusBadge tone="busy">{say.listened}</StatusBadge>
  if (disabledBecause !== undefined) return <StatusBadge tone="bad">{say.disabled}</StatusBadge>
  if (!isAssistant(flow) && webhookUrl === undefined && websocketUrl === undefined)
    return <StatusBadge tone="warning">{say.noEndpoint}</StatusBadge>
  if (health.state === 'INCOMPLETE') return <StatusBadge tone="warning">{say.unpublished}</StatusBadge>
  if (health.state === 'FAILING') return <StatusBadge tone="bad">{say.failing}</StatusBadge>
  if (speech.speaks.provider === undefined) return <StatusBadge tone="warning">{say.noVoice}</StatusBadge>
  if (speech.hears.provider === undefined) return <StatusBadge tone="warning">{say.noEar}</StatusBadge>
  return <StatusBadge tone="good">{health.state === 'OK' ? say.answers : say.ready}</StatusBadge>
}

/** Its endpoint, short enough for a table. */
export const endpointOf = (flow: Flow, say: { fromPrompt: string; demo: string }): string => {
  const { listener, websocketUrl, webhookUrl } = flow
  if (isAssistant(flow)) return listener?.to ?? say.fromPrompt
  const address = listener?.to ?? websocketUrl ?? webhookUrl ?? '–'
  if (address === 'demo:assistant') return say.demo
  return address.replace(/^https?:\/\//, '')
}
