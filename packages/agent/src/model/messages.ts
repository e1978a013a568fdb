import type { ModelSettings } from '@offhook/contract/v3/assistant-values.ts'

export interface CalledTool {
  id: string
  name: string
  /** Arguments as the model wrote them; may be invalid JSON. */
  arguments: string
}

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string | null
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[]
  tool_call_id?: string
}

export interface ToolDescription {
  name: string
  description: string
  /** JSON Schema of an object. */
  parameters: Record<string, unknown>
}

export interface ChatRequest {
  messages: readonly ChatMessage[]
  tools?: readonly ToolDescription[]
  /** JSON Schema of the answer. */
  schema?: Record<string, unknown>
  maxTokens?: number
}

export interface Usage {
  prompt: number
  completion: number
}

export interface Completion {
  text: string
  calls: CalledTool[]
  finish: string
  usage: Usage
}

/** Estimates four characters per token if the server reports no count. */
export const tokensOf = (text: string): number => Math.ceil(text.length / 4)

/** Reason for a missing or partial answer. */
export class ModelFailure extends Error {
  /** The same model may be retried, after `afterMs` if the server gave it. */
  readonly again: boolean
  readonly afterMs: number | undefined

  constructor(message: string, again: boolean = false, afterMs?: number) {
    super(message)
    this.name = 'ModelFailure'
    this.again = again
    this.afterMs = afterMs
  }
}

/** A primary or a fallback model. */
export type OneModel = Omit<ModelSettings, 'second'>

const isAzure = ({ pathname }: URL): boolean => pathname.includes('/openai/deployments/')

/** Keeps the query string: Azure needs `api-version`. */
export const addressOf = ({ url }: OneModel): string => {
  const address = new URL(url)
  if (!/\/chat\/completions\/?$/.test(address.pathname)) address.pathname = `${address.pathname.replace(/\/+$/, '')}/chat/completions`
  return address.href
}

export const headersOf = ({ url, api_key, headers = [] }: OneModel): Record<string, string> => {
  const key: Record<string, string> = api_key
    ? isAzure(new URL(url))
      ? { 'api-key': api_key }
      : { authorization: `Bearer ${api_key}` }
    : {}
  const own = headers.flatMap(({ name, value }) => (value === undefined ? [] : [[name.toLowerCase(), value] as const]))
  return { accept: 'text/event-stream, application/json', ...key, ...Object.fromEntries(own), 'content-type': 'application/json' }
}

/** Parameters that some servers do not support. */
const optional = ['stream_options', 'response_format', 'temperature', 'max_tokens', 'tools'] as const
type Optional = (typeof optional)[number]

/** Remembers parameters that a server rejected and stops sending them to it. */
export class Refusals {
  readonly #refused = new Map<string, Set<Optional>>()

  bodyOf(model: OneModel, request: ChatRequest, stream: boolean): Record<string, unknown> {
    const { messages, tools = [], schema, maxTokens = model.max_tokens ?? 300 } = request
    const refused = this.#refused.get(keyOf(model))
    const inputs: Record<Optional, unknown> = {
      stream_options: stream ? { include_usage: true } : undefined,
      response_format: schema && { type: 'json_schema', json_schema: { name: 'answer', schema } },
      temperature: model.temperature ?? 0.3,
      max_tokens: maxTokens,
      tools:
        tools.length > 0
          ? tools.map(({ name, description, parameters }) => ({ type: 'function', function: { name, description, parameters } }))
          : undefined,
    }
    const kept = optional.filter((name) => inputs[name] !== undefined && !refused?.has(name)).map((name) => [name, inputs[name]])
    const instead = refused?.has('max_tokens') ? { max_completion_tokens: maxTokens } : {}
    return { model: model.name, stream, ...Object.fromEntries(kept), ...instead, messages }
  }

  /** Returns true if the server named an unsupported parameter, so that a retry without it makes sense. */
  learn(model: OneModel, status: number, text: string): boolean {
    if (status !== 400 && status !== 422) return false
    const known = this.#refused.get(keyOf(model)) ?? new Set()
    const named = optional.find((name) => !known.has(name) && new RegExp(`\\b${name}\\b|${name.replace('_', ' ')}`, 'i').test(text))
    if (!named) return false
    this.#refused.set(keyOf(model), known.add(named))
    return true
  }
}

const keyOf = ({ url, name }: OneModel): string => `${url} ${name}`
