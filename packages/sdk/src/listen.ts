import { listenEnds, listenPath, type ListenFailure, type ListenOrder, type ListenReply } from '@offhook/contract/v3/listen.ts'
import { ApiError, authorizationOf, clientOf } from './client-of.ts'
import { forward, type Exchange } from './forward.ts'
import { sleep } from './event-stream.ts'

export interface ListenOptions {
  /** Address of the service. */
  baseUrl: string
  token: string
  flowId: string
  /** Where events are forwarded to, as a webhook gets them: `http://localhost:3000`. */
  to: string
  onReady?: (flow: { flowId: string; flowName: string }) => void
  /** Called after each event with request and reply. */
  onExchange?: (exchange: Exchange) => void
  /** The connection was lost; retried after `retryMs`. */
  onBroken?: (message: string, retryMs: number) => void
  signal?: AbortSignal
}

/** Listening ended for good: replaced by another client, or no longer allowed. */
export class ListenEnded extends Error {
  readonly code: number

  constructor(code: number, reason: string) {
    super(reason === '' ? `the service ended the connection (${code})` : reason)
    this.name = 'ListenEnded'
    this.code = code
  }
}

/** The service sends a heartbeat every 5 seconds. */
const maxSilenceMs = 20_000
const retry = { firstMs: 500, mostMs: 15_000 }
const final: readonly number[] = Object.values(listenEnds)
const route = { getFlow: { method: 'GET', path: '/v3/ai-flows/{aiFlowId}' } } as const

/**
 * Receives a flow's events over a WebSocket and forwards them to an address that only this machine can reach. Reconnects automatically.
 * Resolves when the signal aborts; rejects with ApiError or ListenEnded when a retry is pointless.
 */
export const listen = async (options: ListenOptions): Promise<void> => {
  const { signal, onBroken = () => {} } = options
  for (let failures = 0; ;) {
    if (signal?.aborted) return
    const broke = await connectOnce(options, () => (failures = 0))
    if (signal?.aborted) return
    const pause = Math.min(retry.firstMs * 2 ** failures++, retry.mostMs)
    onBroken(broke, pause)
    await sleep(pause, signal)
  }
}

/** Resolves with the reason for the disconnect. */
const connectOnce = async (options: ListenOptions, opened: () => void): Promise<string> => {
  try {
    await clientOf({ ...options, fetch: fetchWithin(options.signal) }, route).getFlow({ aiFlowId: options.flowId }) // a rejected WebSocket handshake gives no reason
  } catch (error) {
    if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429) throw error
    return error instanceof ApiError ? error.message : `the service cannot be reached (${reasonOf(error as Error)})`
  }
  return options.signal?.aborted ? 'it was ended' : holdConnection(options, opened)
}

/** Does not wait for an unresponsive service, nor after the listener was stopped. */
const fetchWithin =
  (signal: AbortSignal | undefined): typeof fetch =>
  (url, init) =>
    fetch(url, { ...init, signal: AbortSignal.any([AbortSignal.timeout(maxSilenceMs), ...(signal ? [signal] : [])]) })

const reasonOf = (error: Error): string => {
  const { code, message } = (error.cause ?? error) as { code?: string; message?: string }
  return code ?? message ?? 'unknown'
}

/** Does not wait for the closing handshake: a service that is gone never completes it. */
const holdConnection = (options: ListenOptions, opened: () => void): Promise<string> => {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = new WebSocket(addressOf(options), { headers: { authorization: authorizationOf(options.token) } })
  const over = new AbortController()
  const { signal } = over
  const leave = (why: string) => (): void => {
    over.abort()
    socket.close(1000)
    resolve(why)
  }
  const listenForLife = (): ReturnType<typeof setTimeout> => setTimeout(leave('nothing was heard of the service any more'), maxSilenceMs)
  let silence = listenForLife()
  signal.addEventListener('abort', () => clearTimeout(silence))
  options.signal?.addEventListener('abort', leave('it was ended'), { signal })
  let wasOpen = false
  const take = ({ data }: MessageEvent): void => {
    clearTimeout(silence)
    silence = listenForLife()
    wasOpen = true
    takeOrder(options, socket, JSON.parse(String(data)) as ListenOrder, opened)
  }
  const closed = ({ code, reason }: CloseEvent): void => {
    over.abort()
    if (final.includes(code)) reject(new ListenEnded(code, reason))
    else resolve(reason || (wasOpen ? 'the connection broke' : 'the connection was refused: does the token allow changing flows?'))
  }
  socket.addEventListener('message', take, { signal })
  socket.addEventListener('close', closed, { signal })
  return promise
}

const takeOrder = (options: ListenOptions, socket: WebSocket, order: ListenOrder, opened: () => void): void => {
  if (order.type === 'ready') {
    opened()
    options.onReady?.({ flowId: order.flowId, flowName: order.flowName })
  }
  if (order.type !== 'request') return
  void forward(options.to, order).then(({ frame, exchange }) => {
    answer(socket, frame)
    options.onExchange?.(exchange)
  })
}

const answer = (socket: WebSocket, frame: ListenReply | ListenFailure): void => {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame))
}

const addressOf = ({ baseUrl, flowId, to }: ListenOptions): string => {
  const path = listenPath.replace('{aiFlowId}', encodeURIComponent(flowId))
  const { origin, pathname } = new URL(to) // the query and credentials may be secret
  const query = new URLSearchParams({ to: origin + pathname })
  return `${baseUrl.replace(/\/+$/, '').replace(/^http/, 'ws')}${path}?${query.toString()}`
}
