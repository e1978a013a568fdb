import {
  GatewayFailure,
  type ForeignReply,
  type ForeignRequest,
  type ForeignSocket,
  type ForeignSocketObserver,
  type ForeignSocketWish,
  type GatewayClock,
  type GatewayWays,
} from '@offhook/gateway/gateway.ts'
import { OutboundFailure, type OutboundHttp } from '#core/kernel/ports/outbound.ts'
import type { GatewayInput, OutboundSocket, OutboundSockets, SocketRequest } from '#core/kernel/ports/outbound.ts'
import { originOf } from '#core/kernel/webhook/web-address.ts'
import type { WireLog } from './wire-log.ts'

/** TwiML and chat completions are small; they contain no sound. */
const maxReplyBytes = 1024 * 1024

export interface ForeignWaysDeps {
  clock: GatewayClock
  outbound: Pick<OutboundHttp, 'request'>
  sockets: Pick<OutboundSockets, 'connect'>
  wish: SocketRequest & { gateway: GatewayInput }
  wire: WireLog
}

/** Connections of a gateway to the customer's server: by the rules for outbound connections, with the bytes in the timeline. */
export class ForeignWays implements GatewayWays {
  readonly clock: GatewayClock
  readonly #deps: ForeignWaysDeps
  readonly #closing = new AbortController()
  readonly #sockets = new Set<OutboundSocket>()
  /** The newest open one. */
  #socket: OutboundSocket | undefined
  readonly #pinged = new Map<string, () => void>()

  constructor(deps: ForeignWaysDeps) {
    this.#deps = deps
    this.clock = deps.clock
  }

  connect({ url, headers = {}, subprotocol, keeps = () => true }: ForeignSocketWish, observer: ForeignSocketObserver): ForeignSocket {
    const { sockets, wish: input, wire } = this.#deps
    const { gateway: _, ...limits } = input
    let left = false
    const wanted = { ...limits, url, headers: { ...headersFor(input, url), ...headers }, ...(subprotocol !== undefined && { subprotocol }) }
    const socket = sockets.connect(wanted, {
      opened: () => {
        this.#socket = socket
        if (!left) observer.opened()
      },
      said: (bytes) => {
        const text = bytes.toString()
        if (keeps(text)) wire.note('received', text)
        if (!left) observer.said(text)
      },
      saidBytes: (bytes) => {
        if (!left) observer.saidBytes?.(bytes)
      },
      pong: (data) => this.#ponged(data),
      closed: (end) => {
        this.#sockets.delete(socket)
        if (this.#socket === socket) this.#socket = undefined
        if (!left) observer.closed(end)
      },
    })
    this.#sockets.add(socket)
    return {
      send: (text) => {
        if (keeps(text)) wire.note('sent', text)
        socket.send(text)
      },
      sendBytes: (bytes) => socket.sendBytes(bytes),
      close: () => {
        left = true
        if (this.#socket === socket) this.#socket = undefined
        socket.close()
      },
    }
  }

  async request({ onBytes, ...request }: ForeignRequest): Promise<ForeignReply> {
    const { outbound, wish: input, wire } = this.#deps
    const headers = { ...headersFor(input, request.url), ...request.headers }
    const signal = request.signal ? AbortSignal.any([request.signal, this.#closing.signal]) : this.#closing.signal
    wire.note('sent', `${request.method} ${request.url}${request.body === undefined ? '' : `\n${request.body}`}`)
    try {
      const reply = await outbound.request({
        ...request,
        headers,
        signal,
        maxBytes: Math.min(input.maxBytes, maxReplyBytes),
        ...(onBytes && { onBytes: (bytes: Buffer, status: number) => (status === 200 || status === 201 ? onBytes(bytes) : undefined) }),
      })
      wire.note('received', `${reply.status}\n${reply.body.toString()}`)
      return reply
    } catch (error) {
      if (!(error instanceof OutboundFailure)) throw error
      wire.note('received', error.message)
      throw new GatewayFailure({ opened: false, refused: error.kind === 'refused', message: error.message })
    }
  }

  /** Calls back when the customer's server has answered, or immediately without a connection to it. */
  ping(data: string, answered: () => void): void {
    if (!this.#socket) return answered()
    this.#pinged.set(data, answered)
    this.#socket.ping(data)
  }

  pause(): void {
    this.#socket?.pause()
  }

  resume(): void {
    this.#socket?.resume()
  }

  close(): void {
    this.#closing.abort()
    for (const socket of this.#sockets) socket.close()
  }

  #ponged(data: string): void {
    this.#pinged.get(data)?.()
    this.#pinged.delete(data)
  }
}

const keys = ['x-api-key', 'x-api-token']

/** A server may name third-party addresses, which must not get the key of the flow. */
const headersFor = (input: SocketRequest, url: string): Record<string, string> => {
  if (originOf(url) === originOf(input.url)) return input.headers
  return Object.fromEntries(Object.entries(input.headers).filter(([name]) => !keys.includes(name)))
}
