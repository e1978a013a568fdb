import type { GatewaySettings } from '../gateway.ts'

/** What the model can do besides speaking. */
const hangUp = {
  type: 'function',
  name: 'hang_up',
  description: 'Ends the call after what was said. Say goodbye first.',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
}

const transfer = (targets: readonly string[]) => ({
  type: 'function',
  name: 'transfer_call',
  description: 'Connects the caller with somebody else. Say so first.',
  parameters: {
    type: 'object',
    properties: { target: { type: 'string', description: `One of: ${targets.join(', ')}; with * at the end, any number that begins so` } },
    required: ['target'],
    additionalProperties: false,
  },
})

/** Fields of the address that are meant for the session, and not for the server's door. */
const sessionFields = ['instructions', 'voice', 'prompt'] as const

export interface RealtimeRequest {
  url: string
  session: object
}

/** Where to connect to, and what is said first. Sound is what telephones have, so that nothing has to be converted. */
export const realtimeRequest = ({ url, transferTargets }: Pick<GatewaySettings, 'url' | 'transferTargets'>): RealtimeRequest => {
  const address = new URL(url)
  const given = Object.fromEntries(sessionFields.map((name) => [name, address.searchParams.get(name) ?? '']))
  for (const name of sessionFields) address.searchParams.delete(name)
  const format = { type: 'audio/pcmu' }
  return {
    url: address.href,
    session: {
      type: 'realtime',
      output_modalities: ['audio'],
      audio: {
        input: { format, turn_detection: { type: 'server_vad' } },
        output: { format, ...(given['voice'] !== '' && { voice: given['voice'] }) },
      },
      ...(given['instructions'] !== '' && { instructions: given['instructions'] }),
      ...(given['prompt'] !== '' && { prompt: { id: given['prompt'] } }),
      tools: transferTargets.length > 0 ? [hangUp, transfer(transferTargets)] : [hangUp],
    },
  }
}

export interface ServerMessage {
  type: string
  delta?: unknown
  item_id?: unknown
  content_index?: unknown
  call_id?: unknown
  name?: unknown
  arguments?: unknown
  transcript?: unknown
  error?: { message?: unknown; code?: unknown }
}

export const readServerMessage = (text: string): ServerMessage | undefined => {
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
      ? (value as ServerMessage)
      : undefined
  } catch {
    return undefined
  }
}

/** Sound is not for the timeline. */
export const keepsMessage = (message: string): boolean =>
  !message.includes('"input_audio_buffer.append"') && !message.includes('"response.output_audio.delta"')

export const userText = (text: string): object => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
})

export const functionOutput = (callId: string, output: string): object => ({
  type: 'conversation.item.create',
  item: { type: 'function_call_output', call_id: callId, output },
})
