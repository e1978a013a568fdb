import { parseBoundedJson } from '@offhook/contract/bounded-json.ts'
import type { Session } from '@offhook/contract/assistant/session.ts'
import type { HttpToolSettings } from '@offhook/contract/v3/assistant-values.ts'
import type { AgentClock } from '../clock.ts'
import { readText, type Fetch } from '../outbound.ts'
import { objectOf, type Tool, type ToolRun } from './tool.ts'
import { webhookSignature } from '@offhook/sdk/webhook-signature.ts'

export interface HttpToolDeps {
  fetch: Fetch
  clock: AgentClock
  secrets: readonly string[]
}

const maxBytes = 64 * 1024

interface ToolRequest {
  url: string
  method: 'POST' | 'GET'
  headers: Record<string, string>
  body: string | undefined
}

export const httpTool = (settings: HttpToolSettings, deps: HttpToolDeps): Tool => ({
  name: settings.name,
  description: settings.description,
  parameters: settings.parameters ?? objectOf({}),
  ...(settings.before_text !== undefined && { beforeText: settings.before_text }),
  ...(settings.method === 'GET' && { reads: true }),
  run: async (args, { session, turn, callId, signal }) => {
    const request = requestOf(settings, deps, { args, session, turn, callId })
    const first = await send(settings, deps, request, signal)
    const run = first.mayRepeat && settings.idempotent === true ? await send(settings, deps, request, signal) : first
    return { status: run.status, content: run.content, request: wireOf(settings, request), response: run.response }
  },
})

/** HTTP request to the tool. Every attempt has the same id, so that the tool can recognise a retry. */
export const requestOf = (
  { name, url, method = 'POST', headers = [], arguments: fixed }: HttpToolSettings,
  { clock, secrets }: HttpToolDeps,
  { args: asked, session, turn, callId }: { args: Record<string, unknown>; session: Session; turn: number; callId: string },
): ToolRequest => {
  const { id, from_phone_number: from, to_phone_number: to, variables } = session
  const args = { ...asked, ...fixed }
  const eventId = `${id}-${callId}`.replace(/[^\w-]/g, '_')
  const body =
    method === 'GET'
      ? undefined
      : JSON.stringify({ tool: name, arguments: args, call: { id, from, to, ...(variables && { variables }) }, turn })
  const address = new URL(url)
  if (method === 'GET')
    for (const [field, value] of Object.entries(args))
      address.searchParams.set(field, typeof value === 'string' ? value : JSON.stringify(value))
  const own = headers.flatMap((header) => (header.value === undefined ? [] : [[header.name.toLowerCase(), header.value] as const]))
  return {
    url: address.href,
    method,
    headers: {
      'user-agent': 'Offhook/1',
      ...Object.fromEntries(own),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      'x-event-id': eventId,
      ...signWebhook(eventId, clock.now(), body ?? '', secrets),
    },
    body,
  }
}

/** Masks the values of secret headers. */
export const shownHeaders = ({ headers: secret = [] }: HttpToolSettings, { headers }: ToolRequest): Record<string, string> => {
  const hidden = new Set(secret.map(({ name }) => name.toLowerCase()))
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, hidden.has(name) ? '***' : value]))
}

const wireOf = (settings: HttpToolSettings, request: ToolRequest): string => {
  const { pathname, search, host } = new URL(request.url)
  const lines = Object.entries({ host, ...shownHeaders(settings, request) }).map(([name, value]) => `${name}: ${value}`)
  return `${request.method} ${pathname}${search}\n${lines.join('\n')}\n\n${request.body ?? ''}`
}

interface Sent extends Pick<ToolRun, 'status' | 'content'> {
  code?: number
  response: string
  /** True if the tool may not have performed the request. */
  mayRepeat: boolean
}

export const send = async (
  settings: HttpToolSettings,
  { fetch, clock }: HttpToolDeps,
  request: ToolRequest,
  signal: AbortSignal,
): Promise<Sent> => {
  const timeoutMs = settings.timeout_ms ?? 4_000
  const late = new AbortController()
  const cancel = clock.after(timeoutMs, () => late.abort(new Error(`no answer within ${timeoutMs} ms`)))
  try {
    const { url, method, headers, body } = request
    const both = AbortSignal.any([signal, late.signal])
    const answer = await fetch(url, { method, headers, signal: both, ...(body !== undefined && { body }) })
    const { text, whole } = await readText(answer.body, maxBytes)
    const response = `${answer.status}\n${text}`
    const ok = answer.status >= 200 && answer.status < 300
    if (!whole) return { ...failed('its answer is longer than 64 KiB'), code: answer.status, response, mayRepeat: false }
    if (ok) return { status: 'ok', content: text === '' ? 'done' : readable(text), code: answer.status, response, mayRepeat: false }
    const mayRepeat = answer.status === 429 || answer.status >= 500
    return {
      status: 'failed',
      content: { error: `the tool answered ${answer.status}`, answer: readable(text) },
      code: answer.status,
      response,
      mayRepeat,
    }
  } catch (error) {
    const why = late.signal.aborted ? (late.signal.reason as Error).message : reasonOf(error as Error)
    return { ...failed(why), response: why, mayRepeat: !signal.aborted }
  } finally {
    cancel()
    late.abort()
  }
}

const failed = (why: string): Pick<ToolRun, 'status' | 'content'> => ({ status: 'failed', content: { error: why } })

const reasonOf = ({ message, cause }: Error & { cause?: unknown }): string => (cause instanceof Error ? cause.message : message)

const readable = (text: string): unknown => {
  try {
    return parseBoundedJson(text)
  } catch {
    return text
  }
}

/** Standard Webhooks headers with one signature for each secret (`whsec_…`). */
const signWebhook = (id: string, nowMs: number, body: string, secrets: readonly string[]): Record<string, string> => {
  const timestamp = String(Math.floor(nowMs / 1000))
  const signatures = secrets.map((secret) => webhookSignature(secret, { id, timestamp, body }))
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }) }
}
