import type { OutputOf } from '#api/use-service.ts'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

export type Flow = OutputOf<'getFlow'>
export type ListedFlow = OutputOf<'listFlows'>['items'][number]

/** It is written here, as a prompt; else a program of the customer's decides what is said. */
export const isAssistant = (flow: Flow): boolean => flow.endpoint === 'assistant'

/** The one thing about a flow that its owner should know first. */
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

/** Where its events go, short enough for a table. */
export const endpointOf = (flow: Flow, say: { fromPrompt: string; demo: string }): string => {
  const { listener, websocketUrl, webhookUrl } = flow
  if (isAssistant(flow)) return listener?.to ?? say.fromPrompt
  const address = listener?.to ?? websocketUrl ?? webhookUrl ?? '–'
  if (address === 'demo:assistant') return say.demo
  return address.replace(/^https?:\/\//, '')
}
