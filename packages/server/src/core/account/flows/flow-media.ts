import { Problem } from '@offhook/contract/problem.ts'
import type { Flow, FlowMedia, FlowSettings } from '#core/kernel/ports/store/assistant/flows.ts'

/** Sound over the WebSocket, with nothing left open. */
export type Media = Required<FlowMedia> & { mode: 'audio' | 'both' }

/** These know only sound, and only this form of it. */
const soundProtocols: readonly FlowSettings['protocol'][] = ['media_streams', 'openai_realtime']

/** Undefined: the flow has words only, as every assistant has that is written here. */
export const mediaOf = ({ protocol, media, endpoint }: FlowSettings): Media | undefined => {
  if (endpoint === 'assistant') return undefined
  const mode = media?.mode ?? 'text'
  if (soundProtocols.includes(protocol)) return { mode: mode === 'both' ? mode : 'audio', format: 'pcmu', rate: 8000 }
  if (mode === 'text') return undefined
  const format = media?.format ?? 'pcm16'
  return { mode, format, rate: media?.rate ?? (format === 'pcm16' ? 16_000 : 8000) }
}

/**
 * Where sound goes to and fro in place of words, we say none of ours in between: nobody knows whether they fit. Servers that were written for others
 * decide themselves what an interruption is, unless the flow says something else.
 */
export const asSoundFlow = (flow: Flow): Flow => {
  const { settings } = flow
  if (mediaOf(settings)?.mode !== 'audio') return flow
  const bargeIn = settings.bargeIn ?? (soundProtocols.includes(settings.protocol) ? { strategy: 'manual' as const } : undefined)
  return { ...flow, settings: { ...settings, fillers: { off: true }, ...(bargeIn && { bargeIn }) } }
}

export const requireMedia = ({ media, protocol, websocketUrl, endpoint }: FlowSettings): void => {
  if (!media || endpoint === 'assistant') return
  if (websocketUrl === undefined) throw Problem.field('media', 'needs websocketUrl: sound goes over the WebSocket')
  const isFixed = soundProtocols.includes(protocol)
  if (protocol !== undefined && !isFixed) throw Problem.field('media', `protocol ${protocol} has no sound`)
  const { format = 'pcm16', rate } = media
  if (format !== 'pcm16' && rate !== undefined && rate !== 8000) throw Problem.field('media/rate', `must be 8000 with ${format}`)
  if (isFixed && (media.format ?? 'pcmu') !== 'pcmu') throw Problem.field('media/format', `must be pcmu with ${protocol}`)
}
