import type { ModelSettings } from '@offhook/contract/v3/assistant-values.ts'
import type { ChatRequest } from './messages.ts'

/** A model, or the one that takes over. */
export type OneModel = Omit<ModelSettings, 'second'>

const isAzure = ({ pathname }: URL): boolean => pathname.includes('/openai/deployments/')

/** What stands behind the `?` stays there: Azure wants `api-version`. */
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

/** What not every server understands. */
const optional = ['stream_options', 'response_format', 'temperature', 'max_tokens', 'tools'] as const
type Optional = (typeof optional)[number]

/** What servers have refused is not sent to them again. */
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
      tools: tools.length > 0 ? tools.map((tool) => ({ type: 'function', function: tool })) : undefined,
    }
    const kept = optional.filter((name) => inputs[name] !== undefined && !refused?.has(name)).map((name) => [name, inputs[name]])
    const instead = refused?.has('max_tokens') ? { max_completion_tokens: maxTokens } : {}
    return { model: model.name, stream, ...Object.fromEntries(kept), ...instead, messages }
  }

  /** True: the server has said what it does not understand, and may be asked without it. */
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
