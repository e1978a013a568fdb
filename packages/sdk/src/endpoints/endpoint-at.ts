import type { Endpoint, EndpointConnection } from '../simulate/endpoint-line.ts'
import { Unreachable, reasonOf } from './unreachable.ts'
import { webhookSignature } from '../webhook-signature.ts'

/** Settings of the flow. */
export interface EndpointOptions {
  secret?: string | undefined
  apiKey?: string | undefined
}

/** Creates an endpoint from its address, as flows do: `ws:` and `wss:` are WebSockets, `http:` and `https:` webhooks. */
export const endpointAt = (url: string, options: EndpointOptions = {}): Endpoint<unknown> => {
  const { protocol } = new URL(url)
  if (protocol === 'ws:' || protocol === 'wss:') return socketEndpoint(url, options)
  if (protocol === 'http:' || protocol === 'https:') return webhookEndpoint(url, options)
  throw new TypeError(`${protocol} is no address of an endpoint: http, https, ws or wss`)
}

interface SocketOptions {
  /** API key of the flow. */
  apiKey?: string | undefined
  /** Milliseconds allowed for the handshake. Default: 3 seconds. */
  handshakeMs?: number
}

/** WebSocket of Node 22, Bun, Deno and the package ws. */
type SocketClass = new (url: string, options: { headers: Record<string, string> }) => WebSocket

/** An endpoint at a WebSocket address, connected once per call, as the service does. */
export const socketEndpoint = (url: string, { apiKey, handshakeMs = 3_000 }: SocketOptions = {}): Endpoint<unknown> => ({
  connect(send, _given, leave = () => {}): EndpointConnection {
    const headers: Record<string, string> = apiKey === undefined ? {} : { 'x-api-key': apiKey, 'x-api-token': apiKey }
    const socket = new (socketClass())(url, { headers })
    const waiting: string[] = []
    let opened = false
    let left = false
    const gone = (why: string): void => {
      clearTimeout(handshake)
      if (!left) leave(new Unreachable(url, why))
      left = true
    }
    const handshake = setTimeout(() => {
      gone(`no WebSocket within ${handshakeMs} ms`)
      socket.close()
    }, handshakeMs)
    socket.addEventListener('open', () => {
      clearTimeout(handshake)
      opened = true
      for (const frame of waiting.splice(0)) socket.send(frame)
    })
    socket.addEventListener('message', ({ data }) => send(String(data)))
    socket.addEventListener('close', ({ code }) => {
      if (code === 1000) leave()
      else if (opened) gone(`it has left the call (${code})`)
      else void whyRefused(url, headers, handshakeMs).then(gone)
    })
    return {
      receive: (frame) => (opened ? socket.send(frame) : void waiting.push(frame)),
      close: () => {
        left = true
        clearTimeout(handshake)
        socket.close(1000)
      },
    }
  },
})

/** Asks once more, because a WebSocket does not report the status of its rejection. */
const whyRefused = (url: string, headers: Record<string, string>, timeoutMs: number): Promise<string> =>
  new Promise((resolve) => {
    const { request } = process.getBuiltinModule(url.startsWith('wss:') ? 'node:https' : 'node:http')
    const handshake = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': handshakeKey }
    const asked = request(url.replace(/^ws/i, 'http'), { headers: { ...headers, ...handshake }, timeout: timeoutMs })
    asked.on('response', ({ statusCode = 0 }) => {
      asked.destroy()
      resolve(statusCode === 401 || statusCode === 403 ? `it wants the key of the flow (status ${statusCode})` : `status ${statusCode}`)
    })
    asked.on('upgrade', (_, socket) => {
      socket.destroy()
      resolve('refused')
    })
    asked.on('timeout', () => asked.destroy(new Error(`no answer within ${timeoutMs} ms`)))
    asked.on('error', (error) => resolve(reasonOf(error)))
    asked.end()
  })

/** Any 16 bytes (RFC 6455 §4.1). */
const handshakeKey = 'dGhlIHNhbXBsZSBub25jZQ=='

/** Node 20 has no built-in WebSocket; loading ws only there keeps it out of other bundles. */
const socketClass = (): SocketClass => {
  const { WebSocket: found } = globalThis as { WebSocket?: SocketClass }
  return found ?? (process.getBuiltinModule('node:module').createRequire(import.meta.url)('ws') as SocketClass)
}

interface WebhookOptions {
  /** The flow's secret (`whsec_…`); signs events as the service does. */
  secret?: string | undefined
  /** API key of the flow. */
  apiKey?: string | undefined
  /** Milliseconds to wait for an answer. Default: 10 seconds. */
  timeoutMs?: number
  fetch?: typeof fetch
}

/** Event fields that are also sent as headers. */
interface Framed {
  event_id: string
  sequence: number
  turn: number
  type: string
}

/** Bodies that frameworks write when only the status is set; treated as no action. */
const merePhrase = /^(ok|created|accepted|no content)?$/i
/** Only useful in real time: not sent over a webhook. */
const passing = ['user_speech_started', 'user_speak_partial']

/** A webhook endpoint: receives events as requests, one after the other, and answers with actions. */
export const webhookEndpoint = (url: string, options: WebhookOptions = {}): Endpoint<unknown> => ({
  connect(send, _given, leave = () => {}): EndpointConnection {
    let last: Promise<void> = Promise.resolve()
    const over = new AbortController()
    const post = async (frame: string): Promise<void> => {
      const event = JSON.parse(frame) as Framed
      if (over.signal.aborted || passing.includes(event.type)) return
      try {
        send(withTurn(await answerOf(url, event, options), event.turn))
      } catch (error) {
        leave(error as Error)
        over.abort()
      }
    }
    return {
      receive: (frame) => void (last = last.then(() => post(frame))),
      idle: () => last,
      close: () => over.abort(),
    }
  },
})

/** The text of the answer. Rejects if the endpoint is unreachable. */
const answerOf = async (url: string, event: Framed, { secret, apiKey, timeoutMs = 10_000, fetch: ask = fetch }: WebhookOptions) => {
  const { event_id: id, sequence, turn, ...body } = event
  const text = JSON.stringify(body)
  const timestamp = String(Math.floor(Date.now() / 1000))
  const headers = {
    'content-type': 'application/json',
    'x-event-id': id,
    'x-offhook-sequence': String(sequence),
    'x-offhook-turn': String(turn),
    'webhook-id': id,
    ...(secret !== undefined && {
      'webhook-timestamp': timestamp,
      'webhook-signature': webhookSignature(secret, { id, timestamp, body: text }),
    }),
    ...(apiKey !== undefined && { 'x-api-key': apiKey, 'x-api-token': apiKey }),
  }
  const signal = AbortSignal.timeout(timeoutMs)
  const response = await ask(url, { method: 'POST', headers, body: text, redirect: 'manual', signal }).catch((error: Error) => {
    if (error.name === 'TimeoutError') return undefined
    throw new Unreachable(url, reasonOf(error))
  })
  if (!response) return `nothing came within ${timeoutMs} ms`
  const answer = await response.text()
  return response.ok ? answer : `status ${response.status}`
}

/** Actions of a webhook belong to the turn of the event that they answer, and are complete. */
const withTurn = (answer: string, turn: number): string => {
  if (merePhrase.test(answer.trim())) return '[]'
  try {
    const actions = [JSON.parse(answer) as Record<string, unknown>].flat()
    return JSON.stringify(actions.map((action) => ({ ...action, turn })))
  } catch {
    return answer
  }
}
