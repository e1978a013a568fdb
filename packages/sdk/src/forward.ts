import type { ListenFailure, ListenOrder, ListenReply } from '@offhook/contract/v3/listen.ts'

/** One forwarded event and its result. */
export interface Exchange {
  eventId: string
  /** The `type` in the body: session_start, user_speak … */
  eventType: string
  request: { headers: Record<string, string>; body: string }
  response?: { status: number; headers: Record<string, string>; body: string }
  /** Why there is no reply. */
  error?: string
  durationMs: number
}

interface Forwarded {
  frame: ListenReply | ListenFailure
  exchange: Exchange
}

type Order = Extract<ListenOrder, { type: 'request' }>

/** Largest reply accepted by the service. */
const maxReplyBytes = 4 * 1024 * 1024

/** Makes the request that the service would make. Never rejects: failures are part of the reply. */
export const forward = async (to: string, order: Order): Promise<Forwarded> => {
  const { id, headers, body, deadlineMs } = order
  const startedAt = performance.now()
  const exchange = (): Exchange => ({
    eventId: headers['webhook-id'] ?? '',
    eventType: typeOf(body),
    request: { headers, body },
    durationMs: Math.round(performance.now() - startedAt),
  })
  try {
    const response = await fetch(to, { method: 'POST', headers, body, redirect: 'manual', signal: AbortSignal.timeout(deadlineMs) })
    const bytes = new Uint8Array(await response.arrayBuffer())
    if (bytes.length > maxReplyBytes) throw new TooLarge(`the answer has more than ${maxReplyBytes} bytes`)
    const reply = { status: response.status, headers: Object.fromEntries(response.headers) }
    const frame: ListenReply = { type: 'reply', id, ...reply, ...encoded(bytes) }
    return { frame, exchange: { ...exchange(), response: { ...reply, body: new TextDecoder().decode(bytes) } } }
  } catch (error) {
    const failure = explain(error)
    return { frame: { type: 'failure', id, ...failure }, exchange: { ...exchange(), error: failure.message } }
  }
}

class TooLarge extends Error {}

const encoded = (bytes: Uint8Array): Pick<ListenReply, 'body' | 'base64'> => {
  try {
    return { body: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return { body: Buffer.from(bytes).toString('base64'), base64: true }
  }
}

const explain = (error: unknown): Pick<ListenFailure, 'kind' | 'message'> => {
  if (error instanceof TooLarge) return { kind: 'too_large', message: error.message }
  if (error instanceof Error && error.name === 'TimeoutError') return { kind: 'timeout', message: 'it did not answer in time' }
  const { code, message } = ((error as Error).cause ?? error) as { code?: string; message?: string }
  const kind = code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' ? 'broken' : 'connect'
  const what = kind === 'broken' ? 'it hung up without an answer' : 'it could not be reached'
  return { kind, message: `${what} (${code ?? message ?? 'unknown'})`.slice(0, 300) }
}

const typeOf = (body: string): string => {
  try {
    return String((JSON.parse(body) as { type?: unknown }).type)
  } catch {
    return ''
  }
}
